// The layers that normalize.
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/normalization/group_normalization.h>
#include <cornu/layers/normalization/layer_normalization.h>
#include <cornu/layers/normalization/rms_normalization.h>
#include <cornu/layers/normalization/spectral_normalization.h>
#include <cornu/layers/normalization/unit_normalization.h>
#include <cornu/layers/reshaping/flatten.h>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"

namespace normalization_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("BatchNormalization keeps a layer's contract") {
  check_layer<layers::BatchNormalization>(
      {}, {.input = {4, 3}, .output = {4, 3}, .weights = 4, .non_trainable = 2, .training = true});
  check_layer<layers::BatchNormalization>(
      {.axis = 1, .scale = false},
      {.input = {2, 3, 2}, .output = {2, 3, 2}, .weights = 3, .non_trainable = 2});
}

TEST_CASE("BatchNormalization moves its averages only while it trains") {
  const Tensor x = Tensor::from({1.0f, 3.0f, 5.0f, 7.0f}, {4, 1});
  layers::BatchNormalization norm({.momentum = 0.5});
  norm(x);
  CHECK(norm->moving_mean.value().item() == 0);
  norm(x, Call{.training = true});
  CHECK(norm->moving_mean.value().item() == Approx(2));
  CHECK(norm->moving_variance.value().item() == Approx(3));  // 0.5 * 1 + 0.5 * 5
  norm->set_trainable(false);
  norm(x, Call{.training = true});
  CHECK(norm->moving_mean.value().item() == Approx(2));
}

TEST_CASE("normalization of 16-bit floats happens in float32") {
  const Tensor x =
      ops::cast(Tensor::from({30000.0f, 30010.0f, 60000.0f, 60010.0f}, {4, 1}), DType::float16);
  layers::BatchNormalization norm({.dtype = DTypePolicy("mixed_float16")});
  const Tensor y = norm(x, Call{.training = true});
  CHECK(y.dtype() == DType::float16);
  CHECK(ops::all(ops::equal(y, y)).item() == 1);
  CHECK(norm->moving_mean.dtype() == DType::float32);
  CHECK(norm->moving_mean.value().item() == Approx(450.05).epsilon(1e-3));
}

TEST_CASE("LayerNormalization keeps a layer's contract") {
  check_layer<layers::LayerNormalization>({},
                                          {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 2});
  check_layer<layers::LayerNormalization>({.axis = {1, 2}, .center = false},
                                          {.input = {2, 3, 2}, .output = {2, 3, 2}, .weights = 1});
}

TEST_CASE("weights of LayerNormalization have the order of the axes' numbers") {
  layers::LayerNormalization norm({.axis = {1, -1}});
  const Tensor count = ops::arange(0, 24, 1, DType::float32);
  const Tensor x = ops::reshape(count * count / Tensor(50.0), {2, 3, 4});
  norm(x);
  REQUIRE(norm->gamma.shape() == Shape{4, 3});
  const Tensor w = ops::reshape(ops::arange(0, 12, 1, DType::float32), {4, 3});
  norm->gamma.assign(w / Tensor(10.0));
  norm->beta.assign(w / Tensor(-5.0));
  const auto y = norm(x).to_vector<float>();
  CHECK(y[1] == Approx(-0.30437).epsilon(1e-4));
  CHECK(y[4] == Approx(-1.06537).epsilon(1e-4));
  CHECK(y[11] == Approx(-0.00139).margin(1e-5));
  CHECK(y[13] == Approx(-0.32298).epsilon(1e-4));
  CHECK(y[23] == Approx(-0.28794).epsilon(1e-4));
}

TEST_CASE("a synchronized BatchNormalization has the statistics of its device") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 5.0f, 5.0f, 11.0f}, {3, 2});
  layers::BatchNormalization norm({.synchronized = true});
  const auto y = norm(x, Call{.training = true}).to_vector<float>();
  CHECK(y[0] == Approx(-1.224515));
  CHECK(y[3] == Approx(-0.2672516));
  CHECK(y[5] == Approx(1.3362586));
  const auto variance = norm->moving_variance.value().to_vector<float>();
  CHECK(variance[0] == Approx(1.0166667));
  CHECK(variance[1] == Approx(1.13));
}

