// Convolutions against loops that say what a convolution is: every stride, padding, dilation, group
// and layout.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace convolution_values_contract_test {

using namespace cornu;
using test::difference;
using test::error_of;
using test::has;

namespace {

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

struct Geometry {
  int64_t stride = 1, dilation = 1, groups = 1;
  std::string padding = "valid";
};

// One axis: how many outputs there are, and how many zeros come before the first input.
std::pair<int64_t, int64_t> outputs_and_zeros(int64_t size, int64_t kernel, const Geometry& g) {
  const int64_t reach = (kernel - 1) * g.dilation + 1;
  if (g.padding == "valid") return {(size - reach) / g.stride + 1, 0};
  const int64_t outputs = (size + g.stride - 1) / g.stride;
  if (g.padding == "causal") return {outputs, reach - 1};
  return {outputs, std::max<int64_t>(0, (outputs - 1) * g.stride + reach - size) / 2};
}

// x (n, h, w, c) by kernel (kh, kw, c / groups, filters).
Tensor convolved(const Tensor& x, const Tensor& kernel, const Geometry& g) {
  const int64_t n = x.shape(0), h = x.shape(1), w = x.shape(2), c = x.shape(3);
  const int64_t kh = kernel.shape(0), kw = kernel.shape(1), inner = kernel.shape(2),
                filters = kernel.shape(3);
  const auto [rows, top] = outputs_and_zeros(h, kh, g);
  const auto [columns, left] = outputs_and_zeros(w, kw, g);
  const auto values = x.to_vector<double>(), weights = kernel.to_vector<double>();
  std::vector<float> result;
  for (int64_t b = 0; b < n; ++b)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t q = 0; q < columns; ++q)
        for (int64_t f = 0; f < filters; ++f) {
          const int64_t group = f / (filters / g.groups);
          double sum = 0;
          for (int64_t i = 0; i < kh; ++i)
            for (int64_t j = 0; j < kw; ++j) {
              const int64_t y = r * g.stride + i * g.dilation - top,
                            z = q * g.stride + j * g.dilation - left;
              if (y < 0 || y >= h || z < 0 || z >= w) continue;
              for (int64_t k = 0; k < inner; ++k)
                sum += values[static_cast<size_t>(((b * h + y) * w + z) * c + group * inner + k)] *
                       weights[static_cast<size_t>(((i * kw + j) * inner + k) * filters + f)];
            }
          result.push_back(static_cast<float>(sum));
        }
  return Tensor::from(result, {n, rows, columns, filters});
}

}  // namespace

TEST_CASE("Conv2D is the sum over its window, for each stride, dilation, group and padding") {
  const Tensor x = waves({2, 7, 6, 4});
  for (const char* padding : {"valid", "same"})
    for (const auto& [stride, dilation] :
         {std::pair<int64_t, int64_t>{1, 1}, {2, 1}, {3, 1}, {1, 2}})
      for (const int64_t groups : {1, 2, 4}) {
        INFO(padding << " stride " << stride << " dilation " << dilation << " groups " << groups);
        layers::Conv2D layer({.filters = 4,
                              .kernel_size = {3, 2},
                              .strides = stride,
                              .padding = padding,
                              .dilation_rate = dilation,
                              .groups = groups,
                              .use_bias = false});
        const Tensor y = layer(x);
        CHECK(difference(y, convolved(x, layer->get_weights()[0],
                                      {stride, dilation, groups, padding})) < 1e-5);
      }
}

TEST_CASE("Conv1D is Conv2D with one row, and looks back only when causal") {
  const Tensor x = waves({2, 9, 3});
  for (const char* padding : {"valid", "same", "causal"})
    for (const int64_t dilation : {1, 2}) {
      INFO(padding << " dilation " << dilation);
      layers::Conv1D layer({.filters = 2,
                            .kernel_size = 3,
                            .padding = padding,
                            .dilation_rate = dilation,
                            .use_bias = false});
      const Tensor y = layer(x);
      // As columns of one row: a kernel of one row.
      const Tensor kernel = ops::expand_dims(layer->get_weights()[0], {0});
      const Tensor row = convolved(ops::expand_dims(x, {1}), kernel, {1, dilation, 1, padding});
      CHECK(difference(y, ops::squeeze(ops::take(row, Tensor::from({0}, {1}), 1), 1)) < 1e-5);
    }
  layers::Conv1D causal({.filters = 2, .kernel_size = 3, .padding = "causal"});
  const Tensor y = causal(x);
  // What comes later does not change what was before.
  const Tensor later = ops::concatenate(
      {ops::slice(x, Tensor::from({0, 0, 0}, {3}), {2, 5, 3}), waves({2, 4, 3}, 9)}, 1);
  const Tensor first = Tensor::from({0, 1, 2, 3, 4}, {5});
  CHECK(difference(ops::take(causal(later), first, 1), ops::take(y, first, 1)) < 1e-6);
}

