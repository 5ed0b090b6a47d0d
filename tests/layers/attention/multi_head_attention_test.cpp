// MultiHeadAttention, and the operation that it rests on.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/nn/attention.h>
#include <cornu/framework/ops/numpy/einsum.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/tensor/recorder.h>
#include <cornu/layers/attention/multi_head_attention.h>

#include "../../catch.h"
#include "../../support/gradient_check.h"
#include "../../support/layer_check.h"
#include "../../support/recorded.h"

namespace multi_head_attention_test {

using namespace cornu;
using test::check_layer;
using test::difference;

namespace {

Tensor floats(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

// The names of the kernels that run while it lives.
class KernelNames : public Recorder {
 public:
  KernelNames() { graph_context().recorders.push_back(this); }
  ~KernelNames() override { graph_context().recorders.pop_back(); }
  void record(const Step& step) override {
    if (step.kernel) names += std::string(names.empty() ? "" : " ") + kernel_name(*step.kernel);
  }
  std::string names;
};

template <class F>
std::string kernels_of(F&& f) {
  KernelNames seen;
  f();
  return seen.names;
}

}  // namespace

TEST_CASE("MultiHeadAttention computes what Keras computes") { test::check_recorded("attention"); }

TEST_CASE("MultiHeadAttention keeps a layer's contract") {
  check_layer<layers::MultiHeadAttention>(
      {.num_heads = 2, .key_dim = 2},
      {.inputs = {{2, 3, 4}, {2, 2, 3}}, .output = {2, 3, 4}, .weights = 8});
  check_layer<layers::MultiHeadAttention>(
      {.num_heads = 1, .key_dim = 2, .value_dim = 3, .use_bias = false, .output_shape = Shape{2}},
      {.inputs = {{2, 3, 2}, {2, 2, 3}, {2, 2, 2}}, .output = {2, 3, 2}, .weights = 4});
}

TEST_CASE("MultiHeadAttention tracks its layers as Keras does") {
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 3});
  attention({floats({2, 3, 4}), floats({2, 5, 6})});
  std::string attributes, names;
  for (const auto& t : attention->tracked()) {
    attributes += t.attribute + " ";
    names += t.layers[0]->name() + " ";
  }
  CHECK(attributes == "query_dense key_dense value_dense _softmax _dropout_layer output_dense ");
  CHECK(names == "query key value softmax dropout attention_output ");
  CHECK(attention->query_dense->kernel.shape() == Shape{4, 2, 3});
  CHECK(attention->key_dense->kernel.shape() == Shape{6, 2, 3});
  CHECK(attention->key_dense->bias.shape() == Shape{2, 3});
  CHECK(attention->output_dense->kernel.shape() == Shape{2, 3, 4});
  CHECK(attention->output_dense->bias.shape() == Shape{4});
  // Without a seed each draws values of its own.
  CHECK(difference(attention->key_dense->kernel.value(), attention->value_dense->kernel.value()) >
        0);
  CHECK(attention->config.attention_axes == std::vector<int64_t>{1});
}

TEST_CASE("MultiHeadAttention takes its inputs in a list or by name") {
  const Tensor q = floats({2, 3, 4}), v = floats({2, 5, 4}, 2), k = floats({2, 5, 4}, 3);
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 2});
  const Tensor expected = attention({q, v, k});
  CHECK(difference(attention(q, Call{.extra = {{"value", v}, {"key", k}}}), expected) == 0);
  CHECK(difference(attention({q, v}, Call{.extra = {{"key", k}}}), expected) == 0);
  CHECK(difference(attention({q, v}), attention({q, v, v})) == 0);
  CHECK(difference(attention(q), attention({q, q})) == 0);
  CHECK_THROWS_AS(attention(q, Call{.extra = {{"key", k}}}), ValueError);
  CHECK_THROWS_AS(attention({q, v}, Call{.extra = {{"value", v}}}), ValueError);
}