TEST_CASE("BatchNormalization counts what a mask of numbers does not exclude") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 5.0f, 5.0f, 11.0f, 9.0f, 9.0f}, {4, 2});
  layers::BatchNormalization norm{layers::BatchNormalizationConfig{}};
  const Tensor mask = Tensor::from({0.5f, 2.0f, 0.0f, 1.0f}, {4});
  const auto y = norm(x, Call{.training = true, .mask = mask}).to_vector<float>();
  CHECK(y[0] == Approx(-0.9805381));
  CHECK(y[5] == Approx(1.9760897));
  const auto mean = norm->moving_mean.value().to_vector<float>();
  CHECK(mean[0] == Approx(0.04333333));
  CHECK(mean[1] == Approx(0.05333333));
}

TEST_CASE("a mask of numbers is cast as the input is") {
  layers::BatchNormalization norm({.dtype = DTypePolicy("mixed_float16")});
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2, 1});
  const Tensor mask = Tensor::from({1.0f, 0.5f, 1.0f, 0.0f}, {2, 2});
  const Tensor y = norm(x, {.training = true, .mask = mask});
  REQUIRE(y.mask());
  CHECK(y.mask().dtype() == DType::float16);
}

TEST_CASE("RMSNormalization keeps a layer's contract") {
  check_layer<layers::RMSNormalization>({},
                                        {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 1});
  check_layer<layers::RMSNormalization>({.axis = {1, 2}, .epsilon = 0.1},
                                        {.input = {2, 3, 2}, .output = {2, 3, 2}, .weights = 1});
}

TEST_CASE("GroupNormalization keeps a layer's contract") {
  check_layer<layers::GroupNormalization>({.groups = 2},
                                          {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 2});
  check_layer<layers::GroupNormalization>({.groups = 2, .axis = 1, .center = false},
                                          {.input = {2, 4, 3}, .output = {2, 4, 3}, .weights = 1});
  check_layer<layers::GroupNormalization>({.groups = -1, .scale = false},
                                          {.input = {2, 3, 2}, .output = {2, 3, 2}, .weights = 1});
}

TEST_CASE("UnitNormalization keeps a layer's contract") {
  check_layer<layers::UnitNormalization>({}, {.input = {2, 3}, .output = {2, 3}});
  check_layer<layers::UnitNormalization>({.axis = {1, 2}},
                                         {.input = {2, 3, 2}, .output = {2, 3, 2}});
  const Tensor zeros = Tensor::from({0.0f, 0.0f}, {1, 2});
  CHECK(ops::max(layers::UnitNormalization()(zeros)).item() == 0);
}

TEST_CASE("normalization says what is wrong") {
  CHECK_THROWS_AS(layers::BatchNormalization({.axis = 5})(Tensor::from({1.0f}, {1, 1})),
                  ShapeError);
  layers::LayerNormalization norm{layers::LayerNormalizationConfig{}};
  norm(Tensor::from({1.0f, 2.0f}, {1, 2}));
  CHECK_THROWS_AS(norm(Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3})), ShapeError);
  CHECK_THROWS_AS(layers::GroupNormalization({.groups = 0}), ValueError);
  CHECK_THROWS_AS(
      layers::GroupNormalization({.groups = 2})(Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3})),
      ShapeError);
  CHECK_THROWS_AS(
      layers::GroupNormalization({.groups = 1, .axis = 0})(Tensor::from({1.0f, 2.0f}, {1, 2})),
      ValueError);
}

TEST_CASE("SpectralNormalization keeps a layer's contract") {
  // The layer inside is new each time, so that it has the policy in force.
  const auto make = []() -> std::shared_ptr<Layer> {
    return layers::SpectralNormalization({.layer = layers::Dense({.units = 3})});
  };
  test::check_layer(make, {.input = {2, 5}, .output = {2, 3}, .weights = 3, .non_trainable = 1});
  CHECK_THROWS_AS(
      layers::SpectralNormalization({.layer = layers::Dense({.units = 3}), .power_iterations = 0}),
      ValueError);
  layers::SpectralNormalization flat({.layer = layers::Flatten()});
  CHECK_THROWS_AS(flat(Tensor(std::vector<float>{1, 2})), Error);
  layers::SpectralNormalization zeros(
      {.layer = layers::Dense({.units = 2, .kernel_initializer = "zeros"})});
  const Tensor x = Tensor::from(std::vector<float>{1, 2}, {1, 2});
  CHECK(zeros(x, {.training = true}).to_vector<float>() == std::vector<float>{0, 0});
}

}  // namespace normalization_test
