// Long short-term memory over a sequence.
#include "lstm.h"

namespace cornu::layers {

LSTMLayer::LSTMLayer(LSTMConfig c) : RecurrentLayer(std::move(c)) {
  cell = track("cell", LSTMCell(cell_config<LSTMCellConfig>(config, "lstm_cell", dtype_policy())));
}

std::shared_ptr<LSTMLayer> LSTMLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_lstm(Catalog& c) { c.add<LSTMLayer>("keras.layers.LSTM"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LSTMLayer, cornu::layers::LSTMConfig>;
