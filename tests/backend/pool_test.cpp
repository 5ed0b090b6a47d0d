// Pooling against plain loops: all dtypes, borders, ties and NaN.
#include <catch.h>

#include <array>
#include <cmath>

#include "array.h"

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
  c.channels = random_int(random, 1, 40);
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    c.window[i] = random_int(random, 1, 3);
    c.strides[i] = random_int(random, 1, 3);
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
  run(c.pool(true, false), {&x}, {&y});
  CHECK(near(y, largest, 0));
  run(c.pool(true, true), {&x, &y, &dy}, {&dx});
  CHECK(near(dx, Array(dtype, dx.shape(), largest_dx), 0));
  if (dtype == DType::boolean) return;  // has no average
  run(c.pool(false, false), {&x}, {&y});
  const double epsilon = dtype == DType::float64    ? 1e-15
                         : dtype == DType::float32  ? 1e-6
                         : dtype == DType::float16  ? 1e-2
                         : dtype == DType::bfloat16 ? 1e-1
                                                    : 0;
  CHECK(near(y, average, 4 * epsilon));
  if (!is_float(dtype)) return;
  run(c.pool(false, true), {&x, &y, &dy}, {&dx});
  CHECK(near(dx, Array(dtype, dx.shape(), average_dx), 8 * epsilon));
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
