// Running sums and products against a loop.
#include <catch.h>

#include "array.h"

namespace cumulative_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

void check(const Cumulative& kernel, Array& x, DType dtype) {
  Array out(dtype, x.shape());
  run(kernel, {&x}, {&out});
  const int rank = x.shape().rank();
  const int64_t n = rank == 0 ? 1 : x.shape()[kernel.axis];
  const int64_t inner = rank == 0 ? 1 : x.shape().slice(kernel.axis + 1).numel();
  Array expected(dtype, x.shape());
  for (int64_t lane = 0; lane < (n == 0 ? 0 : x.numel() / n); ++lane) {
    double total = kernel.product ? 1 : 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t step = kernel.reverse ? n - 1 - i : i;
      const int64_t place = lane / inner * n * inner + step * inner + lane % inner;
      total = kernel.product ? total * x[place] : total + x[place];
      expected.set(place, total);
    }
  }
  REQUIRE(out == expected);
}

}  // namespace

TEST_CASE("cumulative sums and products of all dtypes along any axis") {
  std::mt19937 generator(1);
  for (int trial = 0; trial < 400; ++trial) {
    const DType dtype = all_dtypes[trial % dtype_count];
    Shape shape;
    const int rank = static_cast<int>(random_int(generator, 0, 4));
    for (int i = 0; i < rank; ++i)
      shape.push_back(random_int(generator, trial % 9 == 0 ? 0 : 1, rank == 1 ? 200 : 8));
    Cumulative kernel;
    kernel.axis = rank == 0 ? 0 : static_cast<int>(random_int(generator, 0, rank - 1));
    kernel.product = trial % 2 == 1;
    kernel.reverse = trial / 2 % 2 == 1;
    // Small whole numbers: every partial result is exact, or overflows in a known way.
    const bool negative = is_signed_int(dtype);
    Array x = random_array(generator, dtype, shape, kernel.product ? (negative ? -1 : 0) : 0,
                           kernel.product ? (rank == 1 ? 1 : 2) : 9);
    check(kernel, x, dtype);
  }
}

TEST_CASE("cumulative counts bools in the dtype of the output") {
  Array x(DType::boolean, {5}, {1, 0, 1, 1, 0});
  Array sum(DType::int32, {5});
  run(Cumulative{}, {&x}, {&sum});
  CHECK(sum.values() == std::vector<double>{1, 1, 2, 3, 3});
  Array any(DType::boolean, {5});
  run(Cumulative{.reverse = true}, {&x}, {&any});
  CHECK(any.values() == std::vector<double>{1, 1, 1, 1, 0});
}

TEST_CASE("cumulative wraps around in integers and keeps small float terms") {
  Array bytes(DType::uint8, {3}, {200, 100, 1});
  Array sum(DType::uint8, {3});
  run(Cumulative{}, {&bytes}, {&sum});
  CHECK(sum.values() == std::vector<double>{200, 44, 45});

  Array halves(DType::bfloat16, {2000});
  for (int64_t i = 0; i < 2000; ++i) halves.set(i, 1);
  Array total(DType::bfloat16, {2000});
  run(Cumulative{}, {&halves}, {&total});
  CHECK(total[1999] == 2000);  // a bfloat16 total would stay at 256
}

TEST_CASE("large cumulative sums on several threads") {
  std::mt19937 generator(2);
  ThreadsScope scope(3);
  for (int axis = 0; axis < 3; ++axis) {
    Array x = random_array(generator, DType::float32, {30, 50, 170}, 0, 9);
    check({.axis = axis}, x, DType::float32);
    check({.axis = axis, .reverse = true}, x, DType::float32);
  }
}

}  // namespace cumulative_test
