// Wrapper: the base of layers around another layer, and a layer as an option.
#pragma once
#include "../layer_options.h"

namespace cornu::detail {

/// A layer in a file: the object, and what it was built with.
template <>
struct OptionCodec<AnyLayer> {
  static Value encode(const AnyLayer& v);
  static AnyLayer decode(const Value& v);
};

}  // namespace cornu::detail

namespace cornu::layers {

/// Options of Wrapper, as in Keras.
struct WrapperConfig {
  Required<AnyLayer> layer;  ///< the layer inside
  CORNU_LAYER_OPTIONS;
};

/// Base of wrappers: keeps the option `layer` as the member "layer", under which files have its
/// weights, and builds it for the wrapper's own inputs.
template <class Self, class C>
class WrapperOf : public LayerOf<Self, C> {
 public:
  /// Tracks the layer.
  explicit WrapperOf(C c) : LayerOf<Self, C>(std::move(c)) {
    layer = this->track("layer", this->config.layer->shared());
  }
  /// Builds the layer for these inputs.
  void build_many(const Nest& inputs) override { layer->ensure_built(inputs); }

  std::shared_ptr<Layer> layer;  ///< the layer inside
};

/// Keras's abstract class of this name; it cannot be called. A call throws UnsupportedError.
class WrapperLayer : public WrapperOf<WrapperLayer, WrapperConfig> {
 public:
  using WrapperOf::WrapperOf;  ///< from the options; see WrapperOf
  Nest call_many(const Nest& inputs, const Call& call) override;
};

using Wrapper = Ref<WrapperLayer>;  ///< a shared WrapperLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::WrapperLayer, layers::WrapperConfig>;
}
