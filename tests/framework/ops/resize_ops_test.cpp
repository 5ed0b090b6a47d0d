// ops::resize against sums written out, and its gradients.
#include <cornu/backend/thread_scope.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/image/resize.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../catch.h"
#include "../../support/all_close.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace resize_ops_test {

using namespace cornu;
using test::gradient_error;
using test::identical;
using test::noise;
using Inputs = std::vector<Tensor>;

namespace {

const std::vector<std::string> methods = {"nearest",  "bilinear", "bicubic",
                                          "lanczos3", "lanczos5", "area"};

double filter(const std::string& method, double x) {
  x = std::abs(x);
  if (method == "bilinear") return std::max(1 - x, 0.0);
  if (method == "bicubic") {
    if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
    return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
  }
  const double r = method == "lanczos3" ? 3 : 5, turn = std::numbers::pi * x;
  if (x > r) return 0;
  return x < 1e-6 ? 1 : r * std::sin(turn) * std::sin(turn / r) / (turn * turn);
}

// How much of pixel k is in pixel i of the result.
std::vector<double> shares(const std::string& method, bool antialias, int64_t size, int64_t output,
                           int64_t i) {
  const double step = static_cast<double>(size) / static_cast<double>(output);
  std::vector<double> w;
  double total = 0, at = (static_cast<double>(i) + 0.5) * step - 0.5;
  if (method == "bicubic" && !antialias)
    at = std::floor(at) + std::nearbyint((at - std::floor(at)) * 1024) / 1024;
  const double wide = antialias ? std::max(step, 1.0) : 1;
  for (int64_t k = 0; k < size; ++k) {
    const auto place = static_cast<double>(k);
    if (size == output)
      w.push_back(k == i);
    else if (method == "nearest")
      w.push_back(k == static_cast<int64_t>((static_cast<double>(i) + 0.5) * step));
    else if (method == "area")
      w.push_back(std::max(0.0, std::min((static_cast<double>(i) + 1) * step, place + 1) -
                                    std::max(static_cast<double>(i) * step, place)));
    else
      w.push_back(filter(method, (at - place) / wide));
    total += w.back();
  }
  for (double& v : w) v /= total;
  return w;
}

// Of images (n, h, w, c).
Tensor written_out(const Tensor& x, int64_t height, int64_t width, const std::string& method,
                   bool antialias) {
  const int64_t n = x.shape()[0], h = x.shape()[1], w = x.shape()[2], c = x.shape()[3];
  const std::vector<double> in = ops::cast(x, DType::float64).to_vector<double>();
  std::vector<double> out(static_cast<size_t>(n * height * width * c), 0);
  for (int64_t y = 0; y < height; ++y) {
    const std::vector<double> down = shares(method, antialias, h, height, y);
    for (int64_t z = 0; z < width; ++z) {
      const std::vector<double> across = shares(method, antialias, w, width, z);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < c; ++k)
          for (int64_t u = 0; u < h; ++u)
            for (int64_t v = 0; v < w; ++v)
              out[static_cast<size_t>(((i * height + y) * width + z) * c + k)] +=
                  down[static_cast<size_t>(u)] * across[static_cast<size_t>(v)] *
                  in[static_cast<size_t>(((i * h + u) * w + v) * c + k)];
    }
  }
  return Tensor::from(out, {n, height, width, c});
}

double difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  return ops::max(ops::absolute(ops::cast(a, DType::float64) - ops::cast(b, DType::float64)))
      .item();
}

Tensor levels(const Shape& shape) { return ops::round(noise(shape, 0, 255, 3)); }

}  // namespace

TEST_CASE("resize is what its weights say, of all methods, sizes, channels and dtypes") {
  const std::string method = GENERATE(from_range(methods));
  const bool antialias = GENERATE(false, true);
  const int64_t channels = GENERATE(1, 2, 3, 4, 9);
  const std::pair<int64_t, int64_t> size =
      GENERATE(std::pair{3, 11}, std::pair{9, 7}, std::pair{20, 1}, std::pair{4, 31});
  const int64_t height = size.first, width = size.second;
  INFO(method << ", antialias " << antialias << ", " << channels << " channels to " << height
              << " x " << width);
  const Tensor x = levels({2, 9, 13, channels});
  const Tensor expected = written_out(x, height, width, method, antialias);
  const auto resized = [&](const Tensor& images) {
    return ops::resize(images, {height, width}, method, antialias);
  };
  CHECK(difference(resized(ops::cast(x, DType::float32)), expected) < 2e-3);
  CHECK(difference(resized(x), expected) < 1e-3);  // float64
  CHECK(difference(resized(ops::cast(x, DType::float16)), expected) < 0.51);
  const Tensor bytes = resized(ops::cast(x, DType::uint8));
  CHECK(bytes.dtype() == DType::uint8);
  CHECK(difference(bytes, ops::clip(expected, 0, 255)) < 0.501);
  const Tensor whole = resized(ops::cast(x, DType::int32));
  CHECK(whole.dtype() == DType::int32);
  CHECK(difference(whole, expected) < 0.501);
  const Tensor first =
      ops::resize(ops::transpose(ops::cast(x, DType::float32), {{0, 3, 1, 2}}), {height, width},
                  method, antialias, false, false, "constant", 0, "channels_first");
  CHECK(difference(ops::transpose(first, {{0, 2, 3, 1}}), expected) < 2e-3);
  const Tensor alone = resized(ops::cast(x, DType::float32)[1]),
               among = resized(ops::cast(x, DType::float32))[1];
  // Elsewhere they are products of matrices, of other sizes.
  if (default_device().backend().on_host())
    CHECK(identical(alone, among));
  else
    CHECK(difference(alone, among) < 1e-4);
}

