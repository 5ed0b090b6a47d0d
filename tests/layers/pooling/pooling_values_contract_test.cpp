// Pooling against loops that say what it is: windows, strides, padding, layouts, global and
// adaptive forms.
#include <cornu/cornu.h>

#include <algorithm>
#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace pooling_values_contract_test {

using namespace cornu;
using test::difference;
using test::error_of;
using test::has;
using test::identical;

namespace {

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

// x (n, steps, c): the largest or the mean of each window; padding counts in neither.
Tensor pooled(const Tensor& x, int64_t size, int64_t stride, const std::string& padding,
              bool largest) {
  const int64_t n = x.shape(0), steps = x.shape(1), c = x.shape(2);
  int64_t outputs = (steps - size) / stride + 1, before = 0;
  if (padding == "same") {
    outputs = (steps + stride - 1) / stride;
    before = std::max<int64_t>(0, (outputs - 1) * stride + size - steps) / 2;
  }
  const auto values = x.to_vector<double>();
  std::vector<float> result;
  for (int64_t b = 0; b < n; ++b)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t k = 0; k < c; ++k) {
        double best = -INFINITY, sum = 0;
        int count = 0;
        for (int64_t i = 0; i < size; ++i) {
          const int64_t at = o * stride + i - before;
          if (at < 0 || at >= steps) continue;
          const double v = values[static_cast<size_t>((b * steps + at) * c + k)];
          best = std::max(best, v);
          sum += v;
          ++count;
        }
        result.push_back(static_cast<float>(largest ? best : sum / count));
      }
  return Tensor::from(result, {n, outputs, c});
}

}  // namespace

TEST_CASE("pooling of one axis is the largest or the mean of each window") {
  const Tensor x = waves({2, 9, 3});
  for (const char* padding : {"valid", "same"})
    for (const int64_t size : {2, 3, 4})
      for (const int64_t stride : {1, 2, 3}) {
        INFO(padding << " size " << size << " stride " << stride);
        layers::MaxPooling1D largest({.pool_size = size, .strides = stride, .padding = padding});
        layers::AveragePooling1D mean({.pool_size = size, .strides = stride, .padding = padding});
        CHECK(identical(largest(x), pooled(x, size, stride, padding, true)));
        CHECK(difference(mean(x), pooled(x, size, stride, padding, false)) < 1e-6);
      }
}

TEST_CASE("pooling of two axes is pooling of one after the other") {
  const Tensor x = waves({2, 6, 8, 3});
  layers::MaxPooling2D largest({.pool_size = {2, 4}});
  layers::AveragePooling2D mean({.pool_size = {2, 4}});
  const auto by_axis = [&](bool max) {
    Tensor rows = ops::reshape(ops::transpose(x, std::vector<int64_t>{0, 2, 1, 3}), {16, 6, 3});
    rows = ops::transpose(ops::reshape(pooled(rows, 2, 2, "valid", max), {2, 8, 3, 3}),
                          std::vector<int64_t>{0, 2, 1, 3});
    return ops::reshape(pooled(ops::reshape(rows, {6, 8, 3}), 4, 4, "valid", max), {2, 3, 2, 3});
  };
  CHECK(identical(largest(x), by_axis(true)));
  CHECK(difference(mean(x), by_axis(false)) < 1e-6);
}

TEST_CASE("three axes, and channels first, pool as two axes do") {
  const Tensor x = waves({2, 4, 6, 3});
  const Tensor expected = layers::MaxPooling2D({.pool_size = 2})(x);
  CHECK(identical(
      ops::squeeze(layers::MaxPooling3D({.pool_size = {1, 2, 2}})(ops::expand_dims(x, {1})), 1),
      expected));
  const Tensor first = ops::transpose(x, std::vector<int64_t>{0, 3, 1, 2});
  layers::MaxPooling2D moved({.pool_size = 2, .data_format = "channels_first"});
  CHECK(identical(ops::transpose(moved(first), std::vector<int64_t>{0, 2, 3, 1}), expected));
}

