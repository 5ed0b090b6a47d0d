// The layers that normalise.
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/reduction.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/normalization/group_normalization.h>
#include <cornu/layers/normalization/layer_normalization.h>
#include <cornu/layers/normalization/rms_normalization.h>
#include <cornu/layers/normalization/unit_normalization.h>

#include "../catch.h"
#include "../support/layer_check.h"

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

TEST_CASE("normalisation of 16-bit floats happens in float32") {
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

TEST_CASE("normalisation says what is wrong") {
  CHECK_THROWS_AS(layers::BatchNormalization({.synchronized = true}), UnsupportedError);
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
