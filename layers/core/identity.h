// Identity: what it is given.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Identity, as in Keras.
struct IdentityConfig {
  CORNU_LAYER_OPTIONS;
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
