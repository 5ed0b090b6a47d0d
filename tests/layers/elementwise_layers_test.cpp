// Layers without weights that work on elements or shapes: activations, reshaping, Dropout,
// Rescaling.
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/reduction.h>
#include <cornu/layers/activations/elu.h>
#include <cornu/layers/activations/leaky_relu.h>
#include <cornu/layers/activations/relu.h>
#include <cornu/layers/activations/softmax.h>
#include <cornu/layers/image/rescaling.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/reshaping/flatten.h>
#include <cornu/layers/reshaping/permute.h>
#include <cornu/layers/reshaping/reshape.h>
#include <cornu/layers/reshaping/zero_padding.h>

#include "../catch.h"
#include "../support/layer_check.h"

using namespace cornu;
using test::check_layer;

TEST_CASE("activation layers keep a layer's contract") {
  check_layer<layers::ReLU>({}, {.input = {2, 5}, .output = {2, 5}});
  check_layer<layers::ReLU>({.max_value = 0.5, .negative_slope = 0.1, .threshold = 0.2},
                            {.input = {2, 5}, .output = {2, 5}});
  check_layer<layers::LeakyReLU>({}, {.input = {2, 5}, .output = {2, 5}});
  check_layer<layers::ELU>({.alpha = 0.5}, {.input = {2, 5}, .output = {2, 5}});
  check_layer<layers::Softmax>({}, {.input = {2, 5}, .output = {2, 5}});
  check_layer<layers::Softmax>({.axis = {1, 2}}, {.input = {2, 3, 2}, .output = {2, 3, 2}});
  CHECK_THROWS_AS(layers::ReLU({.negative_slope = -1.0}), ValueError);
  const Tensor limited = layers::ReLU({.max_value = 2.0})(Tensor::from({-1, 1, 3}, {1, 3}));
  CHECK(limited.dtype() == DType::int32);
  CHECK(limited.to_vector<int32_t>() == std::vector<int32_t>{0, 1, 2});
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

TEST_CASE("Dropout drops while training, and only then") {
  check_layer<layers::Dropout>(
      {.rate = 0.5}, {.input = {2, 5}, .output = {2, 5}, .training = true, .random = true});
  check_layer<layers::Dropout>({.rate = 0.5}, {.input = {2, 5}, .output = {2, 5}});
  const Tensor x = Tensor::from(std::vector<float>(10000, 1.0f), {100, 100});
  layers::Dropout dropout({.rate = 0.3, .seed = 1});
  CHECK(test::difference(dropout(x), x) == 0);
  const Tensor y = dropout(x, Call{.training = true});
  CHECK(ops::count_nonzero(y).item() == Approx(7000).epsilon(0.03));
  CHECK(ops::max(y).item() == Approx(1 / 0.7));
  CHECK_THROWS_AS(layers::Dropout({.rate = 1.5}), ValueError);
}
