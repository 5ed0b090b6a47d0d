// The fully connected layer.
#include "dense.h"

#include "../../framework/ops/linalg.h"

namespace cornu::layers {

DenseLayer::DenseLayer(DenseConfig c) : LayerOf(std::move(c)) {
  check_positive("units", config.units);
  supports_masking_ = true;
}

void DenseLayer::build(const Shape& input) {
  check_min_rank(input, 2);
  kernel = add_weight({.name = "kernel",
                       .shape = {input.back(), *config.units},
                       .initializer = config.kernel_initializer,
                       .regularizer = config.kernel_regularizer,
                       .constraint = config.kernel_constraint});
  if (config.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {*config.units},
                       .initializer = config.bias_initializer,
                       .regularizer = config.bias_regularizer,
                       .constraint = config.bias_constraint});
}

Tensor DenseLayer::call(const Tensor& x, const Call&) {
  check_min_rank(x.shape(), 2);
  check_axis(x.shape(), -1, kernel.shape()[0]);
  const Tensor y = bias ? ops::linear(x, kernel, bias) : ops::linear(x, kernel);
  return config.activation(y);
}

std::shared_ptr<DenseLayer> DenseLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_unused(dict, {"lora_rank", "lora_alpha", "quantization_config"}));
}

void register_dense(Catalog& c) { c.add<DenseLayer>("keras.layers.Dense"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DenseLayer, cornu::layers::DenseConfig>;
