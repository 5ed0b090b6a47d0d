// Gather and scatter against loops over single elements.
#include <catch.h>

#include <cmath>

#include "array.h"

namespace gather_scatter_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

struct Case {
  Shape x;
  Shape indices;
  int axis;
  bool along;

  Shape picked() const {
    return along ? indices : concat(concat(x.slice(0, axis), indices), x.slice(axis + 1));
  }
};

// Calls f(element of the updates or the output, element of indices, element of x with index 0,
// stride).
template <class F>
void for_each(const Case& c, F&& f) {
  const int64_t outer = c.x.slice(0, c.axis).numel(), inner = c.x.slice(c.axis + 1).numel();
  const int64_t count = c.along ? c.indices[c.axis] : c.indices.numel();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t b = 0; b < inner; ++b) {
        const int64_t place = (o * count + i) * inner + b;
        f(place, c.along ? place : i, o * c.x[c.axis] * inner + b, inner);
      }
}

Array gathered(const Case& c, const Array& x, const Array& indices) {
  Array out(x.dtype(), c.picked());
  const int64_t n = c.x[c.axis];
  for_each(c, [&](int64_t to, int64_t index, int64_t base, int64_t stride) {
    int64_t row = static_cast<int64_t>(indices[index]);
    if (row < 0) row += n;
    row = std::min(std::max<int64_t>(row, 0), n - 1);
    out.set(to, x[base + row * stride]);
  });
  return out;
}

double combine(ScatterOp op, double a, double b) {
  switch (op) {
    case ScatterOp::add:
      return a + b;
    case ScatterOp::maximum:
      return std::max(a, b);
    case ScatterOp::minimum:
      return std::min(a, b);
    case ScatterOp::set:
      break;
  }
  return b;
}

Array scattered(const Case& c, ScatterOp op, const Array& x, const Array& indices,
                const Array& updates) {
  Array out = x;
  const int64_t n = c.x[c.axis];
  for_each(c, [&](int64_t from, int64_t index, int64_t base, int64_t stride) {
    int64_t row = static_cast<int64_t>(indices[index]);
    if (row < 0) row += n;
    if (row < 0 || row >= n) return;
    const int64_t place = base + row * stride;
    out.set(place, combine(op, out[place], updates[from]));
  });
  return out;
}

Case random_case(std::mt19937& generator, bool with_zero) {
  Case c;
  const int rank = static_cast<int>(random_int(generator, 1, 4));
  for (int i = 0; i < rank; ++i) c.x.push_back(random_int(generator, 1, 9));
  c.axis = static_cast<int>(random_int(generator, 0, rank - 1));
  c.along = random_int(generator, 0, 1) == 1;
  if (c.along) {
    c.indices = c.x;
    c.indices[c.axis] = random_int(generator, with_zero ? 0 : 1, 12);
  } else {
    for (int i = static_cast<int>(random_int(generator, 0, 2)); i > 0; --i)
      c.indices.push_back(random_int(generator, with_zero ? 0 : 1, 6));
  }
  return c;
}

constexpr ScatterOp all_ops[] = {ScatterOp::add, ScatterOp::maximum, ScatterOp::minimum,
                                 ScatterOp::set};

}  // namespace

TEST_CASE("gather picks what a loop picks, clamping indices") {
  std::mt19937 generator(1);
  for (int trial = 0; trial < 400; ++trial) {
    const Case c = random_case(generator, trial % 8 == 0);
    const int64_t n = c.x[c.axis];
    Array x = random_array(generator, all_dtypes[trial % dtype_count], c.x);
    Array indices =
        random_array(generator, trial % 2 ? DType::int32 : DType::int64, c.indices, -n - 2, n + 1);
    Array out(x.dtype(), c.picked());
    run(Gather{c.axis, c.along}, {&x, &indices}, {&out});
    REQUIRE(out == gathered(c, x, indices));
  }
}

