// Matrix products against three loops: sizes around every border, dtypes, transposes, batches,
// threads.
#include <catch.h>

#include <cmath>
#include <thread>

#include "array.h"

namespace matmul_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

Shape matrix(Shape batch, int64_t rows, int64_t columns, bool transposed) {
  batch.push_back(transposed ? columns : rows);
  batch.push_back(transposed ? rows : columns);
  return batch;
}

// The exact result where products and sums are whole numbers. `out` gives batch axes, m and n.
Array expected(const Matmul& kernel, const Array& a, const Array& b, const Array* bias,
               const Array& out) {
  Array result(out.dtype(), out.shape());
  const Shape& shape = out.shape();
  const int rank = shape.rank();
  const int64_t m = shape[rank - 2], n = shape[rank - 1];
  const int64_t k = a.shape().at(kernel.transpose_a ? -2 : -1);
  const auto offset = [&](const Array& operand, int64_t index) {
    int64_t position = 0, stride = 1;
    for (int axis = rank - 3; axis >= 0; --axis) {
      const int64_t at = index % shape[axis];
      index /= shape[axis];
      const int own = axis - rank + operand.shape().rank();
      const int64_t size = own >= 0 ? operand.shape()[own] : 1;
      if (size > 1) position += at * stride;
      stride *= size;
    }
    return position;
  };
  for (int64_t i = 0; i < result.numel(); ++i) {
    const int64_t column = i % n, row = i / n % m, index = i / n / m;
    const int64_t a0 = offset(a, index) * m * k, b0 = offset(b, index) * k * n;
    double sum = bias != nullptr ? (*bias)[column] : 0;
    for (int64_t l = 0; l < k; ++l)
      sum += a[a0 + (kernel.transpose_a ? l * m + row : row * k + l)] *
             b[b0 + (kernel.transpose_b ? column * k + l : l * n + column)];
    result.set(i, kernel.relu ? std::max(sum, 0.0) : sum);
  }
  return result;
}

void check(std::mt19937& random, Matmul kernel, const Shape& batch_a, const Shape& batch_b,
           int64_t m, int64_t k, int64_t n, DType in = DType::float32, DType out = DType::float32,
           int64_t high = 3) {
  const bool negative = is_float(in) || is_signed_int(in);
  const int64_t low = negative ? -high : 0;
  kernel.relu = is_float(out) && random() % 2 == 0;
  Array a = random_array(random, in, matrix(batch_a, m, k, kernel.transpose_a), low, high);
  Array b = random_array(random, in, matrix(batch_b, k, n, kernel.transpose_b), low, high);
  Array bias =
      random_array(random, out, {n}, is_float(out) || is_signed_int(out) ? -high : 0, high);
  Array c(out, matrix(broadcast(batch_a, batch_b), m, n, false));
  std::vector<Array*> inputs{&a, &b};
  if (kernel.bias) inputs.push_back(&bias);
  run(kernel, inputs, {&c});
  INFO(dtype_name(in) << " " << a.shape().str() << (kernel.transpose_a ? "^T" : "") << " x "
                      << b.shape().str() << (kernel.transpose_b ? "^T" : "")
                      << (kernel.bias ? " + bias" : "") << (kernel.relu ? ", relu" : ""));
  CHECK(c == expected(kernel, a, b, kernel.bias ? &bias : nullptr, c));
}

}  // namespace

TEST_CASE("matmul: small sizes around the borders of vectors and tiles") {
  std::mt19937 random(1);
  const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33};
  for (const int64_t m : sizes)
    for (const int64_t n : sizes)
      for (const int64_t k : {1, 2, 3, 5, 10, 16, 35}) {
        const Matmul kernel{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
        const DType dtype = random() % 3 == 0 ? DType::float64 : DType::float32;
        check(random, kernel, {}, {}, m, k, n, dtype, dtype);
      }
}