TEST_CASE("resize cuts and pads to the ratio of the sides") {
  const std::string method = GENERATE(from_range(methods));
  const bool tall = GENERATE(false, true);
  const int64_t height = tall ? 12 : 5, width = tall ? 5 : 16;
  const Tensor x = ops::cast(levels({2, 8, 10, 3}), DType::float32);
  // 8 x 3 or 3 x 10 pixels of the middle.
  const Tensor part = tall ? x[{Slice{}, Slice{}, Slice{3, 6}}] : x[{Slice{}, Slice{2, 5}}];
  CHECK(difference(ops::resize(x, {height, width}, method, false, true),
                   ops::resize(part, {height, width}, method)) < 1e-3);
  // 24 rows or 25 columns, of which those of the image are in the middle.
  const Tensor padded = tall ? ops::pad(x, {{0, 0}, {8, 8}, {0, 0}, {0, 0}}, "constant", 7.0)
                             : ops::pad(x, {{0, 0}, {0, 0}, {7, 7}, {0, 0}}, "constant", 7.0);
  const Tensor fitted = ops::resize(x, {height, width}, method, false, false, true, "constant", 7);
  CHECK(difference(fitted, ops::resize(padded, {height, width}, method)) < 1e-3);
  const Tensor bytes = ops::resize(ops::cast(x, DType::uint8), {height, width}, method, false,
                                   false, true, "constant", 7);
  CHECK(difference(bytes, ops::clip(fitted, 0, 255)) < 0.501);
}

TEST_CASE("resize has a gradient, and its gradient has one") {
  const std::string method = GENERATE(from_range(methods));
  const bool antialias = GENERATE(false, true);
  const bool crop = GENERATE(false, true), pad = !crop && GENERATE(false, true);
  INFO(method << ", antialias " << antialias << ", crop " << crop << ", pad " << pad);
  const auto f = [&](const Inputs& i) {
    return ops::resize(i[0], {4, 9}, method, antialias, crop, pad, "constant", 2);
  };
  CHECK(gradient_error(f, {noise({2, 6, 5, 3})}) < 1e-6);
  CHECK(gradient_error(
            [&](const Inputs& i) {
              return ops::resize(i[0], {7, 2}, method, antialias, crop, pad, "constant", 2,
                                 "channels_first");
            },
            {noise({1, 2, 5, 6})}) < 1e-6);
  // The derivative of a derivative.
  CHECK(gradient_error(
            [&](const Inputs& i) {
              GradientTape tape;
              tape.watch(i[0]);
              const Tensor y = ops::sum(ops::square(f(i)) * f(i));
              return tape.gradient(y, i[0]);
            },
            {noise({1, 3, 4, 2})}, 1e-5) < 1e-4);
}

TEST_CASE("resize of bytes and of small floats has gradients of no more and no less") {
  Variable x(ops::cast(noise({1, 4, 4, 1}), DType::float16));
  GradientTape tape;
  const Tensor y = ops::sum(ops::resize(x, {8, 8}, "nearest"));
  const Tensor dx = tape.gradient(y, x);
  CHECK(dx.dtype() == DType::float16);
  CHECK(test::equals(dx, std::vector<double>(16, 4)));
}

TEST_CASE("resize has the same bits on any number of threads, and in compiled functions") {
  const Tensor x = ops::cast(levels({3, 70, 90, 3}), DType::float32);
  for (const std::string& method : methods) {
    const auto resized = [&](const Tensor& images) {
      return ops::resize(images, {61, 47}, method);
    };
    Tensor one;
    {
      const backend::ThreadScope scope(1);
      one = resized(x);
    }
    const backend::ThreadScope scope(4);
    CHECK(identical(resized(x), one));
    const auto compiled = function(resized);
    for (int i = 0; i < 4; ++i) CHECK(identical(compiled(x), one));
  }
}

TEST_CASE("resize infers shapes, takes nothing, and explains mistakes") {
  const Tensor unknown = Tensor::abstract({Shape::unknown, Shape::unknown, 6, 3}, DType::uint8);
  CHECK(ops::resize(unknown, {4, 5}).shape() == Shape{Shape::unknown, 4, 5, 3});
  CHECK(ops::resize(unknown, {4, 5}).dtype() == DType::uint8);
  CHECK(ops::resize(ops::zeros({0, 6, 6, 3}), {4, 5}).shape() == Shape{0, 4, 5, 3});
  CHECK(test::has(test::error_of([] {
                    ops::resize(ops::zeros({6, 6, 3}), {4, 5}, "bicubc");
                  }),
                  "'bicubic'"));
  CHECK_THROWS_AS(ops::resize(unknown, {4, 5}, "bicubc"), ValueError);
  CHECK_THROWS_AS(ops::resize(ops::zeros({6, 6}), {4, 5}), ShapeError);
  CHECK_THROWS_AS(ops::resize(ops::zeros({6, 6, 3}), {4, 0}), ValueError);
}

}  // namespace resize_ops_test
