// Gated recurrent units over a sequence.
#include "gru.h"

namespace cornu::layers {

GRULayer::GRULayer(GRUConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
  cell = track("cell", GRUCell(cell_config<GRUCellConfig>(config, "gru_cell", dtype_policy())));
}

void GRULayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  check_rank(input, 3, "(batch, steps, features)");
  cell->ensure_built(Tensor::abstract({input[0], input[2]}, compute_dtype()));
  if (config.stateful) kept_.make(input, config.units, 1, variable_dtype());
}

Nest GRULayer::call_many(const Nest& inputs, const Call& call) {
  GRUCellLayer::Sequence sequence;
  Recurrence recurrence{.units = config.units,
                        .features = cell->kernel.shape()[0],
                        .states = 1,
                        .dtype = compute_dtype(),
                        .options = sequence_options(config)};
  recurrence.begin = [&](const Tensor& x) {
    sequence = cell->begin({x.shape()[0], x.shape()[2]}, x.dtype(), call.is_training());
  };
  recurrence.whole = [&](const Tensor& x, const States& first) {
    return cell->whole(x, first, sequence, config.go_backwards);
  };
  recurrence.project = [&](const Tensor& x) { return cell->project(x, sequence); };
  recurrence.step = [&](const Tensor& projected, const States& before, const Tensor& real) {
    return States{cell->step(projected, before[0], sequence, real)};
  };
  return call_recurrent(inputs, call, recurrence, kept_);
}

Tensor GRULayer::compute_mask(const Nest&, const Tensor& mask) {
  return config.return_sequences ? mask : Tensor();
}

void GRULayer::reset_state() { kept_.reset(); }

std::shared_ptr<GRULayer> GRULayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(without_ways_to_compute(dict));
}

void register_gru(Catalog& c) { c.add<GRULayer>("keras.layers.GRU"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GRULayer, cornu::layers::GRUConfig>;
