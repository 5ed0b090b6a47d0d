// Normalization over features.
#include "layer_normalization.h"

#include <algorithm>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/nn/normalization.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

// The axes in the order of the weights' sizes: that of their numbers as they were given, so that
// -1 comes before 1. The weights' elements are in the order of the input's axes all the same.
InlineVector<int, 6> weight_axes(const Axes& axis, int rank) {
  InlineVector<int, 6> axes = axis.resolve(rank);
  const Value given = axis.value();
  if (!given.is<Value::List>()) return axes;
  auto numbers = cornu::detail::from_value<std::vector<int64_t>>(given);
  std::sort(numbers.begin(), numbers.end());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = normalize_axis(numbers[i], rank);
  return axes;
}

}  // namespace

LayerNormalizationLayer::LayerNormalizationLayer(LayerNormalizationConfig c)
    : LayerOf(std::move(c)) {
  supports_masking_ = true;
  // Inputs keep their precision: the computation chooses its own.
  autocast_ = false;
}

void LayerNormalizationLayer::build(const Shape& input) {
  Shape shape;
  for (int a : weight_axes(config.axis, input.rank())) shape.push_back(input[a]);
  if (config.scale || config.rms_scaling)
    gamma = add_weight({.name = "gamma",
                        .shape = shape,
                        .initializer = config.gamma_initializer,
                        .regularizer = config.gamma_regularizer,
                        .constraint = config.gamma_constraint});
  if (config.center && !config.rms_scaling)
    beta = add_weight({.name = "beta",
                       .shape = shape,
                       .initializer = config.beta_initializer,
                       .regularizer = config.beta_regularizer,
                       .constraint = config.beta_constraint});
}

Tensor LayerNormalizationLayer::call(const Tensor& x, const Call&) {
  const auto axes = weight_axes(config.axis, x.rank());
  if (const Variable& weight = gamma ? gamma : beta)
    for (size_t i = 0; i < axes.size(); ++i)
      check_axis(x.shape(), axes[i] == x.rank() - 1 ? -1 : axes[i],
                 weight.shape()[static_cast<int>(i)]);
  auto value = [](const Variable& v) { return v ? std::optional(v.value()) : std::nullopt; };
  return ops::cast(ops::layer_normalization(x, value(gamma), value(beta), config.axis,
                                            config.epsilon, config.rms_scaling),
                   compute_dtype());
}

void register_layer_normalization(Catalog& c) {
  c.add<LayerNormalizationLayer>("keras.layers.LayerNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LayerNormalizationLayer,
                              cornu::layers::LayerNormalizationConfig>;
