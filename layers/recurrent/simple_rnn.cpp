// A fully connected recurrent layer over a sequence.
#include "simple_rnn.h"

namespace cornu::layers {

SimpleRNNLayer::SimpleRNNLayer(SimpleRNNConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
  cell = track("cell", SimpleRNNCell(cell_config<SimpleRNNCellConfig>(config, "simple_rnn_cell",
                                                                      dtype_policy())));
}

void SimpleRNNLayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  check_rank(input, 3, "(batch, steps, features)");
  cell->ensure_built(Tensor::abstract({input[0], input[2]}, compute_dtype()));
  if (config.stateful) kept_.make(input, config.units, 1, variable_dtype());
}

Nest SimpleRNNLayer::call_many(const Nest& inputs, const Call& call) {
  SimpleRNNCellLayer::Dropped dropped;
  Recurrence recurrence{.units = config.units,
                        .features = cell->kernel.shape()[0],
                        .states = 1,
                        .dtype = compute_dtype(),
                        .options = sequence_options(config)};
  recurrence.begin = [&](const Tensor& x) {
    dropped = cell->draw({x.shape()[0], x.shape()[2]}, x.dtype(), call.is_training());
  };
  recurrence.whole = [&](const Tensor& x, const States& first) {
    return cell->whole(x, first, dropped, config.go_backwards);
  };
  recurrence.project = [&](const Tensor& x) { return cell->project(x, dropped); };
  recurrence.step = [&](const Tensor& projected, const States& before, const Tensor& real) {
    return States{cell->step(projected, before[0], dropped, real)};
  };
  return call_recurrent(inputs, call, recurrence, kept_);
}

Tensor SimpleRNNLayer::compute_mask(const Nest&, const Tensor& mask) {
  return config.return_sequences ? mask : Tensor();
}

void SimpleRNNLayer::reset_state() { kept_.reset(); }

std::shared_ptr<SimpleRNNLayer> SimpleRNNLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(without_ways_to_compute(dict));
}

void register_simple_rnn(Catalog& c) { c.add<SimpleRNNLayer>("keras.layers.SimpleRNN"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SimpleRNNLayer, cornu::layers::SimpleRNNConfig>;
