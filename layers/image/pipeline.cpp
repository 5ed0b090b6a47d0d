// Layers one after the other.
#include "pipeline.h"

namespace cornu::layers {

PipelineLayer::PipelineLayer(PipelineConfig c) : LayerOf(std::move(c)) {
  if (config.layers.empty()) throw ValueError("option 'layers' must have at least one layer.");
  // What the layers inside take is theirs to cast.
  autocast_ = false;
  std::vector<Members> members;
  for (const AnyLayer& layer : config.layers) {
    layers.push_back(layer.shared());
    members.emplace_back(layer.shared());
  }
  track("_pipeline_layers", Members(std::move(members)));
}

Nest PipelineLayer::call_many(const Nest& inputs, const Call& call) {
  const Call inner{.training = call.training.value_or(true)};
  Nest x = inputs;
  for (const auto& layer : layers) x = (*layer)(x, inner);
  return x;
}

void PipelineLayer::augment(data::Sample& sample, data::Draws& draws) const {
  for (const auto& layer : layers) {
    const auto* change = dynamic_cast<const data::Augmenter*>(layer.get());
    if (!change)
      throw UnsupportedError("layer '" + layer->name() +
                             "' changes batches, but no single samples.");
    change->augment(sample, draws);
  }
}

Value::Dict PipelineLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  std::erase_if(dict,
                [](const auto& entry) { return entry.first != "layers" && entry.first != "name"; });
  return dict;
}

void register_pipeline(Catalog& c) { c.add<PipelineLayer>("keras.layers.Pipeline"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::PipelineLayer, cornu::layers::PipelineConfig>;
