// Long short-term memory over a sequence.
#include "lstm.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/core.h"
#include "../../framework/ops/creation.h"
#include "../../framework/ops/shaping.h"
#include "recurrent_common.h"

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
  if (!config.stateful) return;
  if (input[0] == Shape::unknown)
    throw ShapeError(fmt::format(
        "a stateful layer needs a known batch size, found input {}. Give batch_shape to Input.",
        input.str()));
  const Tensor zeros = ops::zeros({input[0], *config.units}, variable_dtype());
  h_ = Variable(zeros, {.name = "rnn_state", .trainable = false});
  c_ = Variable(zeros, {.name = "rnn_state", .trainable = false});
}

LSTMState LSTMLayer::initial_state(const std::vector<Tensor>& given, int64_t batch, DType dtype) {
  const Shape shape = {batch, *config.units};
  LSTMState state;
  if (given.size() == 2) {
    state = {ops::cast(given[0], dtype), ops::cast(given[1], dtype)};
  } else if (!given.empty()) {
    throw ShapeError(fmt::format("expected the states h and c as initial_state, found {} tensors.",
                                 given.size()));
  } else if (config.stateful) {
    state = {ops::cast(h_.value(), dtype), ops::cast(c_.value(), dtype)};
  } else {
    const Tensor zeros = ops::zeros(shape, dtype);
    state = {zeros, zeros};
  }
  if (state.h.shape() != shape || state.c.shape() != shape)
    throw ShapeError(fmt::format(
        "expected states of shape {}, found {} and {}.{}", shape.str(), state.h.shape().str(),
        state.c.shape().str(),
        config.stateful ? " A stateful layer keeps the batch size it was built with." : ""));
  return state;
}

Nest LSTMLayer::call_many(const Nest& inputs, const Call& call) {
  std::vector<Tensor> given = inputs.flatten();
  const Tensor x = given.at(0);
  given.erase(given.begin());
  if (const Value* states = call.find("initial_state")) given = states->nest().flatten();
  check_rank(x.shape(), 3, "(batch, steps, features)");
  check_axis(x.shape(), -1, cell->kernel.shape()[0]);
  if (x.shape()[1] == 0)
    throw ShapeError(fmt::format("expected at least one step, found input {}.", x.shape().str()));

  LSTMState state = initial_state(given, x.shape()[0], compute_dtype());
  const auto dropped = cell->draw({x.shape()[0], x.shape()[2]}, x.dtype(), call.is_training());
  std::vector<Tensor> steps = steps_of(cell->project(x, dropped)), real(steps.size());
  if (call.mask)
    real = ops::unstack(ops::expand_dims(ops::cast(call.mask, DType::boolean), {-1}), {}, 1);
  if (config.go_backwards) {
    std::ranges::reverse(steps);
    std::ranges::reverse(real);
  }
  // What a masked step gives: the last real step's output, which is the state h but before the
  // first of them.
  const bool own_output = call.mask && (config.unroll || config.zero_output_for_mask);
  std::vector<Tensor> outputs;
  for (size_t t = 0; t < steps.size(); ++t) {
    const LSTMState before = state;
    state = cell->step(steps[t], before, dropped, real[t]);
    Tensor output = state.h;
    if (own_output) {
      const bool repeats = config.unroll && !outputs.empty();
      output = ops::where(real[t], output, repeats ? outputs.back() : ops::zeros_like(output));
    }
    if (!config.return_sequences) outputs.clear();
    outputs.push_back(output);
  }
  if (config.stateful) {
    PauseRecording pause;
    h_.assign(state.h);
    c_.assign(state.c);
  }
  const Tensor y = config.return_sequences ? ops::stack(outputs, 1) : outputs.back();
  if (!config.return_state) return y;
  return {y, state.h, state.c};
}

Tensor LSTMLayer::compute_mask(const Nest&, const Tensor& mask) {
  return config.return_sequences ? mask : Tensor();
}

void LSTMLayer::reset_state() {
  if (!h_) return;
  h_.assign(ops::zeros(h_.shape(), h_.dtype()));
  c_.assign(ops::zeros(c_.shape(), c_.dtype()));
}

std::shared_ptr<LSTMLayer> LSTMLayer::from_config(const Value::Dict& dict) {
  Value::Dict used;
  // How Keras computes, which changes no result.
  for (const auto& [key, value] : dict)
    if (key != "implementation" && key != "use_cudnn") used.emplace_back(key, value);
  return LayerOf::from_config(without_unused(used, {"time_major"}));
}

void register_lstm(Catalog& c) { c.add<LSTMLayer>("keras.layers.LSTM"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LSTMLayer, cornu::layers::LSTMConfig>;