TEST_CASE("gather from an empty axis gives zeros") {
  Array x(DType::float32, {0, 2}), indices(DType::int32, {3});
  Array out(DType::float32, {3, 2}, {1, 1, 1, 1, 1, 1});
  run(Gather{}, {&x, &indices}, {&out});
  CHECK(out.values() == std::vector<double>(6));
}

TEST_CASE("scatter combines in order, ignoring indices out of range") {
  std::mt19937 generator(2);
  for (int trial = 0; trial < 600; ++trial) {
    const Case c = random_case(generator, trial % 8 == 0);
    const int64_t n = c.x[c.axis];
    const DType dtype = all_dtypes[trial % dtype_count];
    const ScatterOp op = all_ops[trial / dtype_count % 4];
    Array x = random_array(generator, dtype, c.x, 0, 3);
    Array indices =
        random_array(generator, trial % 2 ? DType::int32 : DType::int64, c.indices, -n - 2, n + 1);
    Array updates = random_array(generator, dtype, c.picked(), 0, 3);
    Array out(dtype, c.x);
    run(Scatter{c.axis, c.along, op}, {&x, &indices, &updates}, {&out});
    REQUIRE(out == scattered(c, op, x, indices, updates));
  }
}

TEST_CASE("scatter wraps around in integers and keeps NaN") {
  const auto once = [](DType dtype, ScatterOp op, double a, double b) {
    Array x(dtype, {1}, {a}), index(DType::int32, {1}, {0}), update(dtype, {1}, {b});
    Array out(dtype, {1});
    run(Scatter{0, false, op}, {&x, &index, &update}, {&out});
    return out[0];
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(once(DType::uint8, ScatterOp::add, 200, 100) == 44);
  CHECK(once(DType::int8, ScatterOp::add, 100, 100) == -56);
  CHECK(once(DType::int32, ScatterOp::add, 2147483647, 1) == -2147483648.0);
  CHECK(once(DType::int8, ScatterOp::minimum, -3, 2) == -3);
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
    for (ScatterOp op : {ScatterOp::maximum, ScatterOp::minimum, ScatterOp::add}) {
      CHECK(std::isnan(once(dtype, op, nan, 1)));
      CHECK(std::isnan(once(dtype, op, 1, nan)));
    }
}

TEST_CASE("large gathers and scatters give the same bits on any number of threads") {
  std::mt19937 generator(3);
  const Case cases[] = {{{500, 64}, {3000}, 0, false},         {{40000}, {90000}, 0, false},
                        {{7, 300, 40}, {11, 60}, 1, false},    {{300, 3}, {70000}, 0, false},
                        {{50, 40, 60}, {50, 80, 60}, 1, true}, {{200, 900}, {200, 900}, 1, true}};
  for (const Case& c : cases) {
    const int64_t n = c.x[c.axis];
    Array x(DType::float32, c.x), updates(DType::float32, c.picked());
    std::normal_distribution<double> normal;
    for (int64_t i = 0; i < x.numel(); ++i) x.set(i, normal(generator));
    for (int64_t i = 0; i < updates.numel(); ++i) updates.set(i, normal(generator));
    Array indices = random_array(generator, DType::int32, c.indices, -n - 1, n);
    const Array picked = gathered(c, x, indices);
    std::vector<Array> sums;
    for (int threads : {1, 2, 3, 7}) {
      ThreadsScope scope(threads);
      Array out(DType::float32, c.picked());
      run(Gather{c.axis, c.along}, {&x, &indices}, {&out});
      CHECK(out == picked);
      Array sum(DType::float32, c.x);
      run(Scatter{c.axis, c.along, ScatterOp::add}, {&x, &indices, &updates}, {&sum});
      sums.push_back(sum);
      CHECK(sums.front() == sums.back());
    }
    // One addition in float at a time is what the reference does as well.
    CHECK(sums.front() == scattered(c, ScatterOp::add, x, indices, updates));
  }
}

}  // namespace gather_scatter_test
