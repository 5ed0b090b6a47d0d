// EinsumDense: a dense layer whose product is an Einstein sum.
#pragma once
#include "quantized.h"

namespace cornu::layers {

struct EinsumDenseConfig {
  Required<std::string> equation;  ///< "abc,cd->abd": input, kernel -> output; "..." for more axes
  Required<Shape> output_shape;    ///< without the batch; std::nullopt: as in the input
  cornu::Activation activation = {};
  std::optional<std::string> bias_axes = {};  ///< letters of the output; std::nullopt: no bias
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";
  Choice<Regularizer> kernel_regularizer = {};
  Choice<Regularizer> bias_regularizer = {};
  Choice<Regularizer> activity_regularizer = {};
  Choice<Constraint> kernel_constraint = {};
  Choice<Constraint> bias_constraint = {};
  std::optional<int64_t> lora_rank = {};  ///< see KernelLayer::enable_lora
  std::optional<double> lora_alpha = {};
  Choice<QuantizationConfig> quantization_config =
      {};  ///< with a quantized dtype, see Layer::quantize
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// activation(einsum(equation, x, kernel) + bias). The equation's first input is x with its batch
/// axis; "..." may stand at the left of x and of the output, or at their right. Throws ValueError
/// for an equation of another form, ShapeError when it does not fit the input or output_shape.
class EinsumDenseLayer : public KernelLayer<EinsumDenseLayer, EinsumDenseConfig> {
 public:
  explicit EinsumDenseLayer(EinsumDenseConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  /// How it multiplies by a kernel of this shape; see KernelLayer.
  KernelProduct product(const Shape& kernel_shape) const;
  static std::shared_ptr<EinsumDenseLayer> from_config(const Value::Dict& dict);

  Variable kernel;
  Variable bias;  ///< shaped to broadcast to the output; none without bias_axes

 private:
  // When the equation sums x's last axes with the kernel's first and the bias has the kernel's
  // others: how many axes are summed. The product is then one of matrices, with the bias in it.
  std::optional<int> summed_axes_;
  int input_rank_ = 0;
};

using EinsumDense = Ref<EinsumDenseLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EinsumDenseLayer, layers::EinsumDenseConfig>;
extern template class layers::KernelLayer<layers::EinsumDenseLayer, layers::EinsumDenseConfig>;
}  // namespace cornu
