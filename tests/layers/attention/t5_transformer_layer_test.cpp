// T5TransformerLayer.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/attention/t5_transformer_layer.h>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"

namespace t5_transformer_layer_test {

using namespace cornu;
using layers::T5MultiHeadAttentionLayer;
using test::check_layer;
using test::difference;

TEST_CASE("T5's layers keep a layer's contract") {
  check_layer<layers::T5MultiHeadAttention>(
      {.is_decoder = false,
       .key_value_dim = 3,
       .num_heads = 2,
       .use_relative_attention_bias = true},
      {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 5});
  for (const bool gated : {false, true})
    check_layer<layers::T5TransformerLayer>(
        {.is_decoder = false,
         .intermediate_dim = 5,
         .key_value_dim = 3,
         .num_heads = 2,
         .activation = "tanh",
         .use_gated_activation = gated},
        {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = gated ? 9 : 8});
}

TEST_CASE("Near distances have numbers of their own, far ones share some") {
  for (int64_t distance = 0; distance < 8; ++distance) {
    CHECK(T5MultiHeadAttentionLayer::bucket(-distance, true) == distance);
    CHECK(T5MultiHeadAttentionLayer::bucket(distance, true) == (distance ? 16 + distance : 0));
    CHECK(T5MultiHeadAttentionLayer::bucket(-distance, false) == distance);
    CHECK(T5MultiHeadAttentionLayer::bucket(distance, false) == 0);
  }
  CHECK(T5MultiHeadAttentionLayer::bucket(-16, true) == 10);
  CHECK(T5MultiHeadAttentionLayer::bucket(32, true) == 28);
  CHECK(T5MultiHeadAttentionLayer::bucket(-1000, true) == 15);
  CHECK(T5MultiHeadAttentionLayer::bucket(-1000, false) == 31);
}

TEST_CASE("A decoder's block sees none behind it, and what the encoder gave but its padding") {
  const layers::T5TransformerLayer block({.is_decoder = true,
                                          .intermediate_dim = 5,
                                          .key_value_dim = 3,
                                          .num_heads = 2,
                                          .use_relative_attention_bias = true});
  const Tensor x = random::uniform({1, 4, 6}, -1, 1, 3),
               encoded = random::uniform({1, 3, 6}, -1, 1, 4);
  const auto run = [&](const Tensor& x, const Tensor& encoded, Value::Dict more = {}) {
    more.emplace_back("encoder_hidden_states", encoded);
    return block(Nest(x), {.extra = more});
  };
  const Nest whole = run(x, encoded);
  CHECK(whole[1].shape() == Shape{1, 2, 4, 4});
  const Tensor part = x[{Slice(), Slice(0, 2)}];
  CHECK(difference(run(part, encoded)[0].tensor(), whole[0].tensor()[{Slice(), Slice(0, 2)}]) <
        1e-5);
  const Tensor padding = Tensor::from<int32_t>({1, 1, 0}, {1, 3});
  const Tensor padded = run(x, encoded, {{"encoder_padding_mask", padding}})[0];
  CHECK(difference(padded, run(x, encoded[{Slice(), Slice(0, 2)}])[0].tensor()) < 1e-5);
  CHECK(difference(padded, whole[0].tensor()) > 1e-4);
  CHECK_THROWS_WITH(block(Nest(x)), test::contains("'encoder_hidden_states'"));
  CHECK_THROWS_AS(
      layers::T5MultiHeadAttention({.is_decoder = true, .key_value_dim = 3, .num_heads = 2})
          ->bias_of(2, 2),
      StateError);
}

}  // namespace t5_transformer_layer_test
