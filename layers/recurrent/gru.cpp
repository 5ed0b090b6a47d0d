// Gated recurrent units over a sequence.
#include "gru.h"

namespace cornu::layers {

GRULayer::GRULayer(GRUConfig c) : RecurrentLayer(std::move(c)) {
  cell = track("cell", GRUCell(cell_config<GRUCellConfig>(config, "gru_cell", dtype_policy())));
}

std::shared_ptr<GRULayer> GRULayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_gru(Catalog& c) { c.add<GRULayer>("keras.layers.GRU"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GRULayer, cornu::layers::GRUConfig>;
