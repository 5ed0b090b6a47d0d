// Pooling against plain loops: all dtypes, borders, ties and NaN.
#include <catch.h>

#include <array>
#include <cmath>

#include "array.h"
#include "blocks.h"

namespace pool_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

struct Case {
  int spatial = 2;
  int64_t batch = 1, channels = 1;
  std::array<int64_t, 3> x{1, 1, 1}, window{1, 1, 1}, strides{1, 1, 1}, low{}, high{};

  int64_t y(size_t axis) const {
    return (x[axis] + low[axis] + high[axis] - window[axis]) / strides[axis] + 1;
  }
  Pool pool(bool maximum, bool backward) const {
    Pool pool;
    pool.maximum = maximum;
    pool.backward = backward;
    for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
      pool.window.push_back(window[i]);
      pool.strides.push_back(strides[i]);
      pool.pad_low.push_back(low[i]);
      pool.pad_high.push_back(high[i]);
    }
    return pool;
  }
  Shape shape(bool of_x) const {
    Shape shape{batch};
    for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) shape.push_back(of_x ? x[i] : y(i));
    shape.push_back(channels);
    return shape;
  }
};

Case random_case(std::mt19937& random, int spatial) {
  Case c;
  c.spatial = spatial;
  c.batch = random_int(random, 1, 3);
  c.channels =
      random_int(random, 0, 2) == 0 ? 16 * random_int(random, 1, 2) : random_int(random, 1, 40);
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    c.window[i] = random_int(random, 1, 3);
    c.strides[i] = random_int(random, 1, 3);
    if (random_int(random, 0, 1) == 0) {  // the usual case: windows that tile x
      c.strides[i] = c.window[i];
      c.x[i] = c.window[i] * random_int(random, 1, 4);
      continue;
    }
    c.low[i] = random_int(random, 0, c.window[i] - 1);
    c.high[i] = random_int(random, 0, c.window[i] - 1);
    c.x[i] = c.window[i] + random_int(random, 0, 5);
  }
  return c;
}

// Calls f(index in y, indices in x of its window, row by row).
template <class F>
void each_window(const Case& c, F&& f) {
  const int64_t pixels = c.y(0) * c.y(1) * c.y(2);
  for (int64_t out = 0; out < c.batch * pixels * c.channels; ++out) {
    const int64_t channel = out % c.channels, pixel = out / c.channels % pixels;
    const int64_t at[3] = {pixel / c.y(2) / c.y(1), pixel / c.y(2) % c.y(1), pixel % c.y(2)};
    std::vector<int64_t> inside;
    for (int64_t tap = 0; tap < c.window[0] * c.window[1] * c.window[2]; ++tap) {
      const int64_t k[3] = {tap / c.window[2] / c.window[1], tap / c.window[2] % c.window[1],
                            tap % c.window[2]};
      int64_t from = out / c.channels / pixels;
      bool ok = true;
      for (size_t i = 0; i < 3; ++i) {
        const int64_t p = at[i] * c.strides[i] + k[i] - c.low[i];
        ok = ok && p >= 0 && p < c.x[i];
        from = from * c.x[i] + p;
      }
      if (ok) inside.push_back(from * c.channels + channel);
    }
    f(out, inside);
  }
}

void check(std::mt19937& random, const Case& c, DType dtype, bool with_nan = false) {
  const int64_t low = is_float(dtype) || is_signed_int(dtype) ? -4 : 0;
  const int64_t high = dtype == DType::boolean ? 1 : 4;  // few values: many ties
  Array x = random_array(random, dtype, c.shape(true), low, high);
  if (with_nan)
    for (int64_t i = 0; i < x.numel(); i += 7) x.set(i, std::numeric_limits<double>::quiet_NaN());
  Array dy = random_array(random, dtype, c.shape(false), low, high);
  Array y(dtype, c.shape(false)), dx(dtype, c.shape(true));
  INFO(dtype_name(dtype) << " x " << x.shape().str() << " y " << y.shape().str());

  Array largest = y, average = y;
  std::vector<double> largest_dx(static_cast<size_t>(x.numel())), average_dx = largest_dx;
  each_window(c, [&](int64_t out, const std::vector<int64_t>& window) {
    int64_t best = window[0];
    double sum = 0;
    for (const int64_t i : window) {
      if (x[i] > x[best] || (std::isnan(x[i]) && !std::isnan(x[best]))) best = i;
      sum += x[i];
    }
    const double count = static_cast<double>(window.size());
    largest.set(out, x[best]);
    average.set(out, sum / count);
    largest_dx[static_cast<size_t>(best)] += dy[out];
    for (const int64_t i : window) average_dx[static_cast<size_t>(i)] += dy[out] / count;
  });
  const auto near = [](const Array& a, const Array& b, double tolerance) {
    for (int64_t i = 0; i < a.numel(); ++i)
      if (!(std::fabs(a[i] - b[i]) <= tolerance) && !(std::isnan(a[i]) && std::isnan(b[i])))
        return false;
    return true;
  };
  const double epsilon = dtype == DType::float64    ? 1e-15
                         : dtype == DType::float32  ? 1e-6
                         : dtype == DType::float16  ? 1e-2
                         : dtype == DType::bfloat16 ? 1e-1
                                                    : 0;
  for (const int64_t block : {0, 3, 8, 16}) {
    if (block != 0 && c.channels % block != 0) continue;
    INFO("blocks of " << block);
    const auto pool = [&](bool maximum, bool backward) {
      Pool kernel = c.pool(maximum, backward);
      kernel.block = block;
      return kernel;
    };
    Array x_in = blocked(x, block), dy_in = blocked(dy, block), y_in = blocked(largest, block);
    Array y_out = y_in, dx_out = x_in;
    run(pool(true, false), {&x_in}, {&y_out});
    CHECK(near(y_out, blocked(largest, block), 0));
    run(pool(true, true), {&x_in, &y_in, &dy_in}, {&dx_out});
    CHECK(near(dx_out, blocked(Array(dtype, dx.shape(), largest_dx), block), 0));
    Pool with_relu = pool(true, true);
    with_relu.relu = true;
    std::vector<double> positive_dx = largest_dx;
    for (int64_t i = 0; i < x.numel(); ++i)
      if (!(x[i] > 0)) positive_dx[static_cast<size_t>(i)] = 0;
    run(with_relu, {&x_in, &y_in, &dy_in}, {&dx_out});
    CHECK(near(dx_out, blocked(Array(dtype, dx.shape(), positive_dx), block), 0));
    if (!pool(true, true).windows_overlap()) {  // then dx may lie over x
      Array over = x_in;
      run(pool(true, true), {&over, &y_in, &dy_in}, {&over});
      CHECK(near(over, blocked(Array(dtype, dx.shape(), largest_dx), block), 0));
    }
    if (dtype == DType::boolean) continue;  // has no average
    run(pool(false, false), {&x_in}, {&y_out});
    CHECK(near(y_out, blocked(average, block), 4 * epsilon));
    if (!is_float(dtype)) continue;
    run(pool(false, true), {&x_in, &y_in, &dy_in}, {&dx_out});
    CHECK(near(dx_out, blocked(Array(dtype, dx.shape(), average_dx), block), 8 * epsilon));
  }
}

}  // namespace

