// Any cell over a sequence.
#include "rnn.h"

namespace cornu::layers {

Cells::Cells(std::vector<AnyLayer> cells)
    : AnyLayer(StackedRNNCells({.cells = std::move(cells)})) {}

RNNLayer::RNNLayer(RNNConfig c) : RecurrentLayer(std::move(c)) {
  as_cell(*config.cell->shared());
  cell = track("cell", config.cell->shared());
}

Value::Dict RNNLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  // Keras's RNN neither writes the regularizer nor has it where there is none.
  if (!activity_regularizer())
    std::erase_if(dict, [](const auto& entry) { return entry.first == "activity_regularizer"; });
  return dict;
}

std::shared_ptr<RNNLayer> RNNLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_rnn(Catalog& c) { c.add<RNNLayer>("keras.layers.RNN"); }

}  // namespace cornu::layers

namespace cornu::detail {

layers::Cells OptionCodec<layers::Cells>::decode(const Value& v) {
  if (v.is<Value::List>()) return layers::Cells(OptionCodec<std::vector<AnyLayer>>::decode(v));
  return layers::Cells(OptionCodec<AnyLayer>::decode(v));
}

}  // namespace cornu::detail

template class cornu::LayerOf<cornu::layers::RNNLayer, cornu::layers::RNNConfig>;
