// Dense: the fully connected layer, activation(x kernel + bias).
#pragma once
#include "quantized.h"

namespace cornu::layers {

struct DenseConfig {
  Required<int64_t> units;  ///< size of the last axis of the output
  cornu::Activation activation = {};
  bool use_bias = true;
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";
  Choice<Regularizer> kernel_regularizer = {};
  Choice<Regularizer> bias_regularizer = {};
  Choice<Regularizer> activity_regularizer = {};
  Choice<Constraint> kernel_constraint = {};
  Choice<Constraint> bias_constraint = {};
  std::optional<int64_t> lora_rank = {};  ///< see KernelLayer::enable_lora
  std::optional<double> lora_alpha = {};  ///< when it is built with a lora_rank: that instead
  Choice<QuantizationConfig> quantization_config =
      {};  ///< with a quantized dtype, see Layer::quantize
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, ..., features) -> (batch, ..., units). Throws ShapeError when the last axis is not the
/// one it was built for.
class DenseLayer : public KernelLayer<DenseLayer, DenseConfig> {
 public:
  explicit DenseLayer(DenseConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  /// How it multiplies by a kernel of this shape; see KernelLayer.
  KernelProduct product(const Shape& kernel_shape) const;

  Variable kernel;  ///< (features, units)
  Variable bias;    ///< (units); none without use_bias
};

using Dense = Ref<DenseLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DenseLayer, layers::DenseConfig>;
extern template class layers::KernelLayer<layers::DenseLayer, layers::DenseConfig>;
}  // namespace cornu
