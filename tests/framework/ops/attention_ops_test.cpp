// The Attention kernel against the formula composed of other operations.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/nn/attention.h>
#include <cornu/framework/ops/nn/flash_attention.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include <cmath>
#include <cstring>

#include "../../catch.h"
#include "../../support/gradient_check.h"
#include "../../support/layer_check.h"

namespace attention_ops_test {

using namespace cornu;
using test::difference;

namespace {

struct Sizes {
  int64_t batch, queries, keys, heads, depth;
};

struct Inputs {
  Tensor q, k, v, dy;
};

Inputs inputs_of(const Sizes& s, DType dtype) {
  auto make = [&](int64_t steps, int seed) {
    return ops::cast(test::noise({s.batch, steps, s.heads, s.depth}, -2, 2, seed), dtype);
  };
  return {make(s.queries, 1), make(s.keys, 2), make(s.keys, 3), make(s.queries, 4)};
}

// y, dq, dk and dv.
std::vector<Tensor> by_kernel(const Inputs& x, const Tensor& mask, double scale, bool causal) {
  GradientTape tape;
  for (const Tensor& t : {x.q, x.k, x.v}) tape.watch(t);
  ops::AttentionOptions options{.scale = scale, .is_causal = causal};
  if (mask) (mask.dtype() == DType::boolean ? options.mask : options.bias) = mask;
  const Tensor y = ops::dot_product_attention(x.q, x.k, x.v, options);
  std::vector<Tensor> all = tape.gradient(y, {x.q, x.k, x.v}, x.dy);
  all.insert(all.begin(), y);
  return all;
}

std::vector<Tensor> by_formula(const Inputs& x, const Tensor& mask, double scale, bool causal) {
  GradientTape tape;
  for (const Tensor& t : {x.q, x.k, x.v}) tape.watch(t);
  const Tensor y = detail::compose_attention(x.q, x.k, x.v, mask, scale, causal).y;
  std::vector<Tensor> all = tape.gradient(y, {x.q, x.k, x.v}, x.dy);
  all.insert(all.begin(), y);
  return all;
}

Tensor coins(const Shape& shape, double share, int seed = 7) {
  return test::noise(shape, 0, 1, seed) < Tensor(share);
}

void compare(const Sizes& s, DType dtype, const Tensor& mask, bool causal, double tolerance) {
  INFO("batch " << s.batch << ", queries " << s.queries << ", keys " << s.keys << ", heads "
                << s.heads << ", depth " << s.depth << ", causal " << causal << ", "
                << dtype_name(dtype));
  const Inputs x = inputs_of(s, dtype);
  const auto found = by_kernel(x, mask, 0.3, causal), expected = by_formula(x, mask, 0.3, causal);
  for (size_t i = 0; i < 4; ++i) {
    INFO("y, dq, dk, dv: number " << i);
    CHECK(difference(found[i], expected[i]) < tolerance);
  }
}

}  // namespace

TEST_CASE("the attention kernel computes the formula and its gradient") {
  for (const Sizes& s :
       {Sizes{1, 1, 1, 1, 1}, Sizes{2, 3, 5, 2, 4}, Sizes{1, 7, 3, 3, 5}, Sizes{2, 49, 97, 2, 33},
        Sizes{1, 128, 128, 4, 64}, Sizes{1, 50, 600, 1, 8}, Sizes{1, 530, 530, 1, 16},
        Sizes{2, 1, 300, 20, 24}, Sizes{1, 2, 257, 17, 5}})
    for (bool causal : {false, true}) {
      compare(s, DType::float64, {}, causal, 1e-12);
      compare(s, DType::float32, {}, causal, 2e-5);
    }
}

TEST_CASE("weights of large scores are the same forwards and backwards") {
  for (const int64_t queries : {1, 3, 4, 50}) {
    Inputs x = inputs_of({1, queries, 20, 2, 37}, DType::float32);
    x.q = x.q * Tensor(1e3f);
    const auto found = by_kernel(x, {}, 10, false);
    INFO(queries << " queries");
    // Each query sees one key alone, so that nothing depends on it; rounding of scores of 1e5 would
    // make gradients as large.
    CHECK(difference(found[1], ops::zeros_like(x.q)) < 1);
  }
}

TEST_CASE("the attention kernel takes masks that broadcast") {
  const Sizes s{2, 20, 300, 3, 4};
  for (const Shape& shape : {Shape{2, 3, 20, 300}, Shape{2, 1, 1, 300}, Shape{20, 300},
                             Shape{1, 3, 20, 1}, Shape{3, 1, 1}, Shape{300}})
    for (bool causal : {false, true}) {
      INFO("mask " << shape.str());
      compare(s, DType::float64, coins(shape, 0.6), causal, 1e-12);
      compare(s, DType::float32, coins(shape, 0.6), causal, 2e-5);
      compare(s, DType::float64, test::noise(shape, -3, 3, 8), causal, 1e-12);
      // A few keys, in some rows none.
      compare(s, DType::float64, coins(shape, 0.004), causal, 1e-12);
    }
  // One query of many heads, as with a cache of keys.
  const Sizes one{2, 1, 300, 20, 24};
  for (const Shape& shape : {Shape{2, 20, 1, 300}, Shape{2, 1, 1, 300}, Shape{300}}) {
    INFO("mask " << shape.str());
    compare(one, DType::float64, coins(shape, 0.6), false, 1e-12);
    compare(one, DType::float64, coins(shape, 0.004), false, 1e-12);
    compare(one, DType::float32, test::noise(shape, -3, 3, 8), false, 2e-5);
  }
}

TEST_CASE("a query that sees no key gets the mean of all values") {
  const Inputs x = inputs_of({1, 3, 300, 2, 3}, DType::float64);
  const Tensor none = ops::zeros({1, 1, 3, 1}, DType::boolean);
  const Tensor mean = ops::mean(x.v, 1, true);
  for (bool causal : {false, true}) {
    const auto found = by_kernel(x, none, 1, causal);
    CHECK(difference(found[0], ops::broadcast_to(mean, x.q.shape())) < 1e-12);
    CHECK(difference(found[1], ops::zeros_like(x.q)) == 0);
    const Tensor share = ops::sum(x.dy, 1, true) * Tensor(1.0 / 300);
    CHECK(difference(found[3], ops::broadcast_to(share, x.v.shape())) < 1e-12);
  }
}

TEST_CASE("attention in 16 bits is that of its inputs in float32") {
  for (DType dtype : {DType::float16, DType::bfloat16}) {
    const Inputs x = inputs_of({2, 9, 11, 2, 8}, dtype);
    const auto wide = [](const Tensor& t) { return ops::cast(t, DType::float32); };
    const Inputs same{wide(x.q), wide(x.k), wide(x.v), wide(x.dy)};
    const auto found = by_kernel(x, {}, 0.3, true), expected = by_kernel(same, {}, 0.3, true);
    for (size_t i = 0; i < 4; ++i) {
      CHECK(found[i].dtype() == dtype);
      CHECK(difference(wide(found[i]), expected[i]) < (dtype == DType::float16 ? 5e-3 : 4e-2));
    }
  }
}

TEST_CASE("attention repeats bit for bit") {
  const Inputs x = inputs_of({3, 70, 70, 3, 20}, DType::float32);
  const auto first = by_kernel(x, {}, 0.3, true);
  for (int i = 0; i < 3; ++i) {
    const auto again = by_kernel(x, {}, 0.3, true);
    for (size_t k = 0; k < 4; ++k)
      CHECK(std::memcmp(first[k].read(), again[k].read(),
                        sizeof(float) * static_cast<size_t>(first[k].size())) == 0);
  }
}

TEST_CASE("attention shows what is not a number") {
  const Inputs x = inputs_of({1, 4, 4, 1, 2}, DType::float32);
  const Tensor bad = x.q * Tensor(NAN);
  const Tensor y = ops::dot_product_attention(bad, x.k, x.v);
  for (double value : y.to_vector<double>()) CHECK(std::isnan(value));
}

TEST_CASE("attention has first and second derivatives") {
  const Inputs x = inputs_of({1, 3, 4, 2, 3}, DType::float64);
  const Tensor bias = test::noise({2, 3, 4}, -1, 1, 9), mask = coins({1, 1, 3, 4}, 0.7);
  for (bool causal : {false, true}) {
    const auto attend = [&](const std::vector<Tensor>& t) {
      return ops::dot_product_attention(t[0], t[1], t[2], {.mask = mask, .is_causal = causal});
    };
    CHECK(test::gradient_error(attend, {x.q, x.k, x.v}) < 1e-7);
    const auto biased = [&](const std::vector<Tensor>& t) {
      return ops::dot_product_attention(t[0], t[1], t[2], {.bias = t[3], .is_causal = causal});
    };
    CHECK(test::gradient_error(biased, {x.q, x.k, x.v, bias}) < 1e-7);
    const auto both = [&](const std::vector<Tensor>& t) {
      return ops::dot_product_attention(t[0], t[1], t[2], {.bias = t[3], .mask = mask});
    };
    CHECK(test::gradient_error(both, {x.q, x.k, x.v, bias}) < 1e-7);
    const auto slope = [&](const std::vector<Tensor>& t) {
      GradientTape tape;
      for (size_t i = 0; i < 3; ++i) tape.watch(t[i]);
      const Tensor y = attend(t);
      const auto g = tape.gradient(y, {t[0], t[1], t[2]}, t[3]);
      return ops::sum(g[0] * t[0]) + ops::sum(ops::square(g[1])) + ops::sum(g[2] * t[1]);
    };
    CHECK(test::gradient_error(slope, {x.q, x.k, x.v, x.dy}) < 1e-6);
  }
}

TEST_CASE("heads share keys and values") {
  const Tensor bias = test::noise({1, 4, 9, 11}, -1, 1, 9);
  for (const int64_t shared : {1, 2})
    for (const DType dtype : {DType::float64, DType::float32, DType::float16})
      for (const bool causal : {false, true}) {
        INFO(shared << " heads of keys, " << dtype_name(dtype) << ", causal " << causal);
        Inputs x = inputs_of({2, 9, 11, 4, 8}, dtype);
        const Inputs fewer = inputs_of({2, 9, 11, shared, 8}, dtype);
        x.k = fewer.k;
        x.v = fewer.v;
        const double tolerance = dtype == DType::float16 ? 2e-2 : 2e-5;
        for (const Tensor& mask : {Tensor(), ops::cast(bias, DType::float32)}) {
          const auto found = by_kernel(x, mask, 0.3, causal);
          const Inputs whole{x.q, ops::repeat(x.k, 4 / shared, 2), ops::repeat(x.v, 4 / shared, 2),
                             x.dy};
          auto expected = by_formula(whole, mask, 0.3, causal);
          for (size_t i : {2, 3})
            expected[i] = ops::sum(ops::reshape(expected[i], {2, 11, shared, 4 / shared, 8}), 3);
          for (size_t i = 0; i < 4; ++i) {
            INFO("y, dq, dk, dv: number " << i);
            CHECK(found[i].shape() == expected[i].shape());
            CHECK(difference(found[i], expected[i]) < tolerance);
          }
        }
      }
  // Of a bias, and second ones, by the formula.
  Inputs x = inputs_of({1, 3, 4, 2, 3}, DType::float64);
  const Inputs fewer = inputs_of({1, 3, 4, 1, 3}, DType::float64);
  const auto attend = [&](const std::vector<Tensor>& t) {
    return ops::dot_product_attention(t[0], t[1], t[2], {.bias = t[3], .is_causal = true});
  };
  const Tensor small = test::noise({2, 3, 4}, -1, 1, 9);
  CHECK(test::gradient_error(attend, {x.q, fewer.k, fewer.v, small}) < 1e-7);
  const auto slope = [&](const std::vector<Tensor>& t) {
    GradientTape tape;
    for (size_t i = 0; i < 3; ++i) tape.watch(t[i]);
    const Tensor y = ops::dot_product_attention(t[0], t[1], t[2]);
    const auto g = tape.gradient(y, {t[0], t[1], t[2]}, t[3]);
    return ops::sum(g[0] * t[0]) + ops::sum(ops::square(g[1])) + ops::sum(g[2] * t[1]);
  };
  CHECK(test::gradient_error(slope, {x.q, fewer.k, fewer.v, x.dy}) < 1e-6);
}

TEST_CASE("attention limits logits, and takes values of another depth") {
  const Inputs x = inputs_of({1, 3, 4, 2, 3}, DType::float64);
  const Tensor value = test::noise({1, 4, 2, 5}, -1, 1, 5);
  const Tensor y = ops::dot_product_attention(x.q, x.k, value, {.scale = 1.0});
  CHECK(y.shape() == Shape{1, 3, 2, 5});
  const auto capped = [&](const std::vector<Tensor>& t) {
    return ops::dot_product_attention(t[0], t[1], t[2], {.attn_logits_soft_cap = 0.5});
  };
  CHECK(test::gradient_error(capped, {x.q, x.k, value}) < 1e-7);
  // A large cap changes little.
  const Tensor same = ops::dot_product_attention(
      x.q, x.k, value, {.scale = 1.0, .flash_attention = true, .attn_logits_soft_cap = 1e5});
  CHECK(difference(same, y) < 1e-6);
}

TEST_CASE("attention refuses masks that do not broadcast") {
  const Inputs x = inputs_of({1, 3, 4, 2, 3}, DType::float32);
  CHECK_THROWS_AS(ops::dot_product_attention(x.q, x.k, x.v, {.bias = ops::zeros({5})}), ShapeError);
  CHECK_THROWS_AS(ops::dot_product_attention(x.q, x.k, x.v, {.mask = ops::ones({2, 1, 3, 4})}),
                  ShapeError);
}

TEST_CASE("attention makes the matrix of all scores where flash attention is turned off") {
  const Inputs x = inputs_of({2, 5, 6, 2, 4}, DType::float32);
  const Tensor mask = ops::greater(test::noise({2, 1, 5, 6}), 0);
  // The kernels of a recorded call.
  const auto kernels = [&](std::optional<bool> flash) {
    Function attend([&](const Nest& q) -> Nest {
      return ops::dot_product_attention(q.tensor(), x.k, x.v,
                                        {.mask = mask, .flash_attention = flash});
    });
    for (int i = 0; i < 3; ++i) attend(x.q);
    return attend.plans();
  };
  const auto makes_scores = [&](std::optional<bool> flash) {
    return kernels(flash).find("attention") == std::string::npos;
  };
  const Tensor y = ops::dot_product_attention(x.q, x.k, x.v, {.mask = mask});
  CHECK(config::is_flash_attention_enabled());
  CHECK_FALSE(makes_scores({}));
  CHECK(makes_scores(false));
  config::disable_flash_attention();
  CHECK_FALSE(config::is_flash_attention_enabled());
  CHECK(makes_scores({}));
  CHECK_FALSE(makes_scores(true));
  CHECK(difference(ops::dot_product_attention(x.q, x.k, x.v, {.mask = mask}), y) < 1e-6);
  config::enable_flash_attention();
  CHECK(config::is_flash_attention_enabled());
}

}  // namespace attention_ops_test
