// TransformerEncoder.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/attention/transformer_encoder.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace transformer_encoder_test {

using namespace cornu;
using test::check_layer;
using test::difference;

TEST_CASE("TransformerEncoder keeps a layer's contract") {
  for (const bool first : {false, true})
    check_layer<layers::TransformerEncoder>(
        {.intermediate_dim = 5, .num_heads = 2, .activation = "tanh", .normalize_first = first},
        {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 16});
  CHECK_THROWS_AS(
      layers::TransformerEncoder({.intermediate_dim = 5, .num_heads = 3})(ops::zeros({2, 3, 4})),
      ValueError);
  CHECK_THROWS_AS(layers::TransformerEncoder({.intermediate_dim = 0, .num_heads = 3}), ValueError);
}

TEST_CASE("A step of TransformerEncoder sees all but what its masks hide") {
  const layers::TransformerEncoder encoder({.intermediate_dim = 5, .num_heads = 2});
  const Tensor x = random::uniform({1, 4, 6}, -1, 1, 3);
  const Tensor whole = encoder(x);
  const Tensor part = x[{Slice(), Slice(0, 2)}];
  const Tensor padding = Tensor::from<int32_t>({1, 1, 0, 0}, {1, 4});
  const Tensor padded = encoder(x, {.extra = {{"padding_mask", padding}}});
  CHECK(difference(padded[{Slice(), Slice(0, 2)}], encoder(part)) < 1e-5);
  CHECK(difference(padded, whole) > 1e-4);
  // Each step sees itself alone, or, with the padding, those that are left of it.
  const Tensor own = ops::expand_dims(ops::eye(4), {0});
  const Tensor alone = encoder(x, {.extra = {{"attention_mask", own}}});
  CHECK(difference(alone[{Slice(), Slice(2, 3)}], encoder(x[{Slice(), Slice(2, 3)}])) < 1e-5);
  const Tensor both =
      encoder(x, {.extra = {{"padding_mask", padding},
                            {"attention_mask", ops::causal_mask(4, 4)[{newaxis}]}}});
  CHECK(difference(both[{Slice(), Slice(0, 1)}], alone[{Slice(), Slice(0, 1)}]) < 1e-5);
  CHECK(difference(both[{Slice(), Slice(1, 2)}], padded[{Slice(), Slice(1, 2)}]) < 1e-5);
}

}  // namespace transformer_encoder_test
