// Dense: the fully connected layer, activation(x kernel + bias).
#pragma once
#include "adapted_kernel.h"

namespace cornu::layers {

/// Options of Dense, as in Keras.
struct DenseConfig {
  Required<int64_t> units;            ///< size of the last axis of the output
  cornu::Activation activation = {};  ///< applied to the output; none: linear
  bool use_bias = true;               ///< add a bias
  CORNU_KERNEL_OPTIONS;
  /// Rank of a trained low-rank update; none: no update.
  std::optional<int64_t> lora_rank = {};
  /// Of no effect when building, as in Keras: alpha is lora_rank.
  std::optional<double> lora_alpha = {};
  /// How to quantize, for a quantized dtype; see Layer::quantize.
  Choice<QuantizationConfig> quantization_config = {};
  CORNU_LAYER_OPTIONS;
};

/// x (batch, ..., features) -> (batch, ..., units). Throws ShapeError when the last axis is not the
/// one it was built for.
class DenseLayer : public KernelLayer<DenseLayer, DenseConfig> {
 public:
  explicit DenseLayer(DenseConfig config);  ///< throws ValueError unless units is positive
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  bool acts_per_row() const override { return config.activation.is_builtin(); }
  /// How it multiplies by a kernel of this shape; see KernelLayer.
  KernelProduct product(const Shape& kernel_shape) const;
  Value::Dict get_config() const override;  ///< as Keras, without a penalty that there is not

  Variable kernel;  ///< (features, units)
  Variable bias;    ///< (units); none without use_bias
};

using Dense = Ref<DenseLayer>;  ///< a shared DenseLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DenseLayer, layers::DenseConfig>;
extern template class layers::KernelLayer<layers::DenseLayer, layers::DenseConfig>;
}  // namespace cornu