TEST_CASE("matmul: large sizes, all transposes") {
  std::mt19937 random(2);
  for (int variant = 0; variant < 8; ++variant) {
    const Matmul kernel{(variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
    for (const DType dtype : {DType::float32, DType::float64}) {
      check(random, kernel, {}, {}, 67, 300, 45, dtype, dtype);
      check(random, kernel, {}, {}, 1, 513, 301, dtype, dtype);
      check(random, kernel, {}, {}, 301, 515, 1, dtype, dtype);
      check(random, kernel, {}, {}, 3, 80, 1100, dtype, dtype);
      check(random, kernel, {}, {}, 220, 9, 110, dtype, dtype);
    }
  }
}

TEST_CASE("matmul: a few rows with large matrices, cut by rows, by columns and not at all") {
  std::mt19937 random(6);
  for (int variant = 0; variant < 8; ++variant) {
    const Matmul kernel{(variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
    for (const int64_t m : {1, 2, 3, 5, 8, 9}) {
      check(random, kernel, {}, {}, m, 301, 515);
      check(random, kernel, {}, {}, m, 1031, 770);
    }
    check(random, kernel, {}, {}, 7, 130, 4099);
    check(random, kernel, {}, {}, 1, 131072, 1);
    check(random, kernel, {}, {}, 2, 1, 90001);
  }
}

TEST_CASE("matmul: batches broadcast") {
  std::mt19937 random(3);
  const std::pair<Shape, Shape> batches[] = {{{5}, {5}},       {{5}, {}},     {{}, {5}},
                                             {{3, 1}, {1, 4}}, {{2, 3}, {3}}, {{2, 3}, {2, 1}},
                                             {{1}, {1}},       {{70}, {70}}};
  for (const auto& [a, b] : batches)
    for (int variant = 0; variant < 8; ++variant) {
      const Matmul kernel{(variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
      check(random, kernel, a, b, 6, 11, 9);
      check(random, kernel, a, b, 1, 4, 3, DType::float64, DType::float64);
      if (a.numel() < 10) check(random, kernel, a, b, 50, 51, 52);
    }
}

TEST_CASE("matmul: every dtype, integers wrap around") {
  std::mt19937 random(4);
  for (const DType dtype : all_dtypes)
    for (int variant = 0; variant < 8; ++variant) {
      const Matmul kernel{(variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
      check(random, kernel, {2}, {2}, 5, 30, 18, dtype, dtype, dtype == DType::boolean ? 1 : 3);
      if (is_int(dtype)) check(random, kernel, {}, {}, 9, 60, 21, dtype, dtype, 127);
      if (dtype != DType::boolean) check(random, kernel, {}, {}, 70, 40, 60, dtype, dtype);
    }
  check(random, {}, {}, {}, 9, 60, 21, DType::int8, DType::int32, 127);
  check(random, {}, {}, {}, 9, 60, 21, DType::int8, DType::float32, 127);
  check(random, {}, {}, {}, 9, 60, 21, DType::bfloat16, DType::float32, 127);
  check(random, {}, {}, {}, 90, 60, 81, DType::int8, DType::int32, 127);
}

TEST_CASE("matmul: empty operands") {
  std::mt19937 random(5);
  for (const DType dtype : {DType::float32, DType::float64, DType::int32, DType::bfloat16})
    for (const bool bias : {false, true}) {
      const Matmul kernel{false, false, bias};
      check(random, kernel, {}, {}, 0, 4, 3, dtype, dtype);
      check(random, kernel, {}, {}, 4, 0, 3, dtype, dtype);
      check(random, kernel, {3}, {}, 4, 0, 3, dtype, dtype);
      check(random, kernel, {}, {}, 4, 3, 0, dtype, dtype);
      check(random, kernel, {0}, {}, 4, 3, 2, dtype, dtype);
      check(random, kernel, {0}, {1}, 64, 64, 64, dtype, dtype);
    }
}

TEST_CASE("matmul: accuracy") {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (const DType dtype : {DType::float32, DType::float64})
    for (const auto& [m, k, n] :
         {std::array<int64_t, 3>{1, 700, 40}, {40, 40, 40}, {90, 700, 80}}) {
      Array a(dtype, {m, k}), b(dtype, {k, n}), c(dtype, {m, n});
      for (int64_t i = 0; i < a.numel(); ++i) a.set(i, normal(random));
      for (int64_t i = 0; i < b.numel(); ++i) b.set(i, normal(random));
      run(Matmul{}, {&a, &b}, {&c});
      const double epsilon = dtype == DType::float32 ? 1.2e-7 : 2.3e-16;
      double worst = 0;
      for (int64_t i = 0; i < c.numel(); ++i) {
        double sum = 0, size = 0;
        for (int64_t l = 0; l < k; ++l) {
          const double product = a[i / n * k + l] * b[l * n + i % n];
          sum += product;
          size += std::fabs(product);
        }
        worst = std::max(worst, std::fabs(c[i] - sum) / size / epsilon);
      }
      CHECK(worst < 0.1 * static_cast<double>(k) + 2);
    }
}

TEST_CASE("matmul: NaN and infinity pass through, unwritten memory does not matter") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const int64_t n : {3, 20, 100}) {
    Array a(DType::float32, {n, n}), b(DType::float32, {n, n}), c(DType::float32, {n, n});
    for (int64_t i = 0; i < n * n; ++i) {
      a.set(i, i % n == i / n ? 1 : 0);
      b.set(i, 1);
      c.set(i, nan);
    }
    run(Matmul{}, {&a, &b}, {&c});
    CHECK(c == b);
    a.set(0, infinity);
    run(Matmul{}, {&a, &b}, {&c});
    CHECK(c[0] == infinity);
    CHECK(c[n] == 1);
    b.set(0, nan);
    run(Matmul{}, {&a, &b}, {&c});
    CHECK(std::isnan(c[0]));
    CHECK(c[1] == infinity);
    Matmul relu;
    relu.relu = true;
    run(relu, {&a, &b}, {&c});
    CHECK(std::isnan(c[0]));
    a.set(0, -infinity);
    run(relu, {&a, &b}, {&c});
    CHECK(c[1] == 0);
  }
}

TEST_CASE("matmul: repeats bit for bit, and from several threads at once") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16})
    for (const int count : {1, 2, 3}) {
      const ThreadsScope scope(count);
      Array a(dtype, {130, 310}), b(dtype, {310, 170}), first(dtype, {130, 170});
      for (int64_t i = 0; i < a.numel(); ++i) a.set(i, normal(random));
      for (int64_t i = 0; i < b.numel(); ++i) b.set(i, normal(random));
      run(Matmul{}, {&a, &b}, {&first});
      std::vector<Array> results(4, Array(dtype, {130, 170}));
      std::vector<std::thread> callers;
      for (Array& result : results)
        callers.emplace_back([&] { run(Matmul{}, {&a, &b}, {&result}); });
      for (std::thread& caller : callers) caller.join();
      for (const Array& result : results) CHECK(result == first);
    }
}

}  // namespace matmul_test
