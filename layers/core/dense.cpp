// The fully connected layer.
#include "dense.h"

#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

DenseLayer::DenseLayer(DenseConfig c) : KernelLayer(std::move(c)) {
  check_positive("units", config.units);
  supports_masking_ = true;
}

void DenseLayer::build(const Shape& input) {
  check_min_rank(input, 2);
  const Shape shape = {input.back(), *config.units};
  kernel = build_quantized(shape);
  if (!kernel)
    kernel = add_weight({.name = "kernel",
                         .shape = shape,
                         .initializer = config.kernel_initializer,
                         .regularizer = config.kernel_regularizer,
                         .constraint = config.kernel_constraint});
  if (config.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {*config.units},
                       .initializer = config.bias_initializer,
                       .regularizer = config.bias_regularizer,
                       .constraint = config.bias_constraint});
  // Keras, too, forgets lora_alpha here.
  if (config.lora_rank) enable_lora(*config.lora_rank);
}

Tensor DenseLayer::call(const Tensor& x, const Call& call) {
  check_min_rank(x.shape(), 2);
  check_axis(x.shape(), -1, (adapted() ? adapted()->kernel_shape() : kernel.shape())[0]);
  if (adapted()) return config.activation(adapted()->apply(x, kernel, bias, call.is_training()));
  const Tensor y = bias ? ops::linear(x, kernel, bias) : ops::linear(x, kernel);
  return config.activation(y);
}

KernelProduct DenseLayer::product(const Shape& shape) const {
  const auto rows = [](const Tensor& x) { return ops::reshape(x, {-1, x.shape().back()}); };
  return {.form = {.name = "kernel",
                   .shape = shape,
                   .summed = {0},
                   .scale_shape = {*config.units},
                   .matrix = shape},
          .input_summed = {-1},
          .multiply = [](const Tensor& x, const Tensor& kernel) { return ops::linear(x, kernel); },
          .calibrated = {.matrix = shape},
          .input_gradient =
              [](const Tensor& dy, const Tensor& kernel) {
                return ops::matmul_transposed(dy, kernel, false, true);
              },
          .kernel_gradient =
              [rows](const Tensor& x, const Tensor& dy) {
                return ops::matmul_transposed(rows(x), rows(dy), true, false);
              }};
}

Value::Dict DenseLayer::get_config() const {
  Value::Dict dict = KernelLayer::get_config();
  // Of Keras's layers with a kernel, this one alone leaves the option to Layer, which writes none.
  if (!activity_regularizer())
    std::erase_if(dict, [](const auto& entry) { return entry.first == "activity_regularizer"; });
  return dict;
}

void register_dense(Catalog& c) { c.add<DenseLayer>("keras.layers.Dense"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DenseLayer, cornu::layers::DenseConfig>;
template class cornu::layers::KernelLayer<cornu::layers::DenseLayer, cornu::layers::DenseConfig>;