TEST_CASE("DepthwiseConv2D is a convolution of as many groups as channels") {
  const Tensor x = waves({2, 6, 5, 3});
  for (const int64_t multiplier : {1, 2}) {
    layers::DepthwiseConv2D layer({.kernel_size = {2, 3},
                                   .padding = "same",
                                   .depth_multiplier = multiplier,
                                   .use_bias = false});
    const Tensor y = layer(x);
    const Tensor kernel = ops::reshape(layer->get_weights()[0], {2, 3, 1, 3 * multiplier});
    CHECK(difference(y, convolved(x, kernel, {1, 1, 3, "same"})) < 1e-5);
  }
}

TEST_CASE("SeparableConv2D is a depthwise convolution and then one of single pixels") {
  const Tensor x = waves({2, 6, 5, 3});
  layers::SeparableConv2D layer({.filters = 4, .kernel_size = 3, .use_bias = false});
  const Tensor y = layer(x);
  const auto weights = layer->get_weights();
  const Tensor depth = convolved(x, ops::reshape(weights[0], {3, 3, 1, 3}), {1, 1, 3, "valid"});
  CHECK(difference(y, convolved(depth, weights[1], {})) < 1e-5);
}

TEST_CASE("a transposed convolution is the gradient of a convolution by its input") {
  for (const char* padding : {"valid", "same"})
    for (const int64_t stride : {1, 2}) {
      INFO(padding << " stride " << stride);
      layers::Conv2DTranspose layer({.filters = 2,
                                     .kernel_size = 3,
                                     .strides = stride,
                                     .padding = padding,
                                     .use_bias = false});
      const Tensor x = waves({1, 4, 4, 3});
      const Tensor y = layer(x);
      // The kernel of a transposed convolution is (h, w, outputs, inputs): that of the convolution
      // the other way.
      layers::Conv2D other({.filters = 3,
                            .kernel_size = 3,
                            .strides = stride,
                            .padding = padding,
                            .use_bias = false});
      const Tensor image = ops::zeros(y.shape());
      other(image);
      other->set_weights(layer->get_weights());
      GradientTape tape;
      tape.watch(image);
      const Tensor back = other(image);
      REQUIRE(back.shape() == x.shape());
      CHECK(difference(tape.gradient(back, std::vector<Tensor>{image}, x)[0], y) < 1e-5);
    }
}

TEST_CASE("Conv3D of one slice is Conv2D") {
  const Tensor x = waves({2, 5, 5, 2});
  layers::Conv2D flat({.filters = 3, .kernel_size = 2, .strides = 2});
  layers::Conv3D deep({.filters = 3, .kernel_size = {1, 2, 2}, .strides = {1, 2, 2}});
  const Tensor y = flat(x);
  deep(ops::expand_dims(x, {1}));
  const auto weights = flat->get_weights();
  deep->set_weights({ops::expand_dims(weights[0], {0}), ops::ones({3})});
  CHECK(difference(ops::squeeze(deep(ops::expand_dims(x, {1})), 1), y + 1.0) < 1e-5);
}

TEST_CASE("channels first is channels last with axes moved") {
  const Tensor x = waves({2, 5, 6, 3});
  layers::Conv2D last({.filters = 4, .kernel_size = 3, .padding = "same", .activation = "relu"});
  layers::Conv2D first({.filters = 4,
                        .kernel_size = 3,
                        .padding = "same",
                        .data_format = "channels_first",
                        .activation = "relu"});
  const Tensor y = last(x);
  const Tensor moved = ops::transpose(x, std::vector<int64_t>{0, 3, 1, 2});
  first(moved);
  first->set_weights(last->get_weights());
  CHECK(difference(ops::transpose(first(moved), std::vector<int64_t>{0, 2, 3, 1}), y) < 1e-5);
}

TEST_CASE("convolutions say what does not fit") {
  CHECK(has(error_of([] { layers::Conv2D({.filters = 3, .kernel_size = 2, .groups = 2}); }),
            "groups"));
  CHECK(has(error_of([] { layers::Conv2D({.filters = 2, .kernel_size = 2, .padding = "full"}); }),
            "full"));
  CHECK(has(error_of([] { layers::Conv2D({.filters = 2, .kernel_size = 0}); }), "kernel_size"));
  CHECK_THROWS_AS(layers::Conv2D({.filters = 2, .kernel_size = 2, .padding = "causal"}),
                  ValueError);
  CHECK_THROWS_AS(
      layers::Conv2D({.filters = 2, .kernel_size = 2, .strides = 2, .dilation_rate = 2}),
      ValueError);
  layers::Conv2D big({.filters = 2, .kernel_size = 5, .name = "eye"});
  const std::string message = error_of([&] { big(waves({1, 3, 3, 1})); });
  CHECK(has(message, "eye"));
  CHECK_THROWS_AS(layers::Conv2D({.filters = 2, .kernel_size = 2})(waves({2, 4, 4})), ShapeError);
}

}  // namespace convolution_values_contract_test
