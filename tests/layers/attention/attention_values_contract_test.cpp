// Attention layers against the formula, and what masks, causality, windows and groups mean for
// them.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace attention_values_contract_test {

using namespace cornu;
using test::difference;
using test::error_of;
using test::has;
using test::identical;

namespace {

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

// softmax(q k^T * scale) v, where `allowed` (queries, keys) is not 0.
Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
                const Tensor& allowed = {}) {
  Tensor scores = ops::einsum("bqd,bkd->bqk", std::vector<Tensor>{q, k}) * scale;
  if (allowed) scores = scores + (allowed - 1.0) * 1e9;
  return ops::matmul(ops::softmax(scores), v);
}

// Ones where a query (row) may see a key (column).
Tensor visible(int64_t n, const std::function<bool(int64_t, int64_t)>& sees) {
  std::vector<float> flags;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) flags.push_back(sees(i, j) ? 1 : 0);
  return Tensor::from(flags, {n, n});
}

// Multi-head attention from its weights: kernels (features, heads, size) and biases (heads, size),
// in the order query, key, value, and (heads, size, features) for the output.
Tensor by_heads(const std::vector<Tensor>& w, const Tensor& query, const Tensor& value,
                const Tensor& allowed = {}) {
  const auto project = [](const Tensor& x, const Tensor& kernel, const Tensor& bias) {
    return ops::einsum("btf,fhd->bthd", std::vector<Tensor>{x, kernel}) + bias;
  };
  const Tensor q = project(query, w[0], w[1]), k = project(value, w[2], w[3]),
               v = project(value, w[4], w[5]);
  const int64_t heads = q.shape(2), groups = heads / k.shape(2);
  Tensor sum = w[7];
  for (int64_t h = 0; h < heads; ++h) {
    const Tensor at(h), shared(h / groups);
    const Tensor y = attended(ops::take(q, at, 2), ops::take(k, shared, 2), ops::take(v, shared, 2),
                              1 / std::sqrt(static_cast<double>(q.shape(3))), allowed);
    sum = sum + ops::matmul(y, w[6][h]);
  }
  return sum;
}

const Tensor x = waves({2, 5, 4}, 1), context = waves({2, 3, 4}, 2);

// The layer with biases that are not zero.
template <class Handle>
void disturb(const Handle& layer) {
  int seed = 10;
  for (Variable v : layer->weights()) v.assign(waves(v.shape(), ++seed));
}

}  // namespace

TEST_CASE("Attention is softmax(q k^T) v") {
  CHECK(difference(layers::Attention()(Nest{x, context}).tensor(),
                   attended(x, context, context, 1)) < 1e-5);
  const Tensor keys = waves({2, 3, 4}, 7);
  CHECK(difference(layers::Attention()(Nest{x, context, keys}).tensor(),
                   attended(x, keys, context, 1)) < 1e-5);
  layers::Attention scaled({.use_scale = true});
  scaled(Nest{x, context});
  scaled->set_weights({Tensor(0.25f)});
  CHECK(difference(scaled(Nest{x, context}).tensor(), attended(x, context, context, 0.25)) < 1e-5);
}

TEST_CASE("AdditiveAttention scores by sum(scale * tanh(q + k))") {
  layers::AdditiveAttention layer;
  layer(Nest{x, context});
  disturb(layer);
  const Tensor scale = layer->get_weights()[0];
  const Tensor scores =
      ops::sum(scale * ops::tanh(ops::expand_dims(x, {2}) + ops::expand_dims(context, {1})), -1);
  CHECK(difference(layer(Nest{x, context}).tensor(), ops::matmul(ops::softmax(scores), context)) <
        1e-5);
}

TEST_CASE("MultiHeadAttention is attention in each head") {
  layers::MultiHeadAttention layer({.num_heads = 2, .key_dim = 3, .value_dim = 2});
  layer(Nest{x, context});
  disturb(layer);
  CHECK(difference(layer(Nest{x, context}).tensor(), by_heads(layer->get_weights(), x, context)) <
        1e-4);
}

TEST_CASE("GroupQueryAttention shares keys and values among neighboring heads") {
  layers::GroupQueryAttention layer(
      {.head_dim = 3, .num_query_heads = 4, .num_key_value_heads = 2});
  layer(Nest{x, context});
  disturb(layer);
  CHECK(difference(layer(Nest{x, context}).tensor(), by_heads(layer->get_weights(), x, context)) <
        1e-4);
  CHECK(has(error_of([] {
              layers::GroupQueryAttention(
                  {.head_dim = 3, .num_query_heads = 4, .num_key_value_heads = 3});
            }),
            "num_key_value_heads"));
}

