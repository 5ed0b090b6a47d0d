// Activation layer: an activation function as a layer of its own. Its handle is layers::Activation.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Activation, as in Keras.
struct ActivationConfig {
  Required<cornu::Activation> activation;  ///< name or function, as "relu"
  CORNU_LAYER_OPTIONS;
};

/// activation(x), of x's shape.
class ActivationLayer : public LayerOf<ActivationLayer, ActivationConfig> {
 public:
  explicit ActivationLayer(ActivationConfig config);  ///< lets masks through
  Tensor call(const Tensor& x, const Call&) override { return (*config.activation)(x); }
  bool acts_per_row() const override { return config.activation->is_builtin(); }
};

using Activation = Ref<ActivationLayer>;  ///< a shared ActivationLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ActivationLayer, layers::ActivationConfig>;
}
