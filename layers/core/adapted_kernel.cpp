// A kernel with a low-rank update, or in few bits.
#include "adapted_kernel.h"

#include <fmt/core.h>

#include "../../framework/autodiff/tape.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

AdaptedKernel::AdaptedKernel(Layer& layer, KernelProduct product)
    : layer_(layer), product_(std::move(product)) {}

Variable AdaptedKernel::build(const Choice<QuantizationConfig>& config) {
  return build_for(layer_.own_dtype_policy(), config);
}

Variable AdaptedKernel::build_for(const DTypePolicy& policy,
                                  const Choice<QuantizationConfig>& config) {
  const std::string mode = policy.quantization_mode();
  if (mode == "float8") {
    float8_ = std::make_unique<Float8Scales>(layer_);
    return {};
  }
  if (mode == "gptq" || mode == "awq") {
    calibrated_ = std::make_unique<CalibratedWeight>(layer_, product_.form.shape,
                                                     product_.calibrated, policy);
    return calibrated_->values;
  }
  inputs_quantizer_ =
      activation_quantizer(config, mode == "int8" ? Choice<Quantizer>(quantizers::AbsMaxQuantizer())
                                                  : Choice<Quantizer>());
  quantized_ =
      std::make_unique<QuantizedWeight>(layer_, product_.form, mode, block_size_of(config, policy));
  return quantized_->values;
}

void AdaptedKernel::quantize(const Choice<QuantizationConfig>& config, Variable& kernel) {
  const bool float8 = std::string(config->mode()) == "float8";
  if (float8 && lora_)
    throw UnsupportedError("quantize: 'float8' does not go with LoRA. Use 'int8' or 'int4'.");
  const Variable before = kernel;
  const std::vector<Variable> weights = layer_.own_weights();
  try {
    const Variable fresh =
        build_for(DTypePolicy::quantized(config->policy_mode(), layer_.own_dtype_policy()), config);
    if (!fresh) return;
    quantized_->assign(before.value(), config->weight_quantizer());
    kernel = fresh;
  } catch (...) {
    // A quantizer that does not go with the kernel leaves the layer as it was, not with zeros.
    remove_added_weights(layer_, weights);
    inputs_quantizer_ = {};
    quantized_.reset();
    float8_.reset();
    throw;
  }
  layer_.remove_weight(before);
}

Tensor calibration_matrix(const KernelProduct& product, const Variable& kernel) {
  const CalibratedForm& form = product.calibrated;
  if (form.matrix.empty() || !form.rows_are_inputs)
    throw UnsupportedError(fmt::format(
        "quantize: calibration needs a kernel of two or three axes whose first ones are the last "
        "ones of the inputs, which are summed; found {} (of three axes Keras takes the first one "
        "as "
        "features if it is the longest, else the first two).",
        product.form.shape.str()));
  return ops::reshape(kernel.value(), form.matrix);
}

Tensor AdaptedKernel::calibration_matrix(const Variable& kernel) const {
  if (lora_)
    throw UnsupportedError(
        "quantize: calibration does not go with LoRA. Save the model, which merges the update into "
        "the kernel, load it and quantize that.");
  if (quantized_ || calibrated_ || float8_)
    throw StateError("quantize: calibration needs a kernel of floats; this one is quantized.");
  return layers::calibration_matrix(product_, kernel);
}

void AdaptedKernel::take_calibrated(const Choice<QuantizationConfig>& config,
                                    const CalibratedKernel& numbers, Variable& kernel) {
  const Shape matrix = calibration_matrix(kernel).shape();
  const DTypePolicy policy =
      DTypePolicy::quantized(config->policy_mode(), layer_.own_dtype_policy());
  check_calibrated(numbers, matrix, policy.group_size(), policy.quantization_mode() == "awq");
  const Variable before = kernel;
  kernel = build_for(policy, config);
  calibrated_->assign(numbers);
  layer_.remove_weight(before);
}

void AdaptedKernel::enable_lora(Variable& kernel, int64_t rank, const LoraOptions& options,
                                const Choice<Regularizer>& regularizer,
                                const Choice<Constraint>& constraint) {
  check_no_lora(lora_);
  if (float8_)
    throw UnsupportedError("enable_lora: LoRA does not go with quantization to 'float8'.");
  if (calibrated_)
    throw UnsupportedError("enable_lora: LoRA does not go with quantization by GPTQ or AWQ.");
  lora_ = std::make_unique<Lora>(layer_, product_.form.name, product_.form.shape, kernel, rank,
                                 options, regularizer, constraint);
}