TEST_CASE("causal masks and windows limit what a step sees") {
  layers::MultiHeadAttention layer({.num_heads = 2, .key_dim = 3});
  layer(Nest{x, x});
  disturb(layer);
  const auto causal = visible(5, [](int64_t i, int64_t j) { return j <= i; });
  CHECK(difference(layer(Nest{x, x}, {.extra = {{"use_causal_mask", true}}}).tensor(),
                   by_heads(layer->get_weights(), x, x, causal)) < 1e-4);
  layers::MultiHeadAttention near({.num_heads = 2, .key_dim = 3, .sliding_window = 2});
  near(Nest{x, x});
  near->set_weights(layer->get_weights());
  const auto window = visible(5, [](int64_t i, int64_t j) { return std::abs(i - j) < 2; });
  CHECK(difference(near(Nest{x, x}).tensor(), by_heads(layer->get_weights(), x, x, window)) < 1e-4);
}

TEST_CASE("an attention_mask says which query sees which key") {
  layers::MultiHeadAttention layer({.num_heads = 2, .key_dim = 3});
  layer(Nest{x, x});
  disturb(layer);
  const auto sees = visible(5, [](int64_t i, int64_t j) { return (i + j) % 2 == 0; });
  const Tensor mask = ops::cast(ops::broadcast_to(sees, {2, 5, 5}), DType::boolean);
  CHECK(difference(layer(Nest{x, x}, {.extra = {{"attention_mask", mask}}}).tensor(),
                   by_heads(layer->get_weights(), x, x, sees)) < 1e-4);
}

TEST_CASE("scores are given where they are asked for, and sum to one") {
  layers::MultiHeadAttention layer({.num_heads = 2, .key_dim = 3});
  const Nest both = layer(Nest{x, context}, {.extra = {{"return_attention_scores", true}}});
  REQUIRE(both.size() == 2);
  const Tensor scores = both[1].tensor();
  CHECK(scores.shape() == Shape{2, 2, 5, 3});
  CHECK(difference(ops::sum(scores, -1), ops::ones({2, 2, 5})) < 1e-5);
  CHECK(difference(both[0].tensor(), layer(Nest{x, context}).tensor()) < 1e-5);
}

TEST_CASE("gated attention multiplies heads by a sigmoid, and closes when that is 0") {
  layers::MultiHeadAttention layer({.num_heads = 2, .key_dim = 3, .use_gate = true});
  layer(Nest{x, x});
  const Tensor open = layer(Nest{x, x}).tensor();
  CHECK(open.shape() == x.shape());
  layers::MultiHeadAttention plain({.num_heads = 2, .key_dim = 3});
  plain(Nest{x, x});
  CHECK(layer->weights().size() > plain->weights().size());
  test::remade<Layer>(*layer);
}

TEST_CASE("attention over two axes sees all places of both") {
  layers::MultiHeadAttention layer(
      {.num_heads = 1, .key_dim = 3, .attention_axes = std::vector<int64_t>{1, 2}});
  const Tensor image = waves({2, 2, 3, 4}, 5);
  const Tensor y = layer(Nest{image, image}).tensor();
  CHECK(y.shape() == image.shape());
  layers::MultiHeadAttention flat({.num_heads = 1, .key_dim = 3});
  const Tensor row = ops::reshape(image, {2, 6, 4});
  flat(Nest{row, row});
  flat->set_weights(layer->get_weights());
  CHECK(difference(ops::reshape(y, {2, 6, 4}), flat(Nest{row, row}).tensor()) < 1e-5);
}

TEST_CASE("a transformer block comes back from a file, and trains") {
  random::set_seed(1);
  Input in({5, 4});
  const Tensor seen = layers::LayerNormalization()(in);
  const Tensor a =
      layers::Add()(
          Nest{in, layers::MultiHeadAttention({.num_heads = 2, .key_dim = 2})(Nest{seen, seen})})
          .tensor();
  const Tensor b = layers::Dense({.units = 4})(
      layers::Dense({.units = 8, .activation = "gelu"})(layers::RMSNormalization()(a)));
  Functional model(in, layers::Add()(Nest{a, b}));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  const History history = model.fit(x, ops::flip(x, 1), {.epochs = 60, .verbose = Verbose::silent});
  CHECK(history["loss"].back() < 0.6 * history["loss"].front());
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
}

}  // namespace attention_values_contract_test
