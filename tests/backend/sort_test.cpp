// Sort, argsort and top-k against std::stable_sort.
#include <catch.h>
#include <cornu/backend/error.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "array.h"

namespace sort_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// NaN is the largest.
bool less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

void check(Array& x, const Sort& kernel) {
  const int64_t n = x.shape().empty() ? 1 : x.shape().back();
  Shape shape = x.shape();
  if (!shape.empty()) shape[shape.rank() - 1] = kernel.count;
  Array values(x.dtype(), shape), indices(DType::int32, shape);
  run(kernel, {&x}, {&values, &indices});
  const int64_t rows = n == 0 ? 0 : x.numel() / n;
  int64_t wrong = 0;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), row * n);
    const std::vector<double> all = [&] {
      std::vector<double> some;
      for (int64_t i : order) some.push_back(x[i]);
      return some;
    }();
    const auto at = [&](int64_t i) { return all[static_cast<size_t>(i - row * n)]; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return kernel.descending ? less(at(b), at(a)) : less(at(a), at(b));
    });
    for (int64_t i = 0; i < kernel.count; ++i) {
      const int64_t place = row * kernel.count + i, from = order[static_cast<size_t>(i)];
      wrong += indices[place] != static_cast<double>(from - row * n);
      wrong += std::memcmp(values.data() + static_cast<size_t>(place) * size_of(x.dtype()),
                           x.data() + static_cast<size_t>(from) * size_of(x.dtype()),
                           size_of(x.dtype())) != 0;
    }
  }
  REQUIRE(wrong == 0);
}

}  // namespace

TEST_CASE("sort orders every dtype, stably, with any count") {
  std::mt19937 generator(1);
  for (int trial = 0; trial < 500; ++trial) {
    const DType dtype = all_dtypes[trial % dtype_count];
    const int64_t n = random_int(generator, trial % 7 == 0 ? 0 : 1, trial % 5 == 0 ? 3000 : 60);
    const bool negative = is_signed_int(dtype) || is_float(dtype);
    // Many equal values, so that stability shows.
    Array x =
        random_array(generator, dtype, {random_int(generator, 0, 4), n}, negative ? -20 : 0, 50);
    if (is_float(dtype))
      for (int64_t i = 0; i < x.numel(); i += 5)
        x.set(i, std::vector<double>{not_a_number, -0.0, 0.0, -infinity, infinity,
                                     -not_a_number}[generator() % 6]);
    const int64_t count =
        trial % 3 == 0 ? n : random_int(generator, 0, trial % 3 == 1 ? n : n / 20);
    check(x, {.descending = trial % 2 == 0, .count = count});
  }
}

TEST_CASE("sort orders extreme numbers") {
  for (bool descending : {false, true}) {
    Array wide(DType::int64, {4}, {0, -0x1p63, 0x1p62, -1});
    check(wide, {descending, 4});
    Array bytes(DType::int8, {5}, {-128, 127, 0, -1, 1});
    check(bytes, {descending, 5});
    Array doubles(DType::float64, {6}, {1e300, -1e300, not_a_number, 5e-324, -5e-324, infinity});
    check(doubles, {descending, 6});
  }
}

TEST_CASE("sort takes a scalar and higher ranks") {
  std::mt19937 generator(2);
  Array scalar(DType::float32, {}, {3});
  check(scalar, {false, 1});
  Array x = random_array(generator, DType::float32, {2, 3, 4});
  check(x, {true, 3});
}

TEST_CASE("sort refuses rows whose positions do not fit into its indices") {
  const Shape row({1, int64_t{1} << 31}), first({1, 1});
  const Operand inputs[] = {{&row, DType::uint8, nullptr}};
  const Operand outputs[] = {{&first, DType::uint8, nullptr}, {&first, DType::int32, nullptr}};
  const Sort kernel{.descending = false, .count = 1};
  CHECK_THROWS_AS(cpu_backend().run(kernel, inputs, outputs), ValueError);
}

TEST_CASE("sort of many rows and of long rows on several threads") {
  std::mt19937 generator(3);
  ThreadsScope scope(3);
  for (DType dtype : {DType::uint8, DType::float16, DType::int32, DType::float32, DType::float64}) {
    Array rows = random_array(generator, dtype, {500, 100});
    check(rows, {false, 100});
    check(rows, {true, 5});
    Array one(dtype, {30000});
    std::normal_distribution<double> normal(0, 60);
    for (int64_t i = 0; i < one.numel(); ++i) one.set(i, std::abs(normal(generator)));
    check(one, {true, 30000});
    check(one, {false, 10000});
    check(one, {true, 10});
  }
}

}  // namespace sort_test
