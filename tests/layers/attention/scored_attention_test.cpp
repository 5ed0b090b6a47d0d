// Attention and AdditiveAttention.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/einsum.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/tensor/recorder.h>
#include <cornu/layers/attention/additive_attention.h>
#include <cornu/layers/attention/attention.h>

#include "../../catch.h"
#include "../../support/gradient_check.h"
#include "../../support/layer_check.h"

namespace scored_attention_test {

using namespace cornu;
using test::check_layer;
using test::difference;

namespace {

Tensor floats(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

}  // namespace

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

TEMPLATE_TEST_CASE("masks of query and value are given as a list", "", layers::Attention,
                   layers::AdditiveAttention) {
  const Tensor q = floats({2, 4, 3}), v = floats({2, 5, 3}, 2);
  const auto mask = [](std::initializer_list<int> real, const Shape& shape) {
    return ops::cast(Tensor::from(real, shape), DType::boolean);
  };
  const Tensor of_q = mask({1, 0, 1, 1, 1, 1, 1, 1}, {2, 4}),
               of_v = mask({1, 1, 0, 0, 0, 1, 1, 1, 1, 1}, {2, 5});
  TestType attention;
  const Tensor expected = attention(Nest{q.with_mask(of_q), v.with_mask(of_v)}).tensor();
  const Tensor y = attention(Nest{q, v}, {.masks = {of_q, of_v}}).tensor();
  CHECK(y.to_vector<float>() == expected.to_vector<float>());
  CHECK(y.mask().to_vector<int32_t>() == of_q.to_vector<int32_t>());
  CHECK(attention(q, v, {.masks = {of_q, of_v}}).tensor().template to_vector<float>() ==
        expected.to_vector<float>());
  CHECK(attention(Nest{q, v}, {.masks = {{}, of_v}}).tensor().template to_vector<float>() ==
        attention(Nest{q, v.with_mask(of_v)}).tensor().template to_vector<float>());

  const Input a({4, 3}), b({5, 3}), m({4}, {.dtype = "bool"}), n({5}, {.dtype = "bool"});
  Functional model({a, b, m, n}, attention({a, b}, {.masks = {m, n}}));
  CHECK(model({q, v, of_q, of_v}).tensor().template to_vector<float>() ==
        expected.to_vector<float>());
}

}  // namespace scored_attention_test
