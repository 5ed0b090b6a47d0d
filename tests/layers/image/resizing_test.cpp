// Rescaling, Resizing, crops, and layers that change images at random.
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/image/auto_contrast.h>
#include <cornu/layers/image/center_crop.h>
#include <cornu/layers/image/equalization.h>
#include <cornu/layers/image/random_brightness.h>
#include <cornu/layers/image/random_contrast.h>
#include <cornu/layers/image/random_flip.h>
#include <cornu/layers/image/random_grayscale.h>
#include <cornu/layers/image/random_invert.h>
#include <cornu/layers/image/rescaling.h>
#include <cornu/layers/image/resizing.h>

#include "../../catch.h"
#include "../../support/all_close.h"
#include "../../support/layer_check.h"

namespace resizing_test {

using namespace cornu;
using Floats = std::vector<float>;
using test::check_layer;

TEST_CASE("images are cut and resized") {
  const Tensor x = ops::ones({2, 9, 11, 3});
  CHECK(layers::CenterCrop({.height = 5, .width = 7})(x).shape() == Shape{2, 5, 7, 3});
  CHECK(layers::CenterCrop({.height = 15, .width = 10})(x).shape() == Shape{2, 15, 10, 3});
  CHECK(layers::Resizing({.height = 4, .width = 20})(x).shape() == Shape{2, 4, 20, 3});
  CHECK(layers::Resizing({.height = 4, .width = 20})
            .shared()
            ->compute_output_shape({-1, 9, 11, 3})[1] == 4);
}

TEST_CASE("images change at random in training only") {
  const Tensor x = ops::reshape(ops::arange(0, 96, 1, DType::float32), {2, 4, 4, 3});
  const Call training{.training = true}, inference{.training = false};
  const auto check = [&](auto layer) {
    CHECK(layer(x, training).shape() == x.shape());
    CHECK(test::all_close(layer(x, inference), x));
  };
  check(layers::RandomFlip({.seed = 1}));
  check(layers::RandomBrightness({.factor = std::vector<double>{0.2}, .seed = 1}));
  check(layers::RandomContrast({.factor = std::vector<double>{0.2}, .seed = 1}));
  check(layers::RandomGrayscale({.seed = 1}));
  check(layers::RandomInvert({.seed = 1}));
  check(layers::Equalization());
  const Tensor brighter =
      layers::RandomBrightness({.factor = std::vector<double>{0.5, 0.5}, .seed = 1})(x, training);
  CHECK(brighter.to_vector<float>()[0] == 127.5f);
  const Tensor negative = layers::RandomInvert({.factor = {1, 1}, .seed = 1})(x, training);
  CHECK(negative.to_vector<float>()[0] == 255);
  CHECK_THROWS_AS(layers::RandomFlip({.mode = "sideways"}), ValueError);
}

TEST_CASE("contrast is stretched") {
  const Tensor x = Tensor::from({10.0f, 20.0f, 30.0f, 60.0f}, {1, 2, 2, 1});
  CHECK(layers::AutoContrast()(x).to_vector<float>() == Floats{0, 51, 102, 255});
  const Tensor flat = ops::full({1, 2, 2, 1}, 7.0);
  CHECK(test::all_close(layers::AutoContrast()(flat), flat));
}

TEST_CASE("Rescaling keeps a layer's contract, and takes lists") {
  check_layer<layers::Rescaling>({.scale = 0.5, .offset = 1.0},
                                 {.input = {2, 3}, .output = {2, 3}});
  check_layer<layers::Rescaling>({.scale = layers::Numbers{0.5, 1.0, 2.0}},
                                 {.input = {2, 3}, .output = {2, 3}});
  const Tensor y =
      layers::Rescaling({.scale = 1.0 / 255})(Tensor::from({uint8_t{255}, uint8_t{0}}, {1, 2}));
  CHECK(y.dtype() == DType::float32);
  CHECK(y.to_vector<float>()[0] == Approx(1));
}

}  // namespace resizing_test
