// Ops on tensors from one element to a million: where kernels change their ways, parts and wholes
// agree.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "support/all_close.h"
#include "support/gradient_check.h"

namespace op_sizes_test {

using namespace cornu;

namespace {

// Around the borders of vectors, tiles, blocks for threads, and a million.
const std::vector<int64_t> lengths = {1,    3,    7,     8,     15,     16,     17,   31,
                                      33,   63,   65,    127,   255,    257,    1023, 1025,
                                      4095, 4097, 16385, 65537, 262147, 1 << 20};
const std::vector<DType> dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                   DType::int32,   DType::int8,    DType::uint8,   DType::int64};

// Numbers from -12 to 12, of which float16 and int8 hold all products.
Tensor numbers(const Shape& shape, DType dtype, int seed = 1) {
  std::mt19937 engine(static_cast<unsigned>(seed));
  std::vector<int32_t> values(static_cast<size_t>(shape.numel()));
  const int low = is_float(dtype) || is_signed_int(dtype) ? -12 : 0;
  for (int32_t& v : values) v = low + static_cast<int>(engine() % static_cast<unsigned>(13 - low));
  return ops::cast(Tensor::from(values, shape), dtype);
}

Tensor part(const Tensor& x, int64_t begin, int64_t end) { return x[Slice(begin, end)]; }

std::vector<double> of(const Tensor& x) { return x.to_vector<double>(); }

bool same(const Tensor& a, const Tensor& b) {
  if (a.spec().str() != b.spec().str()) return false;
  const auto x = of(a), y = of(b);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) return false;
  return true;
}

using Unary = std::function<Tensor(const Tensor&)>;

}  // namespace

TEST_CASE("an elementwise op of a part is the part of the op, at every length") {
  const std::vector<std::pair<const char*, Unary>> functions = {
      {"exp", [](const Tensor& x) { return ops::exp(x); }},
      {"tanh", [](const Tensor& x) { return ops::tanh(x); }},
      {"log", [](const Tensor& x) { return ops::log(x); }},
      {"sin", [](const Tensor& x) { return ops::sin(x); }},
      {"erf", [](const Tensor& x) { return ops::erf(x); }},
      {"gelu", [](const Tensor& x) { return ops::gelu(ops::cast(x, DType::float32), false); }},
      {"square", [](const Tensor& x) { return ops::square(x); }},
      {"floor_divide", [](const Tensor& x) { return ops::floor_divide(x, 3); }},
      {"where", [](const Tensor& x) { return ops::where(x > 2, x, x + 1); }},
      {"compare", [](const Tensor& x) { return x >= 3; }},
      {"cast to int8", [](const Tensor& x) { return ops::cast(x, DType::int8); }},
      {"cast to float16", [](const Tensor& x) { return ops::cast(x, DType::float16); }},
      {"cast to bool", [](const Tensor& x) { return ops::cast(x, DType::boolean); }},
      {"clip", [](const Tensor& x) { return ops::clip(x, 1, 7); }}};
  for (const auto& [name, f] : functions)
    for (const DType dtype : dtypes)
      for (const int64_t n : lengths) {
        if (n > 70000 && dtype != DType::float32 && dtype != DType::bfloat16) continue;
        INFO(name << " of " << n << " " << dtype_name(dtype));
        const Tensor x = numbers({n}, dtype), whole = f(x);
        const int64_t cut = n / 3, end = std::min(n, cut + 200);
        CHECK(same(part(whole, cut, end), f(part(x, cut, end))));
        CHECK(same(part(whole, n - 1, n), f(part(x, n - 1, n))));
        CHECK(same(ops::reshape(whole, {1, n, 1}), f(ops::reshape(x, {1, n, 1}))));
      }
}

