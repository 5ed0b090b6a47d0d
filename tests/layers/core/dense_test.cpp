// Dense, Activation, Embedding, Masking.
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/activation.h>
#include <cornu/layers/core/dense.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace dense_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("Dense keeps a layer's contract") {
  check_layer<layers::Dense>({.units = 3}, {.input = {2, 5}, .output = {2, 3}, .weights = 2});
  check_layer<layers::Dense>({.units = 4, .activation = "tanh", .use_bias = false},
                             {.input = {2, 3, 5}, .output = {2, 3, 4}, .weights = 1});
}

TEST_CASE("Dense says what is wrong with its input and options") {
  layers::Dense dense({.units = 3, .name = "logits"});
  dense(Tensor::from(std::vector<float>(128, 1.0f), {2, 64}));
  CHECK_THROWS_WITH(dense(Tensor::from(std::vector<float>(256, 1.0f), {8, 32})),
                    "Layer 'logits' (Dense): expected last axis 64, found 32 in input (8, 32). Was "
                    "it built for other "
                    "data?");
  CHECK_THROWS_AS(dense(Tensor::from({1.0f}, {1})), ShapeError);
  CHECK_THROWS_AS(layers::Dense({.units = 0}), ValueError);
}

TEST_CASE("Dense reads configs that name options without a value") {
  Value::Dict config = layers::Dense({.units = 3})->get_config();
  config.emplace_back("lora_rank", Value());
  config.emplace_back("quantization_config", Value());
  CHECK(layers::DenseLayer::from_config(config)->config.units == 3);
  config.emplace_back("lora_alpha", "two");
  CHECK_THROWS_AS(layers::DenseLayer::from_config(config), ValueError);
}

TEST_CASE("A Dense that is not trainable has no trainable variables") {
  layers::Dense dense({.units = 3, .trainable = false});
  dense(Tensor::from({1.0f, 2.0f}, {1, 2}));
  CHECK(dense->trainable_variables().empty());
  CHECK(dense->weights().size() == 2);
}

}  // namespace dense_test
