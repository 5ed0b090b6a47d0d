// TransformerDecoder.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/attention/transformer_decoder.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace transformer_decoder_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("TransformerDecoder keeps a layer's contract") {
  for (const bool first : {false, true})
    check_layer<layers::TransformerDecoder>(
        {.intermediate_dim = 5, .num_heads = 2, .activation = "tanh", .normalize_first = first},
        {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 16});
  CHECK_THROWS_AS(
      layers::TransformerDecoder({.intermediate_dim = 5, .num_heads = 3})(ops::zeros({2, 3, 4})),
      ValueError);
}

TEST_CASE("A step of TransformerDecoder sees none behind it, and no padding") {
  const layers::TransformerDecoder decoder({.intermediate_dim = 5, .num_heads = 2});
  const Tensor x = random::uniform({1, 4, 6}, -1, 1, 3);
  const Tensor part = ops::slice(x, Tensor::from<int32_t>({0, 0, 0}, {3}), {1, 2, 6});
  const Tensor whole = decoder(x);
  auto first_two = [](const Tensor& y) {
    return ops::slice(y, Tensor::from<int32_t>({0, 0, 0}, {3}), {1, 2, 6});
  };
  CHECK(ops::max(ops::abs(first_two(whole) - decoder(part))).item() < 1e-5);
  const Tensor padding = Tensor::from<int32_t>({1, 1, 0, 0}, {1, 4});
  const Tensor padded = decoder(x, {.extra = {{"decoder_padding_mask", padding}}});
  CHECK(ops::max(ops::abs(first_two(padded) - first_two(whole))).item() < 1e-5);
  CHECK(ops::max(ops::abs(padded - whole)).item() > 1e-4);
}

}  // namespace transformer_decoder_test