TEST_CASE("pool: random sizes, strides and padding") {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round)
    for (const int spatial : {1, 2, 3})
      check(random, random_case(random, spatial), round % 4 == 0 ? DType::float64 : DType::float32);
}

TEST_CASE("pool: every dtype") {
  std::mt19937 random(2);
  for (const DType dtype : all_dtypes)
    for (int round = 0; round < 6; ++round)
      check(random, random_case(random, 1 + round % 3), dtype);
}

TEST_CASE("pool: NaN wins") {
  std::mt19937 random(3);
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
    for (int round = 0; round < 6; ++round)
      check(random, random_case(random, 1 + round % 3), dtype, true);
}

TEST_CASE("pool: many channels, several threads, an empty batch") {
  std::mt19937 random(4);
  Case c;
  c.x = {20, 22, 1};
  c.window = {3, 2, 1};
  c.strides = {2, 1, 1};
  for (const int count : {1, 2, 3}) {
    const ThreadsScope scope(count);
    for (const int64_t channels : {31, 300, 600})
      for (const int64_t batch : {0, 1, 2}) {
        c.channels = channels;
        c.batch = batch;
        check(random, c, DType::float32);
      }
  }
}

TEST_CASE("pool: minus infinity is a maximum, an average of integers can be a float") {
  const double infinity = std::numeric_limits<double>::infinity();
  Array x(DType::float32, {1, 2, 1}, {-infinity, -infinity}), y(DType::float32, {1, 1, 1});
  Array dy(DType::float32, {1, 1, 1}, {5}), dx(DType::float32, {1, 2, 1});
  Pool pool{true, false, {2}, {2}, {0}, {0}};
  run(pool, {&x}, {&y});
  CHECK(y[0] == -infinity);
  pool.backward = true;
  run(pool, {&x, &y, &dy}, {&dx});
  CHECK(dx[0] == 5);
  CHECK(dx[1] == 0);
  Array whole(DType::int8, {1, 2, 1}, {-1, 2});
  run(Pool{false, false, {2}, {2}, {0}, {0}}, {&whole}, {&y});
  CHECK(y[0] == 0.5);
}

TEST_CASE("pool: prepared kernels give the bits of the others") {
  std::mt19937 random(5);
  for (int round = 0; round < 8; ++round) {
    Case c = random_case(random, 2);
    c.channels = 16;
    const int64_t block = round % 2 == 0 ? 8 : 0;
    Array x = blocked(random_array(random, DType::float32, c.shape(true), -4, 4), block);
    Array dy = blocked(random_array(random, DType::float32, c.shape(false), -4, 4), block);
    Array y = dy, y_found = dy, dx = x, dx_found = x;
    Pool pool = c.pool(round % 4 < 2, false);
    pool.block = block;
    const Operand in[] = {x.operand(), y.operand(), dy.operand()};
    const Operand y_out = y.operand(), dx_out = dx.operand();
    const auto forward = cpu_backend().prepare(pool, {in, 1}, {&y_out, 1});
    pool.backward = true;
    const auto backward = cpu_backend().prepare(pool, in, {&dx_out, 1});
    run(pool, {&x, &y, &dy}, {&dx});
    void* const backward_data[] = {x.data(), y.data(), dy.data(), dx_found.data()};
    backward->run(backward_data);
    CHECK(dx_found == dx);
    pool.backward = false;
    run(pool, {&x}, {&y});
    void* const forward_data[] = {x.data(), y_found.data()};
    forward->run(forward_data);
    CHECK(y_found == y);
  }
}

}  // namespace pool_test
