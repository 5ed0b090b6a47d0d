// Activation layer: an activation function as a layer of its own. Its handle is layers::Activation.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct ActivationConfig {
  Required<cornu::Activation> activation;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// activation(x), of x's shape.
class ActivationLayer : public LayerOf<ActivationLayer, ActivationConfig> {
 public:
  explicit ActivationLayer(ActivationConfig config);
  Tensor call(const Tensor& x, const Call&) override { return (*config.activation)(x); }
};

using Activation = Ref<ActivationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ActivationLayer, layers::ActivationConfig>;
}
