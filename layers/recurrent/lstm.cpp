// Long short-term memory over a sequence.
#include "lstm.h"

namespace cornu::layers {

LSTMLayer::LSTMLayer(LSTMConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
  cell = track("cell", LSTMCell(cell_config<LSTMCellConfig>(config, "lstm_cell", dtype_policy())));
}

void LSTMLayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  check_rank(input, 3, "(batch, steps, features)");
  cell->ensure_built(Tensor::abstract({input[0], input[2]}, compute_dtype()));
  if (config.stateful) kept_.make(input, config.units, 2, variable_dtype());
}

Nest LSTMLayer::call_many(const Nest& inputs, const Call& call) {
  LSTMCellLayer::Dropped dropped;
  Recurrence recurrence{.units = config.units,
                        .features = cell->kernel.shape()[0],
                        .states = 2,
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
    const LSTMState after = cell->step(projected, {before[0], before[1]}, dropped, real);
    return States{after.h, after.c};
  };
  return call_recurrent(inputs, call, recurrence, kept_);
}

Tensor LSTMLayer::compute_mask(const Nest&, const Tensor& mask) {
  return config.return_sequences ? mask : Tensor();
}

void LSTMLayer::reset_state() { kept_.reset(); }

std::shared_ptr<LSTMLayer> LSTMLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(without_ways_to_compute(dict));
}

void register_lstm(Catalog& c) { c.add<LSTMLayer>("keras.layers.LSTM"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LSTMLayer, cornu::layers::LSTMConfig>;
