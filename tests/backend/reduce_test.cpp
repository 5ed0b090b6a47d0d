// The Reduce kernel against a plain loop, for all subsets of axes.
#include <cmath>

#include "array.h"
#include "catch.h"

namespace reduce_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

using Axes = InlineVector<int, 6>;

Shape kept_shape(const Shape& shape, const Axes& axes) {
  Shape kept;
  for (int i = 0; i < shape.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(shape[i]);
  return kept;
}

double combine(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::sum:
      return a + b;
    case ReduceOp::product:
      return a * b;
    case ReduceOp::maximum:
      return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
    default:
      return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
  }
}

/// Plain reduction of x (already broadcast); for argmax and argmin the index along the one axis or
/// of all.
std::vector<double> reference(ReduceOp op, const Array& x, const Axes& axes) {
  const Shape kept = kept_shape(x.shape(), axes);
  std::vector<double> best(static_cast<size_t>(kept.numel())), index(best.size(), -1);
  std::vector<char> seen(best.size(), 0);
  for (int64_t flat = 0; flat < x.numel(); ++flat) {
    int64_t rest = flat, at = 0, stride = 1, along = 0, along_stride = 1;
    for (int axis = x.shape().rank() - 1; axis >= 0; --axis) {
      const int64_t i = rest % x.shape()[axis];
      rest /= x.shape()[axis];
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
        at += i * stride;
        stride *= x.shape()[axis];
      } else {
        along += i * along_stride;
        along_stride *= x.shape()[axis];
      }
    }
    const double value = x[flat];
    double& current = best[static_cast<size_t>(at)];
    if (op == ReduceOp::argmax || op == ReduceOp::argmin) {
      const bool wins =
          !seen[at] ||
          (!std::isnan(current) &&
           (std::isnan(value) || (op == ReduceOp::argmax ? value > current : value < current)));
      if (wins) current = value, index[at] = static_cast<double>(along);
    } else {
      current = seen[at] ? combine(op, current, value) : value;
    }
    seen[at] = 1;
  }
  return op == ReduceOp::argmax || op == ReduceOp::argmin ? index : best;
}

void check(ReduceOp op, DType compute, const Shape& shape, const Axes& axes, int64_t low,
           int64_t high) {
  std::mt19937 generator(static_cast<unsigned>(shape.numel() + axes.size() * 77));
  const bool arg = op == ReduceOp::argmax || op == ReduceOp::argmin;
  Array x = random_array(generator, compute, shape, low, high);
  Array out(arg ? DType::int32 : compute, kept_shape(shape, axes));
  run(Reduce{program_of(Opcode::identity), compute, op, axes, shape}, {&x}, {&out});
  const std::vector<double> expected = reference(op, x, axes);
  bool equal = true;
  for (int64_t i = 0; i < out.numel(); ++i)
    equal &= out[i] == expected[static_cast<size_t>(i)] ||
             (op == ReduceOp::product &&
              out[i] == Approx(expected[static_cast<size_t>(i)]).epsilon(1e-5));
  INFO("op " << static_cast<int>(op) << " " << dtype_name(compute) << " " << shape.str() << " axes "
             << axes.size() << " first " << (axes.empty() ? -1 : axes[0]));
  CHECK(equal);
}

}  // namespace

