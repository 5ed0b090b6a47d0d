// The Softmax kernel against double precision.
#include <cmath>

#include "array.h"
#include "catch.h"

namespace softmax_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

void check_softmax(DType dtype, const Shape& shape, bool log, double tolerance) {
  std::mt19937 generator(7);
  Array x(dtype, shape), y(dtype, shape);
  std::normal_distribution<double> normal(0, 5);
  for (int64_t i = 0; i < x.numel(); ++i) x.set(i, normal(generator));
  run(Softmax{log}, {&x}, {&y});
  const int64_t n = shape.rank() ? shape.back() : 1;
  double worst = 0;
  for (int64_t r = 0; r < x.numel(); r += n) {
    double most = -HUGE_VAL, sum = 0;
    for (int64_t i = 0; i < n; ++i) most = std::max(most, x[r + i]);
    for (int64_t i = 0; i < n; ++i) sum += std::exp(x[r + i] - most);
    for (int64_t i = 0; i < n; ++i) {
      const double shifted = x[r + i] - most;
      const double expected = log ? shifted - std::log(sum) : std::exp(shifted) / sum;
      // Below the smallest normal number of the dtype the digits run out.
      const double least = dtype == DType::float16 ? 6.2e-5 : 1e-30;
      const double size = log ? std::max({std::fabs(shifted), std::log(sum), 1.0}) : expected;
      worst = std::max(worst, std::fabs(y[r + i] - expected) / std::max(size, least));
    }
  }
  INFO(dtype_name(dtype) << " " << shape.str() << " log " << log);
  CHECK(worst <= tolerance);
}

}  // namespace

TEST_CASE("softmax and log-softmax of rows of all lengths") {
  for (bool log : {false, true})
    for (const Shape& shape : {Shape({1}), Shape({3, 1}), Shape({4, 7}), Shape({2, 3, 16}),
                               Shape({5, 33}), Shape({2, 5000}), Shape({700, 10}), Shape()}) {
      check_softmax(DType::float32, shape, log, 4e-6);
      check_softmax(DType::float64, shape, log, 1e-14);
      check_softmax(DType::float16, shape, log, 2e-3);
      check_softmax(DType::bfloat16, shape, log, 1e-2);
    }
}

TEST_CASE("softmax keeps large inputs finite, and shares between infinities as the formula does") {
  Array x(DType::float32, {3, 3}, {1e30, 1e30, -1e30, 1000, 1001, -HUGE_VAL, 1, std::nan(""), 2});
  Array y(DType::float32, {3, 3});
  run(Softmax{}, {&x}, {&y});
  CHECK(y[0] == 0.5);
  CHECK(y[2] == 0);
  CHECK(y[3] == Approx(1 / (1 + std::exp(1))));
  CHECK(y[5] == 0);
  for (int64_t i = 6; i < 9; ++i) CHECK(std::isnan(y[i]));
}

TEST_CASE("softmax of an empty tensor does nothing, and may work in place") {
  Array empty(DType::float32, {0, 3});
  run(Softmax{}, {&empty}, {&empty});
  Array x(DType::float32, {1, 2}, {0, 0});
  run(Softmax{}, {&x}, {&x});
  CHECK(x.values() == std::vector<double>{0.5, 0.5});
}

}  // namespace softmax_test
