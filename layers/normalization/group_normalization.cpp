// Normalization of groups of channels.
#include "group_normalization.h"

#include <fmt/core.h>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/normalization.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/tensor/promotion.h"

namespace cornu::layers {

namespace {

// (x - mean) / deviation over the axes that a mean shares.
Tensor standardize(const Tensor& x, const std::vector<int64_t>& axes, double epsilon) {
  if (axes.back() - axes.front() == static_cast<int64_t>(axes.size()) - 1)
    return ops::layer_normalization(x, {}, {}, axes, epsilon);
  const auto [mean, variance] = ops::moments(x, axes, true);
  return fused([](Expr x, Expr mean, Expr variance,
                  Expr epsilon) { return (x - mean) * expr::rsqrt(variance + epsilon); },
               x, mean, variance, Tensor(epsilon));
}

}  // namespace

GroupNormalizationLayer::GroupNormalizationLayer(GroupNormalizationConfig c)
    : LayerOf(std::move(c)) {
  if (config.groups != -1 && config.groups < 1)
    throw ValueError(fmt::format(
        "option 'groups' must be positive, or -1 for a group for each channel, found {}.",
        config.groups));
  supports_masking_ = true;
  // Inputs keep their precision: the computation chooses its own.
  autocast_ = false;
}

int GroupNormalizationLayer::channel_axis(const Shape& input) const {
  const int axis = normalize_axis(config.axis, input.rank(), "option 'axis'");
  if (axis == 0) throw ValueError("option 'axis' must not be 0: that is the axis of the samples.");
  return axis;
}

void GroupNormalizationLayer::build(const Shape& input) {
  const int64_t channels = input[channel_axis(input)];
  if (channels == Shape::unknown)
    throw ShapeError(fmt::format("the channels, axis {} of input {}, must have a known size.",
                                 config.axis, input.str()));
  if (config.groups == -1) config.groups = channels;
  if (channels % config.groups != 0)
    throw ShapeError(fmt::format(
        "the number of channels must be a multiple of option 'groups' ({}), found {} in input {}.",
        config.groups, channels, input.str()));
  if (config.scale)
    gamma = add_weight({.name = "gamma",
                        .shape = {channels},
                        .initializer = config.gamma_initializer,
                        .regularizer = config.gamma_regularizer,
                        .constraint = config.gamma_constraint});
  if (config.center)
    beta = add_weight({.name = "beta",
                       .shape = {channels},
                       .initializer = config.beta_initializer,
                       .regularizer = config.beta_regularizer,
                       .constraint = config.beta_constraint});
}

Tensor GroupNormalizationLayer::call(const Tensor& input, const Call&) {
  const int axis = channel_axis(input.shape());
  if (const Variable& weight = gamma ? gamma : beta)
    check_axis(input.shape(), axis == input.rank() - 1 ? -1 : axis, weight.shape()[0]);
  const DType dtype = result_type(input.dtype(), DType::float32);
  Shape grouped, along_axis;
  std::vector<int64_t> shared;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t size = input.shape()[i];
    along_axis.push_back(i == axis ? size : 1);
    if (i == axis) grouped.push_back(config.groups);
    if (i > 0) shared.push_back(grouped.rank());
    grouped.push_back(i == axis ? size / config.groups : size);
  }
  Tensor y = standardize(ops::reshape(ops::cast(input, dtype), grouped), shared, config.epsilon);
  y = ops::reshape(y, input.shape());
  auto weight = [&](const Variable& v, double otherwise) {
    return v ? ops::reshape(ops::cast(v.value(), dtype), along_axis) : Tensor(otherwise);
  };
  if (gamma || beta)
    y = fused([](Expr y, Expr gamma, Expr beta) { return y * gamma + beta; }, y, weight(gamma, 1.0),
              weight(beta, 0.0));
  return ops::cast(ops::cast(y, input.dtype()), compute_dtype());
}

void register_group_normalization(Catalog& c) {
  c.add<GroupNormalizationLayer>("keras.layers.GroupNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GroupNormalizationLayer,
                              cornu::layers::GroupNormalizationConfig>;
