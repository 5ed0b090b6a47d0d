// GroupQueryAttention, Attention and AdditiveAttention, and how many kernels projections take.
#include <cornu/framework/tensor/recorder.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/creation.h>
#include <cornu/framework/ops/einsum.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/reduction.h>
#include <cornu/layers/attention/additive_attention.h>
#include <cornu/layers/attention/attention.h>
#include <cornu/layers/attention/group_query_attention.h>
#include <cornu/layers/attention/multi_head_attention.h>

#include "../catch.h"
#include "../support/gradient_check.h"
#include "../support/layer_check.h"

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

TEST_CASE("GroupQueryAttention keeps a layer's contract") {
  check_layer<layers::GroupQueryAttention>(
      {.head_dim = 2, .num_query_heads = 4, .num_key_value_heads = 2},
      {.inputs = {{2, 3, 4}, {2, 2, 3}}, .output = {2, 3, 4}, .weights = 8});
  check_layer<layers::GroupQueryAttention>(
      {.head_dim = 2,
       .num_query_heads = 2,
       .num_key_value_heads = 1,
       .use_bias = false,
       .use_gate = true},
      {.inputs = {{2, 3, 4}, {2, 2, 3}, {2, 2, 2}}, .output = {2, 3, 4}, .weights = 5});
  CHECK_THROWS_AS(
      layers::GroupQueryAttention({.head_dim = 2, .num_query_heads = 3, .num_key_value_heads = 2}),
      ValueError);
}

TEST_CASE("GroupQueryAttention regularizes each of its results") {
  const layers::GroupQueryAttention attention({.head_dim = 2,
                                               .num_query_heads = 1,
                                               .num_key_value_heads = 1,
                                               .activity_regularizer = "l2"});
  const Tensor x = ops::ones({2, 3, 4});
  attention({x, x});
  CHECK(attention->losses().size() == 5);
  attention->clear_losses();
  attention({x, x}, Call{.extra = {{"return_attention_scores", true}}});
  CHECK(attention->losses().size() == 6);
}

TEST_CASE("GroupQueryAttention with as many heads is MultiHeadAttention") {
  const Tensor q = floats({2, 5, 8}), v = floats({2, 7, 8}, 2);
  layers::MultiHeadAttention one({.num_heads = 2, .key_dim = 4});
  layers::GroupQueryAttention other(
      {.head_dim = 4, .num_query_heads = 2, .num_key_value_heads = 2});
  one({q, v});
  other({q, v});
  other->set_weights(one->get_weights());
  for (bool scores : {false, true}) {
    const Call call{.extra = {{"use_causal_mask", true}, {"return_attention_scores", scores}}};
    const Nest a = one({q, v}, call), b = other({q, v}, call);
    CHECK(difference(a.flatten()[0], b.flatten()[0]) < 1e-6);
    if (scores) CHECK(difference(a.flatten()[1], b.flatten()[1]) < 1e-6);
  }
}

TEST_CASE("Attention and AdditiveAttention keep a layer's contract") {
  check_layer<layers::Attention>({}, {.inputs = {{2, 3, 4}, {2, 5, 4}}, .output = {2, 3, 4}});
  check_layer<layers::Attention>(
      {.use_scale = true, .score_mode = "concat"},
      {.inputs = {{2, 3, 4}, {2, 5, 2}, {2, 5, 4}}, .output = {2, 3, 2}, .weights = 2});
  check_layer<layers::AdditiveAttention>(
      {}, {.inputs = {{2, 3, 4}, {2, 5, 4}}, .output = {2, 3, 4}, .weights = 1});
  CHECK_THROWS_AS(layers::Attention({.score_mode = "sum"}), ValueError);
  CHECK_THROWS_AS(layers::Attention()(floats({2, 3, 4})), ShapeError);
}

TEST_CASE("Attention computes the same with and without scores, and hides what is masked") {
  Tensor q = floats({2, 4, 3}), v = floats({2, 5, 3}, 2);
  layers::Attention attention({.use_scale = true});
  for (bool causal : {false, true}) {
    const Nest both =
        attention(Nest{q, v},
                  Call{.extra = {{"use_causal_mask", causal}, {"return_attention_scores", true}}});
    const Tensor one = attention(Nest{q, v}, Call{.extra = {{"use_causal_mask", causal}}}).tensor();
    CHECK(difference(one, both[0].tensor()) < 1e-6);
    CHECK(both[1].tensor().shape() == Shape{2, 4, 5});
    CHECK(difference(ops::sum(both[1].tensor(), -1),
                     ops::sum(both[1].tensor(), -1) * Tensor(0.0) + Tensor(1.0)) < 1e-6);
  }
  q.set_mask(ops::cast(Tensor::from({1, 0, 1, 1, 1, 1, 1, 1}, {2, 4}), DType::boolean));
  v.set_mask(ops::cast(Tensor::from({1, 1, 0, 0, 0, 1, 1, 1, 1, 1}, {2, 5}), DType::boolean));
  const Nest y = attention(Nest{q, v}, Call{.extra = {{"return_attention_scores", true}}});
  const auto out = y[0].tensor().to_vector<float>(), shares = y[1].tensor().to_vector<float>();
  CHECK(out[3] == 0);  // the second query of the first sample
  CHECK(shares[2] == 0);
  CHECK(y[0].tensor().mask());
  CHECK_THROWS_AS(attention(Nest{q, v}, Call{.extra = {{"use_causal_masks", true}}}), ValueError);
}