TEST_CASE("global pooling is over all places, with and without their axes") {
  const Tensor x = waves({2, 4, 5, 3});
  CHECK(identical(layers::GlobalMaxPooling2D()(x), ops::max(x, {1, 2})));
  CHECK(difference(layers::GlobalAveragePooling2D()(x), ops::mean(x, {1, 2})) < 1e-6);
  CHECK(layers::GlobalMaxPooling2D({.keepdims = true})(x).shape() == Shape{2, 1, 1, 3});
  const Tensor steps = waves({2, 6, 3});
  CHECK(identical(layers::GlobalMaxPooling1D()(steps), ops::max(steps, 1)));
  const Tensor volume = waves({2, 2, 3, 2, 3});
  CHECK(difference(layers::GlobalAveragePooling3D()(volume), ops::mean(volume, {1, 2, 3})) < 1e-6);
  CHECK(identical(layers::GlobalMaxPooling3D()(volume), ops::max(volume, {1, 2, 3})));
}

TEST_CASE("adaptive pooling has the size asked for, and is plain where that divides") {
  const Tensor x = waves({2, 6, 8, 3});
  CHECK(difference(layers::AdaptiveAveragePooling2D({.output_size = {3, 2}})(x),
                   layers::AveragePooling2D({.pool_size = {2, 4}})(x)) < 1e-6);
  CHECK(identical(layers::AdaptiveMaxPooling2D({.output_size = {3, 2}})(x),
                  layers::MaxPooling2D({.pool_size = {2, 4}})(x)));
  // Windows of 5 places over 3: [0, 2), [1, 4), [3, 5).
  const Tensor steps = Tensor::from({1.0f, 2.0f, 6.0f, 4.0f, 8.0f}, {1, 5, 1});
  CHECK(test::equals(layers::AdaptiveAveragePooling1D({.output_size = 3})(steps), {1.5, 4, 6}));
  CHECK(test::equals(layers::AdaptiveMaxPooling1D({.output_size = 3})(steps), {2, 6, 8}));
  CHECK(layers::AdaptiveAveragePooling2D({.output_size = 1})(x).shape() == Shape{2, 1, 1, 3});
}

TEST_CASE("the gradient of a largest goes to where it was, of a mean to all") {
  const Tensor x = Tensor::from({1.0f, 4.0f, 3.0f, 2.0f}, {1, 4, 1});
  const auto gradient = [&](const AnyLayer& layer) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient((*layer.shared())(x), x);
  };
  CHECK(test::equals(gradient(layers::MaxPooling1D({.pool_size = 2})), {0, 1, 1, 0}));
  CHECK(test::equals(gradient(layers::MaxPooling1D({.pool_size = 3, .strides = 1})), {0, 2, 0, 0}));
  CHECK(test::equals(gradient(layers::AveragePooling1D({.pool_size = 2})), {0.5, 0.5, 0.5, 0.5}));
  CHECK(test::equals(gradient(layers::GlobalMaxPooling1D()), {0, 1, 0, 0}));
}

TEST_CASE("GlobalAveragePooling1D leaves out what a mask excludes") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 30.0f, 4.0f}, {1, 4, 1});
  const Tensor mask = ops::cast(Tensor::from({1, 1, 0, 1}, {1, 4}), DType::boolean);
  CHECK(layers::GlobalAveragePooling1D()(x, {.mask = mask}).item() == Approx(7.0 / 3));
}

TEST_CASE("pooling says what does not fit") {
  CHECK(has(error_of([] { layers::MaxPooling2D({.pool_size = 2, .padding = "full"}); }), "full"));
  CHECK(has(error_of([] { layers::MaxPooling1D({.pool_size = 0}); }), "pool_size"));
  CHECK_THROWS_AS(layers::MaxPooling2D({.pool_size = 4})(waves({1, 3, 3, 1})), Error);
  CHECK_THROWS_AS(layers::MaxPooling2D({.pool_size = 2})(waves({1, 3, 3})), ShapeError);
  CHECK_THROWS_AS(layers::AdaptiveMaxPooling1D({.output_size = 0}), ValueError);
}

}  // namespace pooling_values_contract_test
