// GroupQueryAttention.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/einsum.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/tensor/recorder.h>
#include <cornu/layers/attention/group_query_attention.h>
#include <cornu/layers/attention/multi_head_attention.h>

#include "../../catch.h"
#include "../../support/gradient_check.h"
#include "../../support/layer_check.h"

namespace group_query_attention_test {

using namespace cornu;
using test::check_layer;
using test::difference;

namespace {

Tensor floats(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

}  // namespace

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

}  // namespace group_query_attention_test
