// Padding, cropping, upsampling, and repeating vectors.
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/reshaping/cropping.h>
#include <cornu/layers/reshaping/flatten.h>
#include <cornu/layers/reshaping/permute.h>
#include <cornu/layers/reshaping/repeat_vector.h>
#include <cornu/layers/reshaping/reshape.h>
#include <cornu/layers/reshaping/up_sampling.h>
#include <cornu/layers/reshaping/zero_padding.h>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "support/all_close.h"

namespace reshaping_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("padding and cropping keep a layer's contract") {
  check_layer<layers::ZeroPadding1D>({.padding = {2, 1}},
                                     {.input = {2, 3, 2}, .output = {2, 6, 2}});
  check_layer<layers::ZeroPadding1D>({.data_format = "channels_first"},
                                     {.input = {2, 3, 2}, .output = {2, 3, 4}});
  check_layer<layers::ZeroPadding2D>({.padding = {{1, 0}, {2, 1}}},
                                     {.input = {1, 2, 2, 1}, .output = {1, 3, 5, 1}});
  check_layer<layers::ZeroPadding3D>({.padding = {1, 0, 2}},
                                     {.input = {1, 2, 3, 1, 2}, .output = {1, 4, 3, 5, 2}});
  check_layer<layers::Cropping1D>({.cropping = {0, 2}}, {.input = {2, 5, 2}, .output = {2, 3, 2}});
  check_layer<layers::Cropping2D>({.cropping = {{1, 0}, {0, 2}}, .data_format = "channels_first"},
                                  {.input = {2, 2, 3, 4}, .output = {2, 2, 2, 2}});
  check_layer<layers::Cropping2D>({}, {.input = {2, 2, 3, 4}, .output = {2, 2, 3, 4}});
  check_layer<layers::Cropping3D>({}, {.input = {1, 3, 4, 5, 2}, .output = {1, 1, 2, 3, 2}});
}

namespace {

template <class Config>
concept MadeFromTwoLists = requires {
  Config{{1, 1}, {2, 2}};
};

}  // namespace

TEST_CASE("ends of two axes are never a padding and a data format") {
  STATIC_REQUIRE_FALSE(MadeFromTwoLists<layers::ZeroPadding2DConfig>);
  STATIC_REQUIRE_FALSE(MadeFromTwoLists<layers::Cropping2DConfig>);
  const layers::ZeroPadding2D padded(1, "channels_first");
  CHECK(padded(ops::ones({1, 2, 3, 4})).shape() == Shape{1, 2, 5, 6});
  CHECK_THROWS_AS(layers::ZeroPadding2D({.data_format = "first"}), ValueError);
}

TEST_CASE("upsampling keeps a layer's contract") {
  check_layer<layers::UpSampling1D>({}, {.input = {2, 3, 2}, .output = {2, 6, 2}});
  check_layer<layers::UpSampling2D>({.size = {2, 3}},
                                    {.input = {1, 2, 2, 2}, .output = {1, 4, 6, 2}});
  for (const char* interpolation : {"bilinear", "bicubic", "lanczos3", "lanczos5"})
    check_layer<layers::UpSampling2D>(
        {.size = {3, 2}, .data_format = "channels_first", .interpolation = interpolation},
        {.input = {1, 2, 3, 4}, .output = {1, 2, 9, 8}});
  check_layer<layers::UpSampling3D>({.size = {1, 2, 3}},
                                    {.input = {1, 2, 2, 1, 2}, .output = {1, 2, 4, 3, 2}});
  check_layer<layers::RepeatVector>({.n = 3}, {.input = {2, 4}, .output = {2, 3, 4}});
}

TEST_CASE("upsampling repeats or interpolates") {
  const Tensor x = Tensor::from({1.0f, 3.0f}, {1, 1, 2, 1});
  CHECK(test::all_close(
      layers::UpSampling2D()(x),
      Tensor::from({1.0f, 1.0f, 3.0f, 3.0f, 1.0f, 1.0f, 3.0f, 3.0f}, {1, 2, 4, 1})));
  CHECK(test::all_close(layers::UpSampling2D({.size = {1, 2}, .interpolation = "bilinear"})(x),
                        Tensor::from({1.0f, 1.5f, 2.5f, 3.0f}, {1, 1, 4, 1})));
  // Integers are rounded, once.
  const Tensor whole = layers::UpSampling2D({.size = {1, 3}, .interpolation = "bilinear"})(
      Tensor::from({0, 5}, {1, 1, 2, 1}));
  CHECK(whole.dtype() == DType::int32);
  CHECK(whole.to_vector<int32_t>() == std::vector<int32_t>{0, 0, 2, 3, 5, 5});
}

TEST_CASE("reshaping layers say what is wrong") {
  const Tensor x = Tensor::from({1.0f, 2.0f}, {1, 2, 1});
  CHECK_THROWS_WITH(layers::Cropping1D()(x), Catch::Contains("which leaves none"));
  CHECK_THROWS_AS(layers::ZeroPadding1D({.padding = {1, -1}}), ValueError);
  CHECK_THROWS_AS(layers::Cropping2D({.cropping = {{1, 1}}}), ValueError);
  CHECK_THROWS_AS(layers::UpSampling1D({.size = 0}), ValueError);
  CHECK_THROWS_WITH(layers::UpSampling2D({.interpolation = "bilinar"}),
                    Catch::Contains("Did you mean 'bilinear'?"));
  CHECK_THROWS_AS(layers::RepeatVector({.n = 2})(x), ShapeError);
  const Value::Dict three = {{"padding", Value::List{1, 2, 3}}};
  CHECK_THROWS_AS(layers::ZeroPadding2DLayer::from_config(three), ValueError);
}

TEST_CASE("reshaping layers keep a layer's contract") {
  check_layer<layers::Flatten>({}, {.input = {2, 3, 2}, .output = {2, 6}});
  check_layer<layers::Reshape>({.target_shape = {3, -1}},
                               {.input = {2, 6, 2}, .output = {2, 3, 4}});
  check_layer<layers::Permute>({.dims = {2, 1}}, {.input = {2, 3, 4}, .output = {2, 4, 3}});
  check_layer<layers::ZeroPadding2D>({.padding = {1, 2}},
                                     {.input = {1, 2, 2, 1}, .output = {1, 4, 6, 1}});
  CHECK_THROWS_AS(layers::Reshape({.target_shape = {5}})(Tensor::from({1.0f, 2.0f}, {1, 2})),
                  ShapeError);
  CHECK_THROWS_AS(layers::Permute({.dims = {1, 3}}), ValueError);
}

TEST_CASE("Reshape joins steps of which nobody knows yet how many there are") {
  const Input x({Shape::unknown, 3});
  const Tensor joined = layers::Reshape({.target_shape = {-1, 12}})(x);
  CHECK(joined.shape() == Shape{Shape::unknown, Shape::unknown, 12});
  Functional model(x, layers::Dense({.units = 2})(joined));
  CHECK(model(ops::ones({2, 8, 3})).shape() == Shape{2, 2, 2});
  CHECK_THROWS_AS(model(ops::ones({2, 7, 3})), ShapeError);
  // No number of steps would do.
  CHECK_THROWS_WITH(layers::Reshape({.target_shape = {4, 2}})(x),
                    Catch::Contains("83 stands for a size that is not known yet"));
}

}  // namespace reshaping_test
