// What it is given.
#include "identity.h"

namespace cornu::layers {

IdentityLayer::IdentityLayer(IdentityConfig c) : LayerOf(std::move(c)) { supports_masking_ = true; }

void register_identity(Catalog& c) { c.add<IdentityLayer>("keras.layers.Identity"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::IdentityLayer, cornu::layers::IdentityConfig>;
