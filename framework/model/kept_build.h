// What a layer's entry in a model's config says of how the layer was built.
#pragma once
#include "../base/layer.h"

namespace cornu {

/// Lets a layer of a user's class build itself by `build_config` of its entry, as Keras does: its
/// build_from_config may need more than the shapes that the graph tells. Keras's own layers, models
/// and layers that are built are left alone.
void build_as_kept(Layer& layer, const Value::Dict& entry);

}  // namespace cornu
