// LlamaTransformerDecoder.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/attention/llama_transformer_decoder.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace llama_transformer_decoder_test {

using namespace cornu;
using test::check_layer;
using test::difference;

namespace {

Tensor steps(const Tensor& x, int begin, int count) {
  return ops::slice(x, Tensor::from<int32_t>({0, begin, 0}, {3}), {1, count, x.shape().back()});
}

}  // namespace

TEST_CASE("LlamaTransformerDecoder keeps a layer's contract") {
  check_layer<layers::LlamaTransformerDecoder>(
      {.intermediate_dim = 5, .num_query_heads = 4, .num_key_value_heads = 2},
      {.input = {2, 3, 8}, .output = {2, 3, 8}, .weights = 9});
  check_layer<layers::LlamaTransformerDecoder>(
      {.intermediate_dim = 5,
       .num_query_heads = 2,
       .num_key_value_heads = 1,
       .activation = "tanh",
       .head_dim = 4,
       .sliding_window = 2},
      {.input = {2, 4, 6}, .output = {2, 4, 6}, .weights = 9});
}

TEST_CASE("A step of LlamaTransformerDecoder sees none behind it, no padding, and its window") {
  const layers::LlamaTransformerDecoder decoder(
      {.intermediate_dim = 5, .num_query_heads = 2, .num_key_value_heads = 2, .sliding_window = 2});
  const Tensor x = random::uniform({1, 4, 8}, -1, 1, 3);
  const Tensor whole = decoder(x);
  CHECK(difference(steps(whole, 0, 2), decoder(steps(x, 0, 2))) < 1e-5);
  // The angles of the third and fourth differ as much as those of the first two.
  CHECK(difference(steps(whole, 3, 1), steps(decoder(steps(x, 2, 2)), 1, 1)) < 1e-5);
  const Tensor padding = Tensor::from<int32_t>({1, 1, 0, 1}, {1, 4});
  const Tensor padded = decoder(x, {.extra = {{"decoder_padding_mask", padding}}});
  CHECK(difference(steps(padded, 0, 2), steps(whole, 0, 2)) < 1e-5);
  CHECK(difference(steps(padded, 3, 1), steps(whole, 3, 1)) > 1e-4);
}

TEST_CASE("LlamaTransformerDecoder gives with a cache what it gives without") {
  const layers::LlamaTransformerDecoder decoder(
      {.intermediate_dim = 5, .num_query_heads = 2, .num_key_value_heads = 1, .sliding_window = 3});
  CHECK_THROWS_AS(decoder->make_cache(1, 6), StateError);
  const Tensor x = random::uniform({2, 6, 8}, -1, 1, 3);
  const Tensor whole = decoder(x);
  auto cache = decoder->make_cache(2, 6);
  const std::vector<Tensor> parts = ops::split(x, 3, 1);
  std::vector<Tensor> found;
  for (int i = 0; i < 3; ++i)
    found.push_back(decoder->call_with_cache(parts[static_cast<size_t>(i)], cache, Tensor(2 * i)));
  CHECK(difference(ops::concatenate(found, 1), whole) < 1e-5);
}

}  // namespace llama_transformer_decoder_test
