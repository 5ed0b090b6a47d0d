// Long short-term memory over a sequence.
#include "lstm.h"

namespace cornu::layers {

LSTMLayer::LSTMLayer(LSTMConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
  cell = track("cell", LSTMCell({.units = config.units,
                                 .activation = config.activation,
                                 .recurrent_activation = config.recurrent_activation,
                                 .use_bias = config.use_bias,
                                 .kernel_initializer = config.kernel_initializer,
                                 .recurrent_initializer = config.recurrent_initializer,
                                 .bias_initializer = config.bias_initializer,
                                 .unit_forget_bias = config.unit_forget_bias,
                                 .kernel_regularizer = config.kernel_regularizer,
                                 .recurrent_regularizer = config.recurrent_regularizer,
                                 .bias_regularizer = config.bias_regularizer,
                                 .kernel_constraint = config.kernel_constraint,
                                 .recurrent_constraint = config.recurrent_constraint,
                                 .bias_constraint = config.bias_constraint,
                                 .dropout = config.dropout,
                                 .recurrent_dropout = config.recurrent_dropout,
                                 .seed = config.seed,
                                 .name = "lstm_cell",
                                 .trainable = config.trainable,
                                 .dtype = dtype_policy()}));
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
  recurrence.project = [&](const Tensor& x) {
    dropped = cell->draw({x.shape()[0], x.shape()[2]}, x.dtype(), call.is_training());
    return cell->project(x, dropped);
  };
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
