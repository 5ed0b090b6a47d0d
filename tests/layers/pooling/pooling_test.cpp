// Pooling in windows and over whole images.
#include <cornu/layers/pooling/adaptive_average_pooling.h>
#include <cornu/layers/pooling/adaptive_max_pooling.h>
#include <cornu/layers/pooling/average_pooling.h>
#include <cornu/layers/pooling/global_average_pooling.h>
#include <cornu/layers/pooling/global_max_pooling.h>
#include <cornu/layers/pooling/max_pooling.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace pooling_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("pooling keeps a layer's contract") {
  check_layer<layers::MaxPooling2D>({}, {.input = {2, 4, 5, 2}, .output = {2, 2, 2, 2}});
  check_layer<layers::MaxPooling1D>({.pool_size = 3, .strides = 1},
                                    {.input = {2, 5, 2}, .output = {2, 3, 2}});
  check_layer<layers::AveragePooling2D>({.pool_size = {2, 3}, .strides = {1, 2}, .padding = "same"},
                                        {.input = {2, 3, 4, 1}, .output = {2, 3, 2, 1}});
  check_layer<layers::AveragePooling1D>({.pool_size = 2},
                                        {.input = {2, 4, 2}, .output = {2, 2, 2}});
  check_layer<layers::MaxPooling3D>({.strides = {1, 2, 2}, .padding = "same"},
                                    {.input = {1, 2, 3, 2, 2}, .output = {1, 2, 2, 1, 2}});
  check_layer<layers::AveragePooling3D>({.pool_size = {1, 2, 2}, .data_format = "channels_first"},
                                        {.input = {1, 2, 2, 2, 4}, .output = {1, 2, 2, 1, 2}});
}

TEST_CASE("adaptive pooling keeps a layer's contract") {
  check_layer<layers::AdaptiveAveragePooling1D>({.output_size = 3},
                                                {.input = {2, 7, 2}, .output = {2, 3, 2}});
  check_layer<layers::AdaptiveAveragePooling2D>({.output_size = {2, 4}},
                                                {.input = {1, 4, 5, 2}, .output = {1, 2, 4, 2}});
  check_layer<layers::AdaptiveAveragePooling3D>(
      {.output_size = {1, 2, 3}, .data_format = "channels_first"},
      {.input = {1, 2, 2, 3, 4}, .output = {1, 2, 1, 2, 3}});
  check_layer<layers::AdaptiveMaxPooling1D>({.output_size = 4},
                                            {.input = {2, 3, 2}, .output = {2, 4, 2}});
  check_layer<layers::AdaptiveMaxPooling2D>({.output_size = 2},
                                            {.input = {1, 5, 3, 2}, .output = {1, 2, 2, 2}});
  check_layer<layers::AdaptiveMaxPooling3D>({.output_size = {2, 1, 3}},
                                            {.input = {1, 3, 2, 3, 2}, .output = {1, 2, 1, 3, 2}});
}

TEST_CASE("global pooling keeps a layer's contract") {
  check_layer<layers::GlobalAveragePooling2D>({}, {.input = {2, 3, 4, 2}, .output = {2, 2}});
  check_layer<layers::GlobalMaxPooling2D>({.data_format = "channels_first", .keepdims = true},
                                          {.input = {2, 3, 2, 2}, .output = {2, 3, 1, 1}});
  check_layer<layers::GlobalMaxPooling1D>({}, {.input = {2, 4, 3}, .output = {2, 3}});
  check_layer<layers::GlobalAveragePooling1D>({}, {.input = {2, 4, 3}, .output = {2, 3}});
  check_layer<layers::GlobalAveragePooling3D>({}, {.input = {2, 2, 1, 3, 2}, .output = {2, 2}});
  check_layer<layers::GlobalMaxPooling3D>({.keepdims = true},
                                          {.input = {2, 2, 1, 3, 2}, .output = {2, 1, 1, 1, 2}});
}

TEST_CASE("strides follow the window unless they are given") {
  CHECK(layers::MaxPooling2D({.pool_size = 3})->config.strides[1] == 3);
  Value::Dict config = {{"pool_size", std::vector<int64_t>{2, 2}}, {"strides", Value()}};
  CHECK(layers::MaxPooling2DLayer::from_config(config)->config.strides[0] == 2);
  CHECK_THROWS_AS(layers::AveragePooling2D(layers::AveragePooling2DConfig{}), ValueError);
  CHECK_THROWS_AS(layers::AdaptiveMaxPooling1D(layers::AdaptivePoolingConfig<1>{}), ValueError);
  CHECK_THROWS_AS(layers::MaxPooling2D()(Tensor::from({1.0f}, {1, 1, 1})), ShapeError);
}

}  // namespace pooling_test
