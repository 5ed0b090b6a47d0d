// Conv1D, Conv2D, Conv3D.
#include <cornu/layers/convolutional/conv1d.h>
#include <cornu/layers/convolutional/conv2d.h>
#include <cornu/layers/convolutional/conv3d.h>

#include "../catch.h"
#include "../support/layer_check.h"

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

TEST_CASE("convolutions say what is wrong") {
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
