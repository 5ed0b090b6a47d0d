// vectorized_map in a recorded function does each kernel once for all elements: whatever kernels
// the function has, and whichever of their operands differ from element to element, the results are
// those of the function on each element.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>

#include "catch.h"
#include "support/all_close.h"
#include "support/gradient_check.h"

namespace batched_functions_test {

using namespace cornu;
using cornu::test::noise;

namespace {

Tensor numbers(const Shape& shape, int seed) {
  return ops::cast(noise(shape, -1, 1, seed), DType::float32);
}

const Tensor fixed = numbers({3, 4}, 101), vector4 = numbers({4}, 102),
             square = numbers({4, 4}, 103), table = numbers({5, 4}, 104),
             image = numbers({2, 6, 6, 3}, 105), filter = numbers({3, 3, 3, 2}, 106),
             wide = numbers({2, 3, 4}, 107);
const Tensor rows = Tensor::from({2, 0, 1}, {3});

using Body = std::function<Tensor(const Tensor&)>;
struct Case {
  const char* what;
  Shape element;
  Body body;
};

// x differs from element to element, all else is the same for all.
const std::vector<Case> cases = {
    {"identity", {3, 4}, [](const Tensor& x) { return x; }},
    {"a constant", {3, 4}, [](const Tensor&) { return fixed * 2.0; }},
    {"programs", {3, 4}, [](const Tensor& x) { return ops::tanh(x) * fixed + vector4; }},
    {"programs of fewer axes", {4}, [](const Tensor& x) { return fixed * x - ops::sum(x); }},
    {"programs of a scalar", {}, [](const Tensor& x) { return fixed * x + x; }},
    {"an outer product",
     {4},
     [](const Tensor& x) { return ops::expand_dims(x, {-1}) * ops::expand_dims(x, {0}) + square; }},
    {"a sum over one axis", {3, 4}, [](const Tensor& x) { return ops::sum(x * fixed, 0); }},
    {"a sum over all axes", {3, 4}, [](const Tensor& x) { return ops::sum(x) * vector4; }},
    {"a maximum of a broadcast", {4}, [](const Tensor& x) { return ops::max(x * fixed, 1); }},
    {"argmax", {3, 4}, [](const Tensor& x) { return ops::argmax(x, 1); }},
    {"argmax of everything", {3, 4}, [](const Tensor& x) { return ops::argmax(x); }},
    {"a product from the left", {3, 4}, [](const Tensor& x) { return ops::matmul(x, square); }},
    {"a product from the right", {4, 2}, [](const Tensor& x) { return ops::matmul(fixed, x); }},
    {"a product with itself",
     {3, 4},
     [](const Tensor& x) { return ops::matmul(x, ops::transpose(x)); }},
    {"a product of a vector", {4}, [](const Tensor& x) { return ops::matmul(fixed, x); }},
    {"a product of vectors", {4}, [](const Tensor& x) { return ops::dot(x, vector4); }},
    {"a product of a batch",
     {3, 4},
     [](const Tensor& x) { return ops::matmul(wide, ops::transpose(x)); }},
    {"a product with a bias",
     {3, 4},
     [](const Tensor& x) { return ops::matmul(x, square) + vector4; }},
    {"a product with the element's bias",
     {4},
     [](const Tensor& x) { return ops::relu(ops::matmul(fixed, square) + x); }},
    {"softmax", {3, 4}, [](const Tensor& x) { return ops::softmax(x, -1); }},
    {"softmax over the first axis", {3, 4}, [](const Tensor& x) { return ops::softmax(x, 0); }},
    {"log-softmax", {3, 4}, [](const Tensor& x) { return ops::log_softmax(x, -1); }},
    {"sort", {3, 4}, [](const Tensor& x) { return ops::sort(x, 0); }},
    {"argsort", {3, 4}, [](const Tensor& x) { return ops::argsort(x, -1); }},
    {"top_k", {3, 4}, [](const Tensor& x) { return ops::top_k(x, 2)[0]; }},
    {"cumsum", {3, 4}, [](const Tensor& x) { return ops::cumsum(x, 0) + ops::cumsum(x, 1); }},
    {"cumprod", {3, 4}, [](const Tensor& x) { return ops::cumprod(x, 1); }},
    {"transpose",
     {2, 3, 4},
     [](const Tensor& x) {
       return ops::transpose(x, {2, 0, 1});
     }},
    {"slices",
     {3, 4},
     [](const Tensor& x) {
       return x[{Slice(1, {}), Slice({}, {}, 2)}];
     }},
    {"flip", {3, 4}, [](const Tensor& x) { return ops::flip(x, 0); }},
    {"roll", {3, 4}, [](const Tensor& x) { return ops::roll(x, 2, 1); }},
    {"pad",
     {3, 4},
     [](const Tensor& x) {
       return ops::pad(x, {{1, 0}, {0, 2}});
     }},
    {"concatenate",
     {3, 4},
     [](const Tensor& x) {
       return ops::concatenate({fixed, x, x}, 0);
     }},
    {"stack",
     {3, 4},
     [](const Tensor& x) {
       return ops::stack({x, fixed}, 1);
     }},
    {"repeat", {3, 4}, [](const Tensor& x) { return ops::repeat(x, 2, 0); }},
    {"tile",
     {3, 4},
     [](const Tensor& x) {
       return ops::tile(x, {2, 1});
     }},
    {"diagonal", {4, 4}, [](const Tensor& x) { return ops::diagonal(x) + ops::trace(x); }},
    {"tril", {4, 4}, [](const Tensor& x) { return ops::tril(x) + ops::triu(square); }},
    {"rows of the element", {3, 4}, [](const Tensor& x) { return ops::take(x, rows, 0); }},
    {"columns of the element", {3, 4}, [](const Tensor& x) { return ops::take(x, rows, 1); }},
    {"rows of a table",
     {3},
     [](const Tensor& x) { return ops::take(table, ops::cast((x + 1.0) * 2.4, DType::int32), 0); }},
    {"columns of a table",
     {3},
     [](const Tensor& x) { return ops::take(table, ops::cast((x + 1.0) * 1.9, DType::int32), 1); }},
    {"rows of the element by itself",
     {4},
     [](const Tensor& x) { return ops::take(x, ops::cast((x + 1.0) * 1.9, DType::int32), 0); }},
    {"take_along_axis",
     {3, 4},
     [](const Tensor& x) { return ops::take_along_axis(x, ops::argsort(x, 1), 1); }},
    {"take_along_axis of a table",
     {5, 4},
     [](const Tensor& x) { return ops::take_along_axis(table, ops::argsort(x, 0), 0); }},
    {"one_hot",
     {3},
     [](const Tensor& x) { return ops::one_hot(ops::cast((x + 1.0) * 2, DType::int32), 4); }},
    {"scatter",
     {3, 4},
     [](const Tensor& x) {
       return ops::scatter(Tensor::from({3, 1, 3}, {3, 1}), x, Shape{5, 4});
     }},
    {"segment_sum",
     {3, 4},
     [](const Tensor& x) {
       return ops::segment_sum(x, Tensor::from({0, 1, 0}, {3}), 2);
     }},
    {"slice_update",
     {1, 2},
     [](const Tensor& x) {
       return ops::slice_update(fixed, Tensor::from({1, 1}, {2}), x);
     }},
    {"layer normalization",
     {3, 4},
     [](const Tensor& x) { return ops::layer_normalization(x, vector4, vector4); }},
    {"layer normalization scaled by the element",
     {4},
     [](const Tensor& x) { return ops::layer_normalization(fixed, x, x); }},
    {"rms normalization",
     {3, 4},
     [](const Tensor& x) { return ops::rms_normalization(x, vector4); }},
    {"batch normalization",
     {2, 3, 4},
     [](const Tensor& x) {
       const auto [mean, variance] = ops::moments(x, {0, 1});
       return ops::batch_normalization(x, mean, variance, -1);
     }},
    {"a convolution of the element",
     {2, 6, 6, 3},
     [](const Tensor& x) {
       return ops::relu(ops::conv(x, filter, {1}, "same") + numbers({2}, 9));
     }},
    {"a convolution by the element",
     {3, 3, 3, 2},
     [](const Tensor& x) { return ops::conv(image, x, {2}, "valid"); }},
    {"a depthwise convolution",
     {2, 6, 6, 3},
     [](const Tensor& x) {
       return ops::depthwise_conv(x, numbers({3, 3, 3, 1}, 8), {1}, "same");
     }},
    {"a transposed convolution",
     {2, 3, 3, 2},
     [](const Tensor& x) { return ops::conv_transpose(x, filter, {2}, "same"); }},
    {"max pooling",
     {2, 6, 6, 3},
     [](const Tensor& x) { return ops::max_pool(x, {2}, {1}, "same"); }},
    {"average pooling",
     {2, 6, 6, 3},
     [](const Tensor& x) { return ops::average_pool(x, {3}, {2}); }},
    {"attention",
     {2, 3, 2, 4},
     [](const Tensor& x) { return ops::dot_product_attention(x, x * 0.5, x + 1.0); }},
    {"attention to what is the same for all",
     {2, 3, 2, 4},
     [](const Tensor& x) {
       const Tensor key = numbers({2, 5, 2, 4}, 77);
       return ops::dot_product_attention(x, key, key * 2.0);
     }},
    {"a decomposition",
     {3, 3},
     [](const Tensor& x) {
       return ops::cholesky(ops::matmul(x, ops::transpose(x)) + ops::eye(3) * 2.0);
     }},
    {"an inverse", {3, 3}, [](const Tensor& x) { return ops::inv(x + ops::eye(3) * 3.0); }},
    {"a solution of the element's right side",
     {4, 2},
     [](const Tensor& x) { return ops::solve(square + ops::eye(4) * 3.0, x); }},
    {"a solution by the element",
     {4, 4},
     [](const Tensor& x) { return ops::solve(x + ops::eye(4) * 3.0, ops::transpose(fixed)); }},
    {"a determinant", {3, 3}, [](const Tensor& x) { return ops::det(x); }},
    {"a norm", {3, 4}, [](const Tensor& x) { return ops::norm(x, 2, 1); }},
    {"einsum",
     {3, 4},
     [](const Tensor& x) {
       return ops::einsum("ij,kj,jl->ikl", {x, fixed, square});
     }},
    {"a Fourier transform",
     {8},
     [](const Tensor& x) {
       const std::vector<Tensor> parts = ops::fft({x, x * 0.5});
       return parts[0] + parts[1];
     }},
    {"truth values",
     {3, 4},
     [](const Tensor& x) { return ops::logical_and(x > 0.0, fixed > 0.0); }},
    {"integers",
     {3, 4},
     [](const Tensor& x) { return ops::cast(x * 9.0, DType::int32) % Tensor(4); }},
    {"any and all",
     {3, 4},
     [](const Tensor& x) { return ops::logical_xor(ops::any(x > 0.5, 0), ops::all(x > -0.9, 0)); }},
    {"five axes",
     {2, 1, 2, 1, 2},
     [](const Tensor& x) {
       return ops::sum(ops::transpose(x, {4, 3, 2, 1, 0}) * 2.0, 4);
     }},
    {"six axes", {1, 2, 1, 2, 1, 2}, [](const Tensor& x) { return ops::sum(x * x, 3) + 1.0; }},
    {"a gradient",
     {3, 4},
     [](const Tensor& x) {
       GradientTape tape;
       tape.watch(x);
       return tape.gradient(ops::sum(ops::softmax(ops::matmul(x, square), -1) * fixed), x);
     }},
    {"a gradient of a convolution",
     {2, 6, 6, 3},
     [](const Tensor& x) {
       GradientTape tape;
       tape.watch(x);
       return tape.gradient(ops::sum(ops::max_pool(ops::tanh(ops::conv(x, filter)), {2})), x);
     }},
    {"a loop inside",
     {3, 4},
     [](const Tensor& x) {
       return ops::scan(
                  [](const Nest& carry, const Nest& row) {
                    const Tensor next = ops::tanh(carry.tensor() + row.tensor());
                    return ops::Scanned{next, next * 2.0};
                  },
                  ops::zeros({4}), x)
           .ys.tensor();
     }},
    {"a decision inside",
     {3, 4},
     [](const Tensor& x) {
       return ops::cond(
                  ops::sum(x) > 0.0, [&] { return Nest(x * 2.0); }, [&] { return Nest(-x); })
           .tensor();
     }},
};

// What the function gives of each element.
Tensor one_by_one(const Body& body, const Tensor& xs) {
  std::vector<Tensor> all;
  for (int64_t i = 0; i < xs.shape(0); ++i) all.push_back(body(xs[i]));
  return ops::stack(all);
}

Tensor mapped(const Body& body, const Tensor& xs) {
  return ops::vectorized_map([&](const Nest& x) { return Nest(body(x.tensor())); }, xs).tensor();
}

Shape with_first(int64_t count, const Shape& shape) {
  Shape result{count};
  for (const int64_t size : shape) result.push_back(size);
  return result;
}

void check_equal(const Tensor& got, const Tensor& want) {
  CHECK(got.dtype() == want.dtype());
  REQUIRE(got.shape() == want.shape());
  CHECK(test::all_close(got, want, 1e-4, 1e-5));
}

}  // namespace

TEST_CASE("each kernel is done for all elements as for each") {
  for (const Case& c : cases) {
    INFO(c.what);
    auto recorded = function([&](const Tensor& xs) -> Tensor { return mapped(c.body, xs); });
    for (int call = 0; call < 3; ++call) {
      const Tensor xs = numbers(with_first(5, c.element), 300 + call);
      const Tensor want = one_by_one(c.body, xs);
      check_equal(mapped(c.body, xs), want);
      check_equal(recorded(xs), want);
    }
  }
}

TEST_CASE("one element is mapped as several are") {
  for (const Case& c : cases) {
    INFO(c.what);
    auto recorded = function([&](const Tensor& xs) -> Tensor { return mapped(c.body, xs); });
    for (int call = 0; call < 3; ++call) {
      const Tensor xs = numbers(with_first(1, c.element), 400 + call);
      check_equal(recorded(xs), one_by_one(c.body, xs));
    }
  }
}

TEST_CASE("gradients go through what was done for all elements") {
  for (const Case& c : cases) {
    INFO(c.what);
    const auto gradient = [&](const Tensor& xs, const auto& map) -> Tensor {
      GradientTape tape;
      tape.watch(xs);
      const Tensor y = map(c.body, xs);
      if (!is_float(y.dtype())) return ops::zeros_like(xs);
      const Tensor g = tape.gradient(ops::sum(y * y), xs);
      return g ? g : ops::zeros_like(xs);
    };
    auto recorded = function([&](const Tensor& xs) -> Tensor { return gradient(xs, mapped); });
    for (int call = 0; call < 3; ++call) {
      const Tensor xs = numbers(with_first(3, c.element), 500 + call);
      const Tensor want = gradient(xs, one_by_one);
      const double largest = std::max(1.0, ops::max(ops::absolute(want)).item());
      CHECK(test::all_close(recorded(xs) / largest, want / largest, 1e-3, 1e-4));
    }
  }
}

TEST_CASE("elements in structures are mapped into structures") {
  const auto body = [](const Nest& x) {
    const Tensor a = x["a"].tensor(), b = x["b"][0].tensor();
    return Nest{{"sum", Nest(a + b)}, {"list", Nest{Nest(a * 2.0), Nest(Nest::List{Nest(b)})}}};
  };
  Function recorded([&](const Nest& xs) { return ops::vectorized_map(body, xs); });
  for (int call = 0; call < 3; ++call) {
    const Tensor a = numbers({4, 3}, call), b = numbers({4, 1}, call + 50);
    const Nest y = recorded(Nest{{"b", Nest(Nest::List{Nest(b)})}, {"a", Nest(a)}});
    CHECK(y.structure() == "{'sum': *, 'list': [*, [*]]}");
    check_equal(y["sum"].tensor(), a + b);
    check_equal(y["list"][0].tensor(), a * 2.0);
    check_equal(y["list"][1][0].tensor(), b);
  }
}

}  // namespace batched_functions_test