TEST_CASE("all subsets of axes, operations and compute types agree with a plain loop") {
  const Shape shapes[] = {Shape(),
                          Shape({5}),
                          Shape({20, 10}),
                          Shape({3, 1, 4}),
                          Shape({4, 3, 5, 2}),
                          Shape({2, 3, 2, 3, 2}),
                          Shape({700, 3}),
                          Shape({3, 700}),
                          Shape({40, 1100}),
                          Shape({3, 5, 1100}),
                          Shape({2, 600, 3}),
                          Shape({2, 70000}),
                          Shape({7, 300, 40}),
                          Shape({50, 4, 30, 8}),
                          Shape({100000, 2})};
  for (const Shape& shape : shapes)
    for (unsigned subset = 0; subset < 1u << shape.rank(); ++subset) {
      Axes axes;
      for (int i = 0; i < shape.rank(); ++i)
        if (subset >> i & 1) axes.push_back(i);
      for (DType compute :
           {DType::float32, DType::float64, DType::int32, DType::int64, DType::uint64}) {
        if (shape.numel() > 20000 && compute != DType::float32 && compute != DType::int64) continue;
        const int64_t low = compute == DType::uint64 ? 0 : -9;
        check(ReduceOp::sum, compute, shape, axes, low, 9);
        check(ReduceOp::maximum, compute, shape, axes, low, 1000);
        check(ReduceOp::minimum, compute, shape, axes, low, 1000);
        if (shape.numel() <= 240) check(ReduceOp::product, compute, shape, axes, 1, 1);
        if (axes.size() == 1 || static_cast<int>(axes.size()) == shape.rank()) {
          check(ReduceOp::argmax, compute, shape, axes, low, 50);
          check(ReduceOp::argmin, compute, shape, axes, low, 50);
        }
      }
    }
}

TEST_CASE("products") {
  Array x(DType::float32, {3, 2}, {1, 2, 3, 4, 5, 6}), y(DType::float32, {2});
  run(Reduce{program_of(Opcode::identity), DType::float32, ReduceOp::product, {0}, {3, 2}}, {&x},
      {&y});
  CHECK(y.values() == std::vector<double>{15, 48});
  Array z(DType::int64, {}), w(DType::int64, {4}, {2, 3, 5, -7});
  run(Reduce{program_of(Opcode::identity), DType::int64, ReduceOp::product, {0}, {4}}, {&w}, {&z});
  CHECK(z[0] == -210);
}