TEST_CASE("broadcasting of every pair of shapes is that of repeated elements") {
  const std::vector<Shape> shapes = {{},        {1},          {33},         {5, 1},     {5, 33},
                                     {7, 1, 1}, {7, 5, 1},    {7, 1, 33},   {7, 5, 33}, {1, 1, 33},
                                     {1, 5, 1}, {2, 1, 5, 1}, {2, 7, 1, 33}};
  for (const DType dtype : {DType::float32, DType::int32, DType::bfloat16, DType::uint8})
    for (const Shape& a : shapes)
      for (const Shape& b : shapes) {
        const Tensor x = numbers(a, dtype, 1), y = numbers(b, dtype, 2);
        const Tensor sum = ops::add(x, y);
        const Tensor long_x = ops::broadcast_to(x, sum.shape()),
                     long_y = ops::broadcast_to(y, sum.shape());
        INFO(dtype_name(dtype) << " " << a.str() << " with " << b.str());
        CHECK(same(sum, ops::add(long_x, long_y)));
        CHECK(same(ops::subtract(x, y), ops::subtract(long_x, long_y)));
        CHECK(same(ops::less(x, y), ops::less(long_x, long_y)));
        CHECK(same(ops::where(ops::less(x, y), x, y), ops::minimum(long_x, long_y)));
      }
}

TEST_CASE("reductions of rows and columns of any length agree with sums of parts") {
  for (const DType dtype : {DType::float32, DType::float64, DType::int32, DType::int64})
    for (const int64_t n : lengths) {
      if (n > 70000 && dtype != DType::float32) continue;
      for (const int64_t other : {1, 3, 17}) {
        if (n * other > (1 << 20) + 1) continue;
        INFO(n << " by " << other << " " << dtype_name(dtype));
        const Tensor x = numbers({n, other}, dtype), t = ops::transpose(x);
        const auto values = of(x);
        std::vector<double> sum(static_cast<size_t>(other)), most(sum.size(), -100),
            least(sum.size(), 100), first_most(sum.size()), first_least(sum.size());
        for (int64_t i = 0; i < n; ++i)
          for (size_t k = 0; k < sum.size(); ++k) {
            const double v = values[static_cast<size_t>(i) * sum.size() + k];
            sum[k] += v;
            if (v > most[k]) most[k] = v, first_most[k] = static_cast<double>(i);
            if (v < least[k]) least[k] = v, first_least[k] = static_cast<double>(i);
          }
        for (const bool rows : {false, true}) {
          const Tensor& y = rows ? t : x;
          const int axis = rows ? 1 : 0;
          CHECK(of(ops::sum(y, axis)) == sum);
          CHECK(of(ops::max(y, axis)) == most);
          CHECK(of(ops::min(y, axis)) == least);
          CHECK(of(ops::argmax(y, axis)) == first_most);
          CHECK(of(ops::argmin(y, axis)) == first_least);
          if (is_float(dtype)) {
            const auto means = of(ops::mean(y, axis));
            for (size_t k = 0; k < sum.size(); ++k)
              CHECK(means[k] == Approx(sum[k] / static_cast<double>(n)).margin(1e-6));
          }
        }
        double total = 0;
        for (const double s : sum) total += s;
        CHECK(ops::sum(x).item() == total);
      }
    }
}

TEST_CASE("running sums, sorts and choices of the largest hold at any length") {
  for (const int64_t n : lengths) {
    INFO("length " << n);
    const Tensor x = numbers({n}, DType::int32, 5);
    auto values = x.to_vector<int32_t>();
    std::vector<int32_t> running = values;
    for (size_t i = 1; i < running.size(); ++i) running[i] += running[i - 1];
    CHECK(ops::cumsum(x).to_vector<int32_t>() == running);
    std::vector<int32_t> order(values.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return values[a] < values[b]; });
    CHECK(ops::argsort(x).to_vector<int32_t>() == order);
    const auto places = ops::searchsorted(ops::sort(x), 3).item();
    std::sort(values.begin(), values.end());
    CHECK(ops::sort(x).to_vector<int32_t>() == values);
    CHECK(places ==
          static_cast<double>(std::lower_bound(values.begin(), values.end(), 3) - values.begin()));
    const int64_t k = std::min<int64_t>(n, 9);
    std::reverse(values.begin(), values.end());
    values.resize(static_cast<size_t>(k));
    CHECK(ops::top_k(x, k)[0].to_vector<int32_t>() == values);
  }
}