TEST_CASE("MultiHeadAttention in a graph has arguments of its own") {
  const Tensor q = Input({3, 4}), v = Input({std::nullopt, 6});
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 2});
  const Nest y = attention({q, v}, Call{.extra = {{"return_attention_scores", true}}});
  REQUIRE(y.size() == 2);
  CHECK(y[0].tensor().shape() == Shape{std::nullopt, 3, 4});
  CHECK(y[1].tensor().shape() == Shape{std::nullopt, 2, 3, std::nullopt});
  const Arguments& arguments = y[0].tensor().origin().node->arguments;
  CHECK(arguments.positional.size() == 1);
  CHECK(detail::find(arguments.named, "value"));

  Functional model(Nest{q, v}, y[0]);
  const Tensor a = floats({2, 3, 4}), b = floats({2, 5, 6}, 2);
  const Tensor expected = attention({a, b});
  CHECK(difference(model(Nest{a, b}).tensor(), expected) < 1e-6);
  const auto copy = std::dynamic_pointer_cast<Functional>(deserialize(serialize(model)));
  REQUIRE(copy);
  copy->set_weights(model.get_weights());
  CHECK(difference((*copy)(Nest{a, b}).tensor(), expected) < 1e-6);
}

TEST_CASE("MultiHeadAttention reads what Keras writes of its build") {
  const layers::MultiHeadAttentionConfig config{.num_heads = 2, .key_dim = 2};
  layers::MultiHeadAttention attention(config), copy(config);
  attention({floats({2, 3, 4}), floats({2, 5, 6})});
  copy->build_from_config(attention->get_build_config());
  CHECK(copy->built());
  CHECK(copy->value_dense->kernel.shape() == Shape{6, 2, 2});
}

TEST_CASE("MultiHeadAttention hands on the query's mask, and leaves the caller's") {
  Tensor q = floats({1, 3, 4}), v = floats({1, 2, 4}, 2);
  const Tensor mask = ops::cast(Tensor::from({1, 0, 1}, {1, 3}), DType::boolean);
  layers::MultiHeadAttention attention({.num_heads = 1, .key_dim = 2});
  v.set_mask(ops::cast(Tensor::from({1, 0}, {1, 2}), DType::boolean));
  CHECK(!attention({q, v}).tensor().mask());
  q.set_mask(mask);
  const Tensor y = attention({q, v});
  REQUIRE(y.mask());
  CHECK(difference(ops::cast(y.mask(), DType::int32), ops::cast(mask, DType::int32)) == 0);
  CHECK(q.mask());
  // A mask that an input carries is as good as one given by name.
  const Tensor bare = floats({1, 2, 4}, 2);
  CHECK(difference(attention({q, bare}, Call{.extra = {{"value_mask", v.mask()}}}), y) == 0);
  CHECK(difference(attention({q, bare}), y) > 0);
}

TEST_CASE("MultiHeadAttention hides the queries that their own mask hides") {
  const layers::MultiHeadAttention attention(
      {.num_heads = 1, .key_dim = 1, .kernel_initializer = "ones"});
  Tensor q = Tensor::from({1.0f, 2.0f}, {1, 2, 1});
  const Tensor v = Tensor::from({1.0f, 3.0f, -1.0f}, {1, 3, 1});
  const Tensor mask = ops::cast(Tensor::from({1, 0}, {1, 2}), DType::boolean);
  const Tensor open = Tensor::from({2.7018743f, 2.962722f}, {1, 2, 1});
  CHECK(difference(attention({q, v}), open) < 1e-5);
  const Tensor named = attention({q, v}, Call{.extra = {{"query_mask", mask}}});
  CHECK(difference(named, open) < 1e-5);
  CHECK(!named.mask());
  q.set_mask(mask);
  CHECK(difference(attention({q, v}), Tensor::from({2.7018743f, 1.0f}, {1, 2, 1})) < 1e-5);
}

TEST_CASE("MultiHeadAttention regularizes what its projections give") {
  const layers::MultiHeadAttention attention(
      {.num_heads = 1, .key_dim = 2, .activity_regularizer = "l2"});
  attention({floats({2, 3, 4}), floats({2, 3, 4})});
  CHECK(attention->losses().size() == 4);
}

