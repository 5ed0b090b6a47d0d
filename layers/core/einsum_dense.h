// EinsumDense: a dense layer whose product is an Einstein sum.
#pragma once
#include "adapted_kernel.h"

namespace cornu::layers {

/// Options of EinsumDense, as in Keras.
struct EinsumDenseConfig {
  Required<std::string> equation;  ///< "abc,cd->abd": input, kernel -> output; "..." for more axes
  Required<Shape> output_shape;    ///< without the batch; std::nullopt: as in the input
  /// Activation of the output; none: linear.
  cornu::Activation activation = {};
  std::optional<std::string> bias_axes = {};  ///< letters of the output; std::nullopt: no bias
  CORNU_KERNEL_OPTIONS;
  /// Rank of a trained low-rank update; none: no update.
  std::optional<int64_t> lora_rank = {};
  /// Numerator of the update's scale alpha / rank; none: the rank.
  std::optional<double> lora_alpha = {};
  /// How to quantize, for a quantized dtype; see Layer::quantize.
  Choice<QuantizationConfig> quantization_config = {};
  CORNU_LAYER_OPTIONS;
};

/// activation(einsum(equation, x, kernel) + bias). The equation's first input is x with its batch
/// axis; "..." may come first in x and in the output, or last in both. Throws ValueError
/// for an equation of another form, ShapeError when it does not fit the input or output_shape.
class EinsumDenseLayer : public KernelLayer<EinsumDenseLayer, EinsumDenseConfig> {
 public:
  /// Throws ValueError for an equation of another form.
  explicit EinsumDenseLayer(EinsumDenseConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  /// How it multiplies by a kernel of this shape; see KernelLayer.
  KernelProduct product(const Shape& kernel_shape) const;
  /// As LayerOf's; ignores gptq_unpacked_column_size, which the kernel's shape tells.
  static std::shared_ptr<EinsumDenseLayer> from_config(const Value::Dict& dict);
  /// As KernelLayer's, and gptq_unpacked_column_size for a layer quantized by GPTQ, as Keras.
  Value::Dict get_config() const override;

  Variable kernel;  ///< has the axes of the equation's second input
  Variable bias;    ///< shaped to broadcast to the output; none without bias_axes

 private:
  // When the equation sums x's last axes with the kernel's first and the bias has the kernel's
  // others: how many axes are summed. The product is then one of matrices, with the bias in it.
  std::optional<int> summed_axes_;
  int input_rank_ = 0;
};

using EinsumDense = Ref<EinsumDenseLayer>;  ///< a shared EinsumDenseLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EinsumDenseLayer, layers::EinsumDenseConfig>;
extern template class layers::KernelLayer<layers::EinsumDenseLayer, layers::EinsumDenseConfig>;
}  // namespace cornu