TEST_CASE("moves of large tensors put each element where its index says") {
  const Shape shape = {37, 29, 53};
  const Tensor x = ops::reshape(ops::arange(0, shape.numel()), shape);
  const auto at = [&](int64_t i, int64_t j, int64_t k) {
    return static_cast<double>((i * 29 + j) * 53 + k);
  };
  std::mt19937 engine(3);
  const Tensor turned = ops::transpose(x, {2, 0, 1}), flipped = ops::flip(x, {0, 2}),
               rolled = ops::roll(x, {5, -7}, {1, 2}),
               padded = ops::pad(x, {{2, 1}, {0, 3}, {1, 4}}),
               stepped = x[{Slice({}, {}, -3), Slice(1, {}, 2), Slice(-2, 4, -5)}],
               tiled = ops::tile(x, {1, 2, 1}),
               taken = ops::take(x, Tensor::from({3, -1, 0, 28}, {2, 2}), 1);
  CHECK(stepped.shape() == Shape{13, 14, 10});
  CHECK(taken.shape() == Shape{37, 2, 2, 53});
  const auto a = of(turned), b = of(flipped), c = of(rolled), d = of(padded), e = of(stepped),
             f = of(tiled), g = of(taken);
  for (int trial = 0; trial < 3000; ++trial) {
    const int64_t i = engine() % 37, j = engine() % 29, k = engine() % 53;
    const double want = at(i, j, k);
    CHECK(a[static_cast<size_t>((k * 37 + i) * 29 + j)] == want);
    CHECK(b[static_cast<size_t>(((36 - i) * 29 + j) * 53 + 52 - k)] == want);
    CHECK(c[static_cast<size_t>((i * 29 + (j + 5) % 29) * 53 + (k + 46) % 53)] == want);
    CHECK(d[static_cast<size_t>(((i + 2) * 32 + j) * 58 + k + 1)] == want);
    CHECK(f[static_cast<size_t>((i * 58 + j + 29) * 53 + k)] == want);
    const int64_t si = i % 13, sj = j % 14, sk = k % 10;
    CHECK(e[static_cast<size_t>((si * 14 + sj) * 10 + sk)] ==
          at(36 - 3 * si, 1 + 2 * sj, 51 - 5 * sk));
    const int64_t rows[] = {3, 28, 0, 28};
    CHECK(g[static_cast<size_t>((i * 4 + j % 4) * 53 + k)] == at(i, rows[j % 4], k));
  }
}

TEST_CASE("products of matrices of any size are sums of products") {
  for (const int64_t m : {1, 2, 5, 16, 33, 130})
    for (const int64_t k : {1, 3, 17, 64, 257})
      for (const int64_t n : {1, 2, 8, 31, 65})
        for (const DType dtype : {DType::float32, DType::int32, DType::bfloat16}) {
          INFO(m << " x " << k << " x " << n << " " << dtype_name(dtype));
          const Tensor a = numbers({m, k}, dtype, 1), b = numbers({k, n}, dtype, 2);
          // A product along a new axis, summed: another kernel.
          const Tensor wide_a = ops::cast(a, DType::float64), wide_b = ops::cast(b, DType::float64);
          const Tensor want =
              ops::sum(ops::expand_dims(wide_a, 2) * ops::expand_dims(wide_b, 0), 1);
          const double rounding = dtype == DType::bfloat16 ? 1.0 / 128 : 0;
          CHECK(test::all_close(ops::matmul(a, b), want, rounding, rounding));
          CHECK(test::all_close(
              ops::matmul_transposed(ops::transpose(a), ops::transpose(b), true, true), want,
              rounding, rounding));
        }
}

TEST_CASE("sums of gradients over broadcast axes are exact for a million elements") {
  for (const auto& [small, large] : {std::pair<Shape, Shape>{{1}, {1 << 20}},
                                     {{1, 17}, {60000, 17}},
                                     {{60000, 1}, {60000, 17}},
                                     {{}, {1025, 1023}},
                                     {{3, 1, 5}, {3, 70000, 5}}}) {
    INFO(small.str() << " in " << large.str());
    const Tensor x = ops::cast(numbers(small, DType::int32), DType::float32),
                 y = numbers(large, DType::float32, 8);
    GradientTape tape;
    tape.watch(x);
    const Tensor g = tape.gradient(x * y, x);
    REQUIRE(g.shape() == small);
    Tensor want = y;
    for (int axis = large.rank() - 1; axis >= 0; --axis) {
      const int own = axis - (large.rank() - small.rank());
      if (own < 0)
        want = ops::sum(want, axis);
      else if (small[own] == 1 && large[axis] != 1)
        want = ops::sum(want, axis, true);
    }
    CHECK(same(g, want));
  }
}

}  // namespace op_sizes_test
