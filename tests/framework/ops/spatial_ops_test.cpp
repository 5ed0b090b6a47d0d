// Transposed, depthwise and separable convolution, adaptive pooling and interpolation.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/detail/resize_axis.h>
#include <cornu/framework/ops/image/resize.h>
#include <cornu/framework/ops/nn/convolution.h>
#include <cornu/framework/ops/nn/pooling.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include "../../catch.h"
#include "../../support/gradient_check.h"
#include "support/all_close.h"

namespace spatial_ops_test {

using namespace cornu;
using test::gradient_error;
using test::noise;
using Inputs = std::vector<Tensor>;

TEST_CASE("conv_transpose is the gradient of conv") {
  const Tensor kernel = noise({3, 2, 2, 3}, -1, 1, 2);
  const auto check = [&](const Shape& shape, const char* padding) {
    const Tensor x = noise(shape);
    GradientTape tape;
    tape.watch(x);
    const Tensor y = ops::conv(x, kernel, {2, 1}, padding);
    const Tensor dy = noise(y.shape(), -1, 1, 3), dx = tape.gradient(ops::sum(y * dy), x);
    CHECK(test::all_close(ops::conv_transpose(dy, kernel, {2, 1}, padding), dx));
  };
  check({1, 5, 6, 2}, "valid");
  check({1, 6, 5, 2}, "same");
}

TEST_CASE("conv_transpose has the sizes that Keras documents") {
  const auto size = [](int64_t n, int64_t k, int64_t stride, const char* padding,
                       std::optional<std::vector<int64_t>> extra, int64_t dilation = 1) {
    return ops::conv_transpose(noise({1, n, 1}), noise({k, 1, 1}), {stride}, padding, extra,
                               "channels_last", {dilation})
        .shape()[1];
  };
  CHECK(size(4, 3, 2, "valid", {}) == 9);
  CHECK(size(4, 2, 3, "valid", {}) == 12);
  CHECK(size(4, 3, 2, "valid", {{1}}) == 10);
  CHECK(size(4, 3, 2, "same", {}) == 8);
  CHECK(size(4, 3, 2, "same", {{0}}) == 7);
  CHECK(size(4, 2, 3, "same", {{2}}) == 11);
  CHECK(size(4, 3, 1, "valid", {}, 2) == 8);
}

TEST_CASE("spatial ops have the gradients of finite differences") {
  CHECK(gradient_error(
            [](const Inputs& i) {
              return ops::conv_transpose(i[0], i[1], {2, 3}, "same", {{1, 0}});
            },
            {noise({2, 3, 2, 2}), noise({3, 2, 3, 2}, -1, 1, 2)}) < 1e-6);
  CHECK(gradient_error(
            [](const Inputs& i) {
              return ops::depthwise_conv(i[0], i[1], {2}, "same", "channels_first", {2});
            },
            {noise({2, 3, 7}), noise({2, 3, 2}, -1, 1, 2)}) < 1e-6);
  CHECK(gradient_error([](const Inputs& i) { return ops::separable_conv(i[0], i[1], i[2]); },
                       {noise({1, 4, 3, 2}), noise({2, 2, 2, 2}, -1, 1, 2),
                        noise({1, 1, 4, 3}, -1, 1, 3)}) < 1e-6);
  CHECK(gradient_error(
            [](const Inputs& i) {
              return ops::adaptive_average_pool(i[0], {3, 2});
            },
            {noise({1, 7, 4, 2})}) < 1e-6);
  CHECK(gradient_error([](const Inputs& i) { return ops::adaptive_max_pool(i[0], {3}); },
                       {noise({2, 7, 2})}) < 1e-6);
  CHECK(gradient_error([](const Inputs& i) { return ops::resize_axis(i[0], 1, 7, "bicubic"); },
                       {noise({2, 4, 2})}) < 1e-6);
}

TEST_CASE("adaptive windows overlap where the sizes do not divide") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f}, {1, 7, 1});
  CHECK(test::all_close(ops::adaptive_average_pool(x, {3}),
                        Tensor::from({2.0f, 4.0f, 6.0f}, {1, 3, 1})));
  CHECK(test::all_close(ops::adaptive_max_pool(x, {5}),
                        Tensor::from({2.0f, 3.0f, 5.0f, 6.0f, 7.0f}, {1, 5, 1})));
  CHECK(test::all_close(ops::adaptive_max_pool(x, {7}), x));
  CHECK_THROWS_AS(ops::adaptive_max_pool(x, {0}), ValueError);
}