// Of inputs rounded to what their quantizer keeps of them.
Tensor AdaptedKernel::quantized_product(const Tensor& x) const {
  if (quantized_->is_int8() && inputs_quantizer_->output_dtype() == DType::int8 &&
      x.device().backend().fusions().int8_products)
    return int8_product(x);
  return product_.multiply(straight_through(*inputs_quantizer_, x, Axes(product_.input_summed)),
                           quantized_->dequantized(x.dtype()));
}

// The same as a product of integers, which is exact, divided by both scales. The gradient is that
// of the product of floats, as if x had not been rounded.
Tensor AdaptedKernel::int8_product(const Tensor& x) const {
  return custom_gradient(x, [this](const Tensor& x) {
    const auto [integers, scale] = (*inputs_quantizer_)(x, Axes(product_.input_summed));
    const Tensor sums = product_.multiply(integers, quantized_->values.value());
    // Both have size 1 along the axes that are summed.
    const Tensor scales = product_.multiply(ops::cast(scale, x.dtype()),
                                            ops::cast(quantized_->broadcast_scale(), x.dtype()));
    return std::pair<Tensor, std::function<Tensor(const Tensor&)>>(
        ops::cast(sums, x.dtype()) / scales,
        [x, weight = *quantized_, multiply = product_.multiply](const Tensor& dy) {
          GradientTape tape;
          tape.watch(x);
          const Tensor y = multiply(x, weight.dequantized(x.dtype()));
          return tape.gradient(y, std::vector<Tensor>{x}, dy)[0];
        });
  });
}

Tensor AdaptedKernel::product(const Tensor& x, const Variable& kernel) const {
  const DType compute = layer_.compute_dtype();
  const DType wide = size_of(compute) < 4 ? DType::float32 : compute;
  if (calibrated_)
    return ops::cast(product_.multiply(ops::cast(x, wide), calibrated_->dequantized(wide)),
                     compute);
  if (!quantized_)
    // Neither where quantization or LoRA has failed.
    return product_.multiply(x, lora_ ? adapted_kernel(*lora_, kernel, compute) : Tensor(kernel));
  const Tensor inputs = ops::cast(x, wide);
  const Tensor update = lora_ ? ops::cast(lora_->update(), wide) : Tensor();
  if (!inputs_quantizer_) {
    const Tensor weight = quantized_->dequantized(wide);
    return ops::cast(product_.multiply(inputs, lora_ ? weight + update : weight), compute);
  }
  const Tensor y = quantized_product(inputs);
  return ops::cast(lora_ ? y + product_.multiply(inputs, update) : y, compute);
}

Tensor AdaptedKernel::apply(const Tensor& x, const Variable& kernel, const Variable& bias,
                            bool training) const {
  if (!float8_) {
    const Tensor y = product(x, kernel);
    return bias ? y + Tensor(bias) : y;
  }
  const Tensor y = float8_->product(x, kernel, training, product_);
  if (!bias) return y;
  // As Keras does, whose products of 8-bit floats take their bias in bfloat16.
  const Tensor b = bias;
  return y +
         (b.dtype() == DType::float32 ? ops::cast(ops::cast(b, DType::bfloat16), b.dtype()) : b);
}

std::vector<Variable> AdaptedKernel::file_variables(const Variable& kernel, const Variable& bias,
                                                    bool merged) const {
  if (calibrated_) {
    std::vector<Variable> result = calibrated_->variables();
    if (bias) result.insert(result.begin(), bias);
    return result;
  }
  const Lora* lora = merged ? lora_.get() : nullptr;
  std::vector<Variable> result = quantized_
                                     ? quantized_->file_variables(lora)
                                     : std::vector<Variable>{lora ? lora->merged(kernel) : kernel};
  if (bias) result.insert(result.begin() + 1, bias);
  if (float8_)
    for (const Variable& v : float8_->variables()) result.push_back(v);
  return result;
}

void AdaptedKernel::reset_lora() {
  if (lora_) lora_->reset();
}

}  // namespace cornu::layers
