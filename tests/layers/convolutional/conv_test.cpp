// Convolutions: plain, transposed, depthwise and separable.
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/convolutional/conv_transpose.h>
#include <cornu/layers/convolutional/depthwise_conv.h>
#include <cornu/layers/convolutional/separable_conv.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace conv_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("convolutions keep a layer's contract") {
  check_layer<layers::Conv1D>({.filters = 3, .kernel_size = 2, .padding = "causal"},
                              {.input = {2, 5, 2}, .output = {2, 5, 3}, .weights = 2});
  check_layer<layers::Conv2D>(
      {.filters = 2, .kernel_size = {2, 3}, .strides = 2, .activation = "tanh"},
      {.input = {2, 5, 6, 2}, .output = {2, 2, 2, 2}, .weights = 2});
  check_layer<layers::Conv2D>(
      {.filters = 4, .kernel_size = 2, .padding = "same", .dilation_rate = 2, .groups = 2},
      {.input = {1, 4, 4, 2}, .output = {1, 4, 4, 4}, .weights = 2});
  check_layer<layers::Conv3D>({.filters = 2, .kernel_size = 2, .use_bias = false},
                              {.input = {1, 3, 3, 3, 2}, .output = {1, 2, 2, 2, 2}, .weights = 1});
}

TEST_CASE("transposed convolutions keep a layer's contract") {
  check_layer<layers::Conv1DTranspose>({.filters = 3, .kernel_size = 2, .strides = 3},
                                       {.input = {2, 4, 2}, .output = {2, 12, 3}, .weights = 2});
  check_layer<layers::Conv2DTranspose>(
      {.filters = 2,
       .kernel_size = {3, 4},
       .strides = {3, 2},
       .padding = "same",
       .output_padding = Dims<2>{2, 0},
       .activation = "tanh"},
      {.input = {1, 3, 4, 3}, .output = {1, 9, 6, 2}, .weights = 2});
  check_layer<layers::Conv2DTranspose>(
      {.filters = 2, .kernel_size = 2, .data_format = "channels_first", .dilation_rate = {2, 1}},
      {.input = {2, 3, 2, 3}, .output = {2, 2, 4, 4}, .weights = 2});
  check_layer<layers::Conv3DTranspose>(
      {.filters = 2, .kernel_size = 2, .strides = 2, .padding = "same", .use_bias = false},
      {.input = {1, 2, 2, 1, 2}, .output = {1, 4, 4, 2, 2}, .weights = 1});
}

TEST_CASE("depthwise and separable convolutions keep a layer's contract") {
  check_layer<layers::DepthwiseConv1D>(
      {.kernel_size = 3, .strides = 2, .padding = "same", .depth_multiplier = 2},
      {.input = {2, 5, 3}, .output = {2, 3, 6}, .weights = 2});
  check_layer<layers::DepthwiseConv2D>(
      {.kernel_size = 2,
       .strides = {2, 1},
       .data_format = "channels_first",
       .dilation_rate = {1, 2},
       .use_bias = false},
      {.input = {2, 2, 4, 5}, .output = {2, 2, 2, 3}, .weights = 1});
  check_layer<layers::SeparableConv1D>({.filters = 4, .kernel_size = 2, .depth_multiplier = 2},
                                       {.input = {2, 5, 3}, .output = {2, 4, 4}, .weights = 3});
  check_layer<layers::SeparableConv2D>(
      {.filters = 3, .kernel_size = {2, 3}, .padding = "same", .activation = "tanh"},
      {.input = {1, 3, 4, 2}, .output = {1, 3, 4, 3}, .weights = 3});
}

TEST_CASE("files of Keras 2 name one group where there are none") {
  const auto with_groups = [](int64_t groups) {
    return Value::Dict{{"kernel_size", Value::List{2, 2}}, {"groups", groups}};
  };
  CHECK(layers::DepthwiseConv2DLayer::from_config(with_groups(1))->config.kernel_size[1] == 2);
  CHECK_THROWS_AS(layers::DepthwiseConv2DLayer::from_config(with_groups(2)), ValueError);
}

TEST_CASE("convolutions say what is wrong") {
  CHECK_THROWS_AS(
      layers::Conv2DTranspose({.filters = 3, .kernel_size = 2, .strides = 2, .output_padding = 2}),
      ValueError);
  CHECK_THROWS_AS(layers::Conv1DTranspose({.filters = 3, .kernel_size = 2, .padding = "causal"}),
                  ValueError);
  CHECK_THROWS_AS(layers::DepthwiseConv2D({.kernel_size = 2, .depth_multiplier = 0}), ValueError);
  CHECK_THROWS_AS(layers::SeparableConv2D({.filters = 0, .kernel_size = 2}), ValueError);
  CHECK_THROWS_AS(layers::Conv2D({.filters = 3}), ValueError);
  CHECK_THROWS_AS(layers::Conv2D({.filters = 3, .kernel_size = 2, .groups = 2}), ValueError);
  CHECK_THROWS_AS(
      layers::Conv2D({.filters = 3, .kernel_size = 2, .strides = 2, .dilation_rate = 2}),
      ValueError);
  CHECK_THROWS_AS(layers::Conv2D({.filters = 3, .kernel_size = 2, .padding = "causal"}),
                  ValueError);
  CHECK_THROWS_WITH(layers::Conv2D({.filters = 3, .kernel_size = 2, .padding = "smae"}),
                    Catch::Contains("Did you mean 'same'?"));
  layers::Conv2D conv({.filters = 3, .kernel_size = 2, .name = "edges"});
  CHECK_THROWS_AS(conv(Tensor::from(std::vector<float>(16, 1.0f), {4, 4, 1})), ShapeError);
  conv(Tensor::from(std::vector<float>(16, 1.0f), {1, 4, 4, 1}));
  CHECK_THROWS_WITH(conv(Tensor::from(std::vector<float>(32, 1.0f), {1, 4, 4, 2})),
                    Catch::Contains("expected last axis 1, found 2 in input (1, 4, 4, 2)"));
}

}  // namespace conv_test