TEST_CASE("interpolation keeps constants, widens when it shrinks, and knows its names") {
  const Tensor ones = noise({1, 6}, 1, 1 + 1e-12);
  for (const char* name : {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"})
    for (int64_t size : {1, 3, 6, 11})
      for (bool antialias : {false, true})
        CHECK(test::all_close(
            ops::resize_axis(ones, 1, size, name, antialias),
            Tensor::from(std::vector<double>(static_cast<size_t>(size), 1.0), {1, size})));
  const Tensor x = Tensor::from({0.0f, 0.0f, 8.0f, 0.0f}, {4});
  CHECK(test::all_close(ops::resize_axis(x, 0, 2, "bilinear"), Tensor::from({0.0f, 4.0f}, {2})));
  CHECK(test::all_close(ops::resize_axis(x, 0, 2, "bilinear", true),
                        Tensor::from({8.0f / 7, 24.0f / 7}, {2})));
  CHECK_THROWS_WITH(
      ops::resize_axis(x, 0, 2, "bicubik"),
      "resize: interpolation 'bicubik' is not known. Did you mean 'bicubic'? Known are "
      "'nearest', 'bilinear', 'bicubic', 'lanczos3', 'lanczos5'.");
  // What Keras gives on TensorFlow, whose cubic weights stand in a table.
  const Tensor row = Tensor::from({1.0f, 5.0f, 2.0f, 8.0f}, {1, 1, 4, 1});
  CHECK(test::all_close(ops::resize_axis(row, 2, 12, "bicubic"),
                        Tensor::from({0.5791747f, 1.0f, 2.2053308f, 3.9301894f, 5.0f, 4.1866496f,
                                      2.5912364f, 2.0f, 3.7118645f, 6.2436523f, 8.0f, 8.631237f},
                                     {1, 1, 12, 1}),
                        1e-6, 1e-6));
  CHECK(test::all_close(
      ops::resize(row, {1, 7}, "bicubic"),
      Tensor::from({0.6831344f, 2.3241286f, 4.9113784f, 3.375f, 2.1789389f, 6.0711436f, 8.475298f},
                   {1, 1, 7, 1}),
      1e-6, 1e-6));
  CHECK(test::all_close(
      ops::resize(row, {1, 7}, "bicubic", true),
      Tensor::from({0.6826916f, 2.3227563f, 4.911107f, 3.375f, 2.1794226f, 6.0731387f, 8.475963f},
                   {1, 1, 7, 1}),
      1e-6, 1e-6));
}

TEST_CASE("spatial ops work in compiled functions and in graphs") {
  const auto chain = [](const Tensor& x) {
    const Tensor wide = ops::conv_transpose(x, noise({2, 2, 2}), {2}, "same");
    return ops::adaptive_max_pool(ops::resize_axis(wide, 1, 9, "bilinear"), {4});
  };
  const auto compiled = function(chain);
  for (int seed = 1; seed < 5; ++seed) {
    const Tensor x = noise({1, 3, 2}, -1, 1, seed);
    CHECK(test::all_close(compiled(x), chain(x)));
  }
  const Tensor x = Input({7, 2});
  CHECK(ops::adaptive_average_pool(x, {3}).shape() == Shape{std::nullopt, 3, 2});
  CHECK(ops::conv_transpose(x, noise({3, 4, 2}), {2}).shape() == Shape{std::nullopt, 15, 4});
  CHECK(ops::separable_conv(x, noise({2, 2, 3}), noise({1, 6, 5})).shape() ==
        Shape{std::nullopt, 6, 5});
}

TEST_CASE("spatial ops check channels") {
  CHECK_THROWS_AS(ops::conv_transpose(noise({1, 4, 2}), noise({2, 2, 3})), ShapeError);
  CHECK_THROWS_AS(ops::depthwise_conv(noise({1, 4, 2}), noise({2, 3, 1})), ShapeError);
  CHECK_THROWS_AS(ops::depthwise_conv(noise({1, 4, 2}), noise({2, 2})), ShapeError);
  for (const char* name : {"ConvTranspose", "DepthwiseConv", "SeparableConv", "AdaptiveMaxPool",
                           "AdaptiveAveragePool"})
    CHECK(op_catalog().find("keras.src.ops.nn", name));
}

}  // namespace spatial_ops_test