TEST_CASE("MultiHeadAttention says what is wrong") {
  CHECK_THROWS_AS(layers::MultiHeadAttention({.num_heads = 0, .key_dim = 2}), ValueError);
  layers::MultiHeadAttention attention({.num_heads = 1, .key_dim = 2});
  CHECK_THROWS_AS(attention({floats({2, 3, 4}), floats({2, 5, 4}), floats({2, 4, 4})}), ShapeError);
  const Tensor x = floats({2, 3, 4});
  CHECK_THROWS_AS(attention({x, x}, Call{.extra = {{"causal", true}}}), ValueError);
  CHECK_THROWS_AS(
      attention({x, floats({2, 3, 5})}, Call{.extra = {{"use_causal_mask", true}}}).tensor() +
          attention({x, x}).tensor(),
      ShapeError);
}

TEST_CASE("dot_product_attention is part of a graph") {
  const Tensor q = Input({3, 2, 4}), k = Input({5, 2, 4});
  const Tensor y = ops::dot_product_attention(q, k, k, {.scale = 0.3, .is_causal = true});
  Functional model(Nest{q, k}, y);
  const auto copy = std::dynamic_pointer_cast<Functional>(deserialize(serialize(model)));
  REQUIRE(copy);
  const Tensor a = floats({1, 3, 2, 4}), b = floats({1, 5, 2, 4}, 2);
  const Tensor expected = ops::dot_product_attention(a, b, b, {.scale = 0.3, .is_causal = true});
  CHECK(difference(model(Nest{a, b}).tensor(), expected) < 1e-6);
  CHECK(difference((*copy)(Nest{a, b}).tensor(), expected) < 1e-6);
}

TEST_CASE("dot_product_attention shares the heads of keys and values") {
  const Tensor q = test::noise({1, 3, 4, 2}), k = test::noise({1, 2, 2, 2}, -1, 1, 2);
  const Tensor v = test::noise({1, 2, 2, 3}, -1, 1, 3);
  const Tensor expected = ops::dot_product_attention(q, ops::repeat(k, 2, 2), ops::repeat(v, 2, 2));
  CHECK(difference(ops::dot_product_attention(q, k, v), expected) < 1e-12);
  const auto f = [&](const std::vector<Tensor>& x) {
    return ops::dot_product_attention(x[0], x[1], x[2], {.is_causal = true});
  };
  CHECK(test::gradient_error(f, {q, k, v}) < 1e-6);
  CHECK_THROWS_AS(ops::dot_product_attention(q, k, test::noise({1, 3, 2, 3})), ShapeError);
}

TEST_CASE("projections onto heads and back are one product, and so are their gradients") {
  struct Case {
    const char* equation;
    Shape input, output, kernel;
  };
  for (const Case& c : {Case{"abc,cde->abde", {2, 3, 8}, {3, 2, 4}, {8, 2, 4}},
                        Case{"abcd,cde->abe", {2, 3, 2, 4}, {3, 8}, {2, 4, 8}},
                        Case{"abc,cd->abd", {2, 3, 8}, {3, 5}, {8, 5}}}) {
    INFO(c.equation);
    const Tensor x = floats(c.input), w = floats(c.kernel, 2);
    Tensor y;
    std::vector<Tensor> gradients;
    GradientTape tape;
    tape.watch(x);
    tape.watch(w);
    CHECK(kernels_of([&] { y = ops::einsum(c.equation, {x, w}); }) == "matmul");
    const Tensor dy = floats(y.shape(), 3);
    CHECK(kernels_of([&] { gradients = tape.gradient(y, {x, w}, dy); }) == "matmul matmul");
    CHECK(gradients[0].shape() == c.input);
    CHECK(gradients[1].shape() == c.kernel);

    layers::EinsumDense dense(
        {.equation = c.equation,
         .output_shape = c.output,
         .bias_axes = c.output.rank() == 3
                          ? "de"
                          : std::string(1, c.equation[std::string(c.equation).size() - 1])});
    dense->ensure_built(x);
    GradientTape again;
    again.watch(x);
    CHECK(kernels_of([&] { y = dense(x); }) == "matmul");
    CHECK(kernels_of([&] {
            again.gradient(y, {x, dense->kernel.value(), dense->bias.value()}, dy);
          }) == "matmul matmul reduce");
  }
}

