// Embedding, ReversibleEmbedding and Masking.
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/core/masking.h>
#include <cornu/layers/core/reversible_embedding.h>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/matchers.h"

namespace embedding_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("Embedding keeps a layer's contract") {
  check_layer<layers::Embedding>({.input_dim = 6, .output_dim = 3}, {.input = {2, 4},
                                                                     .output = {2, 4, 3},
                                                                     .weights = 1,
                                                                     .input_dtype = DType::int32,
                                                                     .indices_below = 6});
}

TEST_CASE("Embedding masks index 0 when asked to") {
  layers::Embedding embedding({.input_dim = 6, .output_dim = 3, .mask_zero = true});
  const Tensor y = embedding(Tensor::from({3, 0, 2, 0}, {2, 2}));
  REQUIRE(y.mask());
  CHECK(y.mask().to_vector<int32_t>() == std::vector<int32_t>{1, 0, 1, 0});
  CHECK_FALSE(
      layers::Embedding({.input_dim = 6, .output_dim = 3})(Tensor::from({1}, {1, 1})).mask());
}

TEST_CASE("Masking keeps a layer's contract and gives a mask") {
  check_layer<layers::Masking>({.mask_value = 9.0}, {.input = {2, 3, 2}, .output = {2, 3, 2}});
  const Tensor y = layers::Masking()(Tensor::from({0.0f, 0.0f, 0.0f, 1.0f}, {1, 2, 2}));
  CHECK(y.mask().to_vector<int32_t>() == std::vector<int32_t>{0, 1});
}

TEST_CASE("ReversibleEmbedding projects back") {
  layers::ReversibleEmbedding embedding({.input_dim = 3, .output_dim = 2, .mask_zero = true});
  const Tensor rows = Tensor::from(std::vector<int32_t>{2, 0}, {1, 2});
  embedding->ensure_built(rows);
  embedding->set_weights({Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, {3, 2})});
  const Tensor y = embedding(rows);
  CHECK(y.to_vector<float>() == std::vector<float>{5, 6, 1, 2});
  CHECK(y.mask().to_vector<float>() == std::vector<float>{1, 0});
  const Call reverse{.extra = {{"reverse", true}}};
  const Tensor x = Tensor::from({1.0f, -1.0f}, {1, 2});
  CHECK(embedding(x, reverse).to_vector<float>() == std::vector<float>{-1, -1, -1});

  layers::ReversibleEmbedding own(
      {.input_dim = 3, .output_dim = 2, .tie_weights = false, .logit_soft_cap = 2.0});
  own->build_from_config({{"shapes_dict", Value::Dict()}});
  REQUIRE(own->weights().size() == 2);
  CHECK(own->reverse_embeddings.shape() == Shape{2, 3});
  own->set_weights(
      {own->get_weights()[0], Tensor::from({9.0f, 0.0f, 1.0f, 0.0f, 9.0f, 0.0f}, {2, 3})});
  const std::vector<float> logits = own(x, reverse).to_vector<float>();
  CHECK(logits[0] == Approx(2 * std::tanh(4.5)));
  CHECK(logits[2] == Approx(2 * std::tanh(0.5)));
}

TEST_CASE("an embedding builds without an input") {
  layers::Embedding embedding({.input_dim = 3, .output_dim = 2});
  embedding->build_from_config({{"shapes_dict", Value::Dict()}});
  CHECK(embedding->weights().size() == 1);
}

namespace {

struct WordsAndPlacesConfig {
  int64_t places = 10;
};

// Adds to the vectors of words those of their places.
class WordsAndPlaces : public LayerOf<WordsAndPlaces, WordsAndPlacesConfig> {
 public:
  explicit WordsAndPlaces(WordsAndPlacesConfig c)
      : LayerOf(c), words(50, 4), places(config.places, 4) {
    track("words", words);
    track("places", places);
  }
  Tensor call(const Tensor& x, const Call&) override {
    return words(x) + places(ops::arange(0, ops::shape(x)[-1], 1));
  }
  layers::Embedding words, places;
};

}  // namespace

TEST_CASE("indices made of a size that is not known yet may be any") {
  const DeviceScope scope(Device::cpu());
  Input x({std::nullopt}, {.dtype = "int32"});
  const Tensor y = Ref<WordsAndPlaces>({.places = 10})(x);
  CHECK(y.shape() == Shape{Shape::unknown, Shape::unknown, 4});
  Functional model(x, y);
  CHECK(model(ops::ones({2, 10}, "int32")).shape() == Shape{2, 10, 4});
  CHECK_THROWS_WITH(model(ops::ones({2, 11}, "int32")), cornu::test::contains("index 10"));
}

TEST_CASE("an index that is not in the table is an error") {
  // A GPU takes the nearest row.
  const DeviceScope scope(Device::cpu());
  const layers::Embedding embedding({.input_dim = 5, .output_dim = 2, .name = "words"});
  CHECK_THROWS_WITH(embedding(ops::array({4, 7})),
                    "Layer 'words' (Embedding): index 7 (element 1) is not in [0, 5): input_dim is "
                    "5.");
  CHECK_THROWS_AS(embedding(ops::array({-1})), ValueError);
  CHECK_THROWS_AS(embedding(ops::array({5.0})), ValueError);
  CHECK(embedding(ops::array({0, 4})).shape() == Shape{2, 2});
  // In each replay of a plan, too.
  Sequential model({Input({2}, {.dtype = "int32"}), embedding});
  for (int i = 0; i < 4; ++i)
    CHECK(model.predict(ops::array({{0, 4}}), {.verbose = 0}).shape() == Shape{1, 2, 2});
  CHECK_THROWS_WITH(model.predict(ops::array({{0, 5}}), {.verbose = 0}),
                    cornu::test::contains("index 5"));
  CHECK(model.predict(ops::array({{0, 1}}), {.verbose = 0}).shape() == Shape{1, 2, 2});
}

}  // namespace embedding_test