TEST_CASE("a prologue over broadcast operands, a scale, and other dtypes") {
  std::mt19937 generator(9);
  Array x = random_array(generator, DType::float16, {30, 40}, -8, 8),
        b = random_array(generator, DType::int8, {40}, -8, 8), y(DType::float64, {30});
  const ProgramRef program = Program::make(
      2, [](std::vector<Expr> in) { return std::vector<Expr>{(in[0] - in[1]) * (in[0] - in[1])}; });
  run(Reduce{program, DType::float32, ReduceOp::sum, {1}, {30, 40}, 1.0 / 40}, {&x, &b}, {&y});
  for (int64_t r = 0; r < 30; ++r) {
    double expected = 0;
    for (int64_t i = 0; i < 40; ++i) expected += std::pow(x[r * 40 + i] - b[i], 2) / 40;
    CHECK(y[r] == Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("long float32 sums keep a relative error near 1e-6") {
  std::mt19937 generator(10);
  for (const Shape& shape : {Shape({3000000}), Shape({1000000, 3}), Shape({2000, 1500})})
    for (int axis = 0; axis < shape.rank(); ++axis) {
      Array x(DType::float32, shape);
      for (int64_t i = 0; i < x.numel(); ++i)
        x.set(i, std::uniform_real_distribution<double>(0, 1)(generator));
      const Axes axes = {axis};
      Array y(DType::float32, kept_shape(shape, axes));
      run(Reduce{program_of(Opcode::identity), DType::float32, ReduceOp::sum, axes, shape}, {&x},
          {&y});
      const std::vector<double> expected = reference(ReduceOp::sum, x, axes);
      double worst = 0;
      for (int64_t i = 0; i < y.numel(); ++i)
        worst = std::max(worst, std::fabs(y[i] / expected[static_cast<size_t>(i)] - 1));
      CHECK(worst < 1e-6);
    }
}

TEST_CASE("empty reductions give the neutral element") {
  const auto empty = [](ReduceOp op, DType compute, DType to) {
    Array x(compute, {3, 0}), y(to, {3}, {9, 9, 9});
    run(Reduce{program_of(Opcode::identity), compute, op, {1}, {3, 0}}, {&x}, {&y});
    CHECK(y[0] == y[2]);
    return y[1];
  };
  CHECK(empty(ReduceOp::sum, DType::float32, DType::float32) == 0);
  CHECK(empty(ReduceOp::product, DType::int64, DType::int64) == 1);
  CHECK(empty(ReduceOp::maximum, DType::float32, DType::float32) == -HUGE_VAL);
  CHECK(empty(ReduceOp::minimum, DType::float64, DType::float64) == HUGE_VAL);
  CHECK(empty(ReduceOp::maximum, DType::int32, DType::int32) == -2147483648.0);
  CHECK(empty(ReduceOp::minimum, DType::int32, DType::uint8) == 255);
  CHECK(empty(ReduceOp::maximum, DType::int32, DType::boolean) == 0);
  CHECK(empty(ReduceOp::minimum, DType::int32, DType::boolean) == 1);
  Array x(DType::float32, {0, 4}), y(DType::float32, {0});
  run(Reduce{program_of(Opcode::identity), DType::float32, ReduceOp::sum, {1}, {0, 4}}, {&x}, {&y});
}

TEST_CASE("any and all are maximum and minimum of bools, and integer sums wrap") {
  Array x(DType::boolean, {2, 3}, {0, 1, 0, 1, 1, 1}), y(DType::boolean, {2});
  run(Reduce{program_of(Opcode::identity), DType::int32, ReduceOp::maximum, {1}, {2, 3}}, {&x},
      {&y});
  CHECK(y.values() == std::vector<double>{1, 1});
  run(Reduce{program_of(Opcode::identity), DType::int32, ReduceOp::minimum, {1}, {2, 3}}, {&x},
      {&y});
  CHECK(y.values() == std::vector<double>{0, 1});
  Array bytes(DType::uint8, {3}, {200, 100, 1}), sum(DType::uint8, {});
  run(Reduce{program_of(Opcode::identity), DType::int32, ReduceOp::sum, {0}, {3}}, {&bytes},
      {&sum});
  CHECK(sum[0] == 45);
}

TEST_CASE("NaN wins in maximum, minimum, argmax and argmin, the first of them") {
  for (int64_t n : {4, 100, 3000})
    for (bool column : {false, true}) {
      const Shape shape = column ? Shape({n, 2}) : Shape({2, n});
      Array x(DType::float32, shape), value(DType::float32, {2}), index(DType::int64, {2});
      const auto at = [&](int64_t r, int64_t i) { return column ? i * 2 + r : r * n + i; };
      for (int64_t i = 0; i < n; ++i)
        x.set(at(0, i), static_cast<double>(i % 3)), x.set(at(1, i), 5);
      x.set(at(0, n - 2), std::nan(""));
      x.set(at(0, n - 1), std::nan(""));
      for (ReduceOp op : {ReduceOp::maximum, ReduceOp::minimum}) {
        run(Reduce{program_of(Opcode::identity), DType::float32, op, {column ? 0 : 1}, shape}, {&x},
            {&value});
        CHECK(std::isnan(value[0]));
        CHECK(value[1] == 5);
      }
      for (ReduceOp op : {ReduceOp::argmax, ReduceOp::argmin}) {
        run(Reduce{program_of(Opcode::identity), DType::float32, op, {column ? 0 : 1}, shape}, {&x},
            {&index});
        CHECK(index.values() == std::vector<double>{static_cast<double>(n - 2), 0});
      }
    }
}

TEST_CASE("reductions do not depend on the number of threads") {
  std::mt19937 generator(11);
  Array x(DType::float32, {1000, 400});
  for (int64_t i = 0; i < x.numel(); ++i)
    x.set(i, std::uniform_real_distribution<double>(-1, 1)(generator));
  for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 1}}) {
    std::vector<Array> results;
    for (int count : {1, 3}) {
      const ThreadsScope scope(count);
      results.emplace_back(DType::float32, kept_shape(x.shape(), axes));
      run(Reduce{program_of(Opcode::square), DType::float32, ReduceOp::sum, axes, x.shape()}, {&x},
          {&results.back()});
    }
    CHECK(results[0] == results[1]);
  }
}

}  // namespace reduce_test