TEST_CASE("MultiHeadAttention is four products and one kernel") {
  const Tensor x = floats({2, 5, 8});
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 4});
  attention(x);
  const Call causal{.extra = {{"use_causal_mask", true}}};
  CHECK(kernels_of([&] { attention(x, causal); }) == "matmul matmul matmul attention matmul");
}

TEST_CASE("MultiHeadAttention computes the same with and without scores") {
  const Tensor q = floats({2, 5, 8}), v = floats({2, 7, 8}, 2);
  for (bool causal : {false, true})
    for (double dropout : {0.0, 0.5}) {
      layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 4, .dropout = dropout});
      attention({q, v});
      auto run = [&](bool scores) {
        GradientTape tape;
        tape.watch(q);
        tape.watch(v);
        const Nest y = attention({q, v}, Call{.training = false,
                                              .extra = {{"use_causal_mask", causal},
                                                        {"return_attention_scores", scores}}});
        const Tensor out = y.flatten()[0];
        std::vector<Tensor> all = tape.gradient(out, {q, v, attention->key_dense->kernel.value()},
                                                floats(out.shape(), 3));
        all.push_back(out);
        return all;
      };
      const auto kernel = run(false), formula = run(true);
      for (size_t i = 0; i < kernel.size(); ++i) CHECK(difference(kernel[i], formula[i]) < 1e-5);
    }
}

TEST_CASE("Attention speaks of its own inputs where their batches or steps differ") {
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 3, .name = "mha"});
  CHECK_THROWS_WITH(attention({floats({1, 3, 4}), floats({2, 5, 4})}),
                    "Layer 'mha' (MultiHeadAttention): expected query (batch, t, features), value "
                    "(batch, s, features) and key (batch, s, features) with one size of batch, "
                    "found query (1, 3, 4), value (2, 5, 4) and key (2, 5, 4).");
}

TEST_CASE("A config of attention whose initializers are null is that of the defaults") {
  const auto layer = layers::MultiHeadAttentionLayer::from_config({{"num_heads", 2},
                                                                   {"key_dim", 3},
                                                                   {"kernel_initializer", Value()},
                                                                   {"bias_initializer", Value()}});
  const Tensor x = floats({2, 5, 4});
  const Tensor y = (*layer)(Nest{x, x}).tensor();
  CHECK(y.shape() == x.shape());
  CHECK(ops::amax(ops::abs(y)).item() > 0);
}

TEST_CASE("MultiHeadAttention takes no masks as a list") {
  const Tensor q = floats({2, 4, 8}), mask = ops::cast(Tensor::from({1, 0, 1, 1}, {1, 4}), "bool");
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 4});
  CHECK_THROWS_WITH(attention(q, q, {.masks = {mask, mask}}),
                    Catch::Contains("takes no list of masks") && Catch::Contains("value_mask"));
  const Input x({4, 8}), m({4}, {.dtype = "bool"});
  CHECK_THROWS_AS(attention(x, x, {.masks = {m, m}}), ValueError);
}

TEST_CASE("MultiHeadAttention is unpacked with a query and a value") {
  const Tensor q = floats({2, 4, 8}), v = floats({2, 5, 8}, 2);
  layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 4});
  const auto [y, scores] = attention.unpack<2>(q, v, {.return_attention_scores = true});
  CHECK(scores.shape() == Shape{2, 2, 4, 5});
  CHECK(difference(y, attention(q, v).tensor()) < 1e-5);
  const auto [listed, same] = attention.unpack<2>({q, v}, {.return_attention_scores = true});
  CHECK(difference(scores, same) == 0);
  CHECK(difference(y, listed) == 0);
}

}  // namespace multi_head_attention_test
