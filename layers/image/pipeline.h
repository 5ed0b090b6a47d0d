// Pipeline: layers applied one after the other, as one layer.
#pragma once
#include "../../framework/data/augment.h"
#include "../core/wrapper.h"

namespace cornu::layers {

/// Options of Pipeline.
struct PipelineConfig {
  std::vector<AnyLayer> layers = {};  ///< from the first to the last; at least one
  std::string name = "";              ///< of the layer; empty: made from the class's name
};

/// The layers one after the other, on a tensor or on a dictionary such as {"images", "labels"}.
/// Unlike Sequential it takes what is no tensor, and trains unless told otherwise, as image
/// preprocessing does. Throws ValueError without layers.
class PipelineLayer : public LayerOf<PipelineLayer, PipelineConfig>, public data::Augmenter {
 public:
  /// Throws ValueError without layers. It casts no inputs; the layers inside do.
  explicit PipelineLayer(PipelineConfig config);
  /// Each layer in order. Throws UnsupportedError for layers that change no samples.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  bool uses_mask() const override { return true; }
  /// Keras's pipeline has no options but these two.
  Value::Dict get_config() const override;

  std::vector<std::shared_ptr<Layer>> layers;  ///< those of the options, in order
};

using Pipeline = Ref<PipelineLayer>;  ///< a shared PipelineLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::PipelineLayer, layers::PipelineConfig>;
}
