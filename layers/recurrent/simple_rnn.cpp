// A fully connected recurrent layer over a sequence.
#include "simple_rnn.h"

namespace cornu::layers {

SimpleRNNLayer::SimpleRNNLayer(SimpleRNNConfig c) : RecurrentLayer(std::move(c)) {
  cell = track("cell", SimpleRNNCell(cell_config<SimpleRNNCellConfig>(config, "simple_rnn_cell",
                                                                      dtype_policy())));
}

std::shared_ptr<SimpleRNNLayer> SimpleRNNLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_simple_rnn(Catalog& c) { c.add<SimpleRNNLayer>("keras.layers.SimpleRNN"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SimpleRNNLayer, cornu::layers::SimpleRNNConfig>;
