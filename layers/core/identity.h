// Identity: what it is given.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Identity, as in Keras.
struct IdentityConfig {
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// The inputs, whatever their structure.
class IdentityLayer : public LayerOf<IdentityLayer, IdentityConfig> {
 public:
  explicit IdentityLayer(IdentityConfig config);  ///< lets masks through
  Tensor call(const Tensor& x, const Call&) override { return x; }
  Nest call_many(const Nest& inputs, const Call&) override { return inputs; }
};

using Identity = Ref<IdentityLayer>;  ///< a shared IdentityLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::IdentityLayer, layers::IdentityConfig>;
}
