// Activation, and the activations that are layers.
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/layers/activations/elu.h>
#include <cornu/layers/activations/leaky_relu.h>
#include <cornu/layers/activations/relu.h>
#include <cornu/layers/activations/softmax.h>
#include <cornu/layers/core/activation.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace activations_test {

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

TEST_CASE("Activation keeps a layer's contract") {
  check_layer<layers::Activation>({.activation = "softplus"}, {.input = {2, 5}, .output = {2, 5}});
}

}  // namespace activations_test
