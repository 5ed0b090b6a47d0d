// Normalisation over features.
#include "layer_normalization.h"

#include "../../framework/ops/nn.h"
#include "../../framework/ops/shaping.h"

namespace cornu::layers {

LayerNormalizationLayer::LayerNormalizationLayer(LayerNormalizationConfig c)
    : LayerOf(std::move(c)) {
  supports_masking_ = true;
  // Inputs keep their precision: the computation chooses its own.
  autocast_ = false;
}

void LayerNormalizationLayer::build(const Shape& input) {
  Shape shape;
  for (int a : config.axis.resolve(input.rank())) shape.push_back(input[a]);
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

Tensor LayerNormalizationLayer::call(const Tensor& input, const Call&) {
  const auto axes = config.axis.resolve(input.rank());
  const DType dtype = result_type(input.dtype(), DType::float32);
  const Tensor x = ops::cast(input, dtype);
  // Weights stand along their axes, with size 1 along the others.
  Shape along_axes(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  for (size_t i = 0; i < axes.size(); ++i) {
    const Variable& weight = gamma ? gamma : beta;
    if (weight)
      check_axis(x.shape(), axes[i] == x.rank() - 1 ? -1 : axes[i],
                 weight.shape()[static_cast<int>(i)]);
    along_axes[axes[i]] = x.shape()[axes[i]];
  }
  auto weight = [&](const Variable& v, double otherwise) {
    return v ? ops::reshape(ops::cast(v.value(), dtype), along_axes) : Tensor(otherwise);
  };
  const auto [mean, variance] = ops::moments(x, config.axis, true);
  const Tensor inverse =
      fused([](Expr variance, Expr epsilon) { return expr::rsqrt(variance + epsilon); }, variance,
            Tensor(config.epsilon));
  const Tensor y = fused([](Expr x, Expr mean, Expr inverse, Expr gamma,
                            Expr beta) { return (x - mean) * inverse * gamma + beta; },
                         x, config.rms_scaling ? Tensor(0.0) : mean, inverse, weight(gamma, 1.0),
                         weight(beta, 0.0));
  return ops::cast(y, compute_dtype());
}

void register_layer_normalization(Catalog& c) {
  c.add<LayerNormalizationLayer>("keras.layers.LayerNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LayerNormalizationLayer,
                              cornu::layers::LayerNormalizationConfig>;
