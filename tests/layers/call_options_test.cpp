// What layers may be told besides their inputs, by Keras's names.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/all_close.h"
#include "support/matchers.h"

namespace call_options_test {

using namespace cornu;
using cornu::test::contains;
using namespace cornu::layers;

namespace {

Tensor numbers(const Shape& shape, int64_t seed) { return random::normal(shape, 0, 1, {}, seed); }

bool equal(const Tensor& a, const Tensor& b) { return ops::all(ops::equal(a, b)).item() != 0; }

}  // namespace

TEST_CASE("MultiHeadAttention is called with a query and a value, as in Keras") {
  const MultiHeadAttention attention({.num_heads = 2, .key_dim = 3});
  const Tensor q = numbers({2, 4, 8}, 1), v = numbers({2, 5, 8}, 2), k = numbers({2, 5, 8}, 3);
  const Tensor y = attention(q, v);
  CHECK(y.shape() == Shape{2, 4, 8});
  CHECK(equal(y, attention({q, v})));
  CHECK(attention(q, v).shape() == Shape{2, 4, 8});
  CHECK(equal(attention(q, v, {.key = k}), attention({q, v, k})));
  CHECK_FALSE(equal(attention(q, v, {.key = k}), y));

  CHECK(equal(attention(q, q, {.use_causal_mask = true}),
              attention({q, q}, {.extra = {{"use_causal_mask", true}}})));
  const auto both = attention(q, v, {.return_attention_scores = true});
  CHECK(test::all_close(both[0], y, 1e-5, 1e-6));
  CHECK(both[1].shape() == Shape{2, 2, 4, 5});

  const Tensor mask = ops::array({true, true, false, false, false});
  const Tensor masked = attention(q, v, {.value_mask = ops::broadcast_to(mask, {2, 5})});
  CHECK(equal(masked, attention(q, v.with_mask(ops::broadcast_to(mask, {2, 5})))));
  CHECK(equal(
      masked,
      attention(q, v, {.attention_mask = ops::broadcast_to(mask, {2, 4, 5}), .training = false})));
}

TEST_CASE("A layer hands its own call on to an attention") {
  class Block : public Layer {
   public:
    Tensor call(const Tensor& x, const Call& call) override { return attention(x, x, call); }
    MultiHeadAttention attention =
        track("attention", MultiHeadAttention({.num_heads = 1, .key_dim = 2}));
  };
  const auto block = make<Block>();
  const Tensor x = numbers({1, 3, 4}, 1);
  CHECK(equal(block(x, {.training = true}), block->attention(x, x)));
}

TEST_CASE("Attention without projections takes a key by name") {
  const Tensor q = numbers({2, 4, 3}, 1), v = numbers({2, 5, 3}, 2), k = numbers({2, 5, 3}, 3);
  const Attention attention;
  CHECK(equal(attention(q, v), attention({q, v})));
  CHECK(equal(attention(q, v, {.key = k}), attention({q, v, k})));
  const AdditiveAttention additive;
  CHECK(equal(additive(q, v, {.key = k}), additive({q, v, k})));
  CHECK_THROWS_WITH(attention(q, v, {.attention_mask = ops::ones({2, 4, 5})}),
                    contains("'attention_mask' is not known"));
  CHECK_THROWS_WITH(attention({q, v, k}, {.key = k}), contains("'key' is given twice"));
}

TEST_CASE("An attention in a graph keeps what it was told, in its file too") {
  const Input q({4, 3}), v({5, 3}), k({5, 3});
  const Attention plain;
  const MultiHeadAttention heads({.num_heads = 1, .key_dim = 2});
  const Tensor y = heads(plain(q, v, {.key = k}), v, {.use_causal_mask = true});
  Functional model({q, v, k}, y);
  const std::vector<Tensor> x = {numbers({2, 4, 3}, 1), numbers({2, 5, 3}, 2),
                                 numbers({2, 5, 3}, 3)};
  const Tensor expected = heads(plain(x[0], x[1], {.key = x[2]}), x[1], {.use_causal_mask = true});
  CHECK(equal(model(Nest(x)), expected));
  const auto copy = model_from_json(model.to_json());
  copy->set_weights(model.get_weights());
  CHECK(equal((*copy)(Nest(x)), expected));
}

TEST_CASE("Recurrent layers take their first states by name") {
  const Tensor x = numbers({2, 3, 4}, 1), h = numbers({2, 5}, 2), c = numbers({2, 5}, 3);
  const LSTM lstm({.units = 5});
  const Tensor y = lstm(x, {.initial_state = {h, c}});
  CHECK(equal(y, lstm({x, h, c})));
  CHECK_FALSE(equal(y, lstm(x)));
  CHECK(equal(y, lstm(x, {.initial_state = std::vector<Tensor>{h, c}, .training = false})));
  const GRU gru({.units = 5});
  CHECK(equal(gru(x, {.initial_state = h}), gru({x, h})));
  CHECK_THROWS_WITH(lstm(x, {.initial_state = h}), contains("expected 2 states"));

  const Bidirectional both({.layer = GRU({.units = 5})});
  CHECK(equal(both(x, {.initial_state = {h, c}}), both({x, h, c})));

  // A decoder goes on where an encoder ended.
  const LSTM encoder({.units = 5, .return_state = true});
  const Nest encoded = encoder(Nest(x));
  CHECK(equal(lstm(x, {.initial_state = {encoded[1], encoded[2]}}),
              lstm({x, encoded[1], encoded[2]})));
}

TEST_CASE("CategoryEncoding and ReversibleEmbedding take their arguments by name") {
  const CategoryEncoding counts({.num_tokens = 3, .output_mode = "count"});
  CHECK(equal(
      counts(Tensor::from({0, 2}, {1, 2}), {.count_weights = Tensor::from({2.0f, 0.5f}, {1, 2})}),
      Tensor::from({2.0f, 0.0f, 0.5f}, {1, 3})));
  const ReversibleEmbedding embedding({.input_dim = 4, .output_dim = 2});
  const Tensor vectors = embedding(ops::array({0, 3}));
  CHECK(embedding(vectors, {.reverse = true}).shape() == Shape{2, 4});
}

TEST_CASE("Lists in braces, and dtypes by name, wherever options take them") {
  const metrics::IoU iou({.num_classes = 2, .target_class_ids = {0}, .dtype = "float64"});
  CHECK(iou->dtype() == DType::float64);
  CHECK(ops::cast(ops::array({1.5f}), "int32").dtype() == DType::int32);
  CHECK(ops::zeros({2}, "int8").dtype() == DType::int8);
  CHECK(ops::full({2}, 1, std::string("float16")).dtype() == DType::float16);
  CHECK(Input({2}, {.dtype = "int64"}).dtype() == DType::int64);
  CHECK_THROWS_WITH(ops::cast(ops::array({1.5f}), "flaot32"), contains("float32"));
}

}  // namespace call_options_test
