// A scaled residual.
#include "inception_resnet_v2.h"

#include "../framework/ops/operators.h"

namespace cornu::layers {

Nest CustomScaleLayerLayer::call_many(const Nest& inputs, const Call&) {
  if (!inputs.is_list() || inputs.size() != 2)
    throw ShapeError("expected a list of two tensors, found the structure " + inputs.structure() +
                     ".");
  return inputs[0].tensor() + inputs[1].tensor() * Tensor(*config.scale);
}

// Keras has no public name for it.
void register_inception_resnet_v2(Catalog& c) {
  c.add<CustomScaleLayerLayer>("keras.src.applications.inception_resnet_v2.CustomScaleLayer");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::CustomScaleLayerLayer,
                              cornu::layers::CustomScaleLayerConfig>;
