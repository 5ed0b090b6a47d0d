// One step of a convolutional long short-term memory.
#include "conv_lstm_cell.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/initializers/random_initializer.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

// `f` of the steps of x (batch, steps, ...) as one batch.
template <class F>
Tensor on_all_steps(const Tensor& x, F f) {
  Shape folded = {x.shape()[0] * x.shape()[1]};
  for (int i = 2; i < x.rank(); ++i) folded.push_back(x.shape()[i]);
  const Tensor y = f(ops::reshape(x, folded));
  Shape shape = {x.shape()[0], x.shape()[1]};
  for (int i = 1; i < y.rank(); ++i) shape.push_back(y.shape()[i]);
  return ops::reshape(y, shape);
}

}  // namespace

ConvLSTMCellLayer::ConvLSTMCellLayer(ConvLSTMCellConfig c)
    : CellLayer(std::move(c)),
      seeds_(add_seed_generator(initializers::RandomInitializer::seed_before(
          config.seed,
          {config.kernel_initializer, config.recurrent_initializer, config.bias_initializer}))),
      usual_activations_(config.activation.name() == "tanh" &&
                         config.recurrent_activation.name() == "sigmoid") {
  check_positive("filters", config.filters);
  const std::vector<int64_t> ones(config.kernel_size.size(), 1);
  const bool first = channels_first(config.data_format);
  input_conv_ = {4 * *config.filters,
                 config.kernel_size,
                 config.strides,
                 config.padding,
                 first,
                 config.dilation_rate,
                 1};
  if (config.padding == "causal")
    throw ValueError("option 'padding' is 'causal'. Use 'valid' or 'same'.");
  input_conv_.check();
  state_conv_ = {4 * *config.filters, config.kernel_size, ones, "same", first, ones, 1};
  channel_axis_ = first ? 1 : -1;
  config.dropout = std::clamp(config.dropout, 0.0, 1.0);
  config.recurrent_dropout = std::clamp(config.recurrent_dropout, 0.0, 1.0);
}

void ConvLSTMCellLayer::build(const Shape& input) {
  const Shape kernel_shape = input_conv_.kernel_shape(input);
  step_ = input.slice(1, input.rank());
  if (!step_.known())
    throw ShapeError(
        fmt::format("expected known sizes of all axes but the batch and the steps, found {}. Give "
                    "them in Input.",
                    input.str()));
  kernel = add_weight({.name = "kernel",
                       .shape = kernel_shape,
                       .initializer = config.kernel_initializer,
                       .regularizer = config.kernel_regularizer,
                       .constraint = config.kernel_constraint});
  recurrent_kernel = add_weight(
      {.name = "recurrent_kernel",
       .shape = concat(Shape(config.kernel_size), {*config.filters, 4 * *config.filters}),
       .initializer = config.recurrent_initializer,
       .regularizer = config.recurrent_regularizer,
       .constraint = config.recurrent_constraint});
  if (config.use_bias) {
    std::shared_ptr<Initializer> initializer = config.bias_initializer.shared();
    if (config.unit_forget_bias) initializer = unit_forget_initializer(config.bias_initializer);
    bias = add_weight({.name = "bias",
                       .shape = {4 * *config.filters},
                       .initializer = initializer,
                       .regularizer = config.bias_regularizer,
                       .constraint = config.bias_constraint});
  }
  const Tensor one = Tensor::abstract(concat({1}, step_), compute_dtype());
  state_ = input_conv_.apply(one, kernel, {}).shape();
  state_ = state_.slice(1, state_.rank());
  state_[channel_axis_ == 1 ? 0 : state_.rank() - 1] = config.filters;
}

Nest ConvLSTMCellLayer::initial_states(int64_t batch) {
  const Tensor zeros = ops::zeros(concat({batch}, state_), compute_dtype());
  return {zeros, zeros};
}

ConvLSTMCellLayer::DropoutMasks ConvLSTMCellLayer::draw(const Shape& step, DType dtype,
                                                        bool training) {
  if (step.slice(1, step.rank()) != step_)
    throw ShapeError(fmt::format(
        "expected steps of shape {} behind the batch, found {}. Was it built for other data?",
        step_.str(), step.str()));
  // As in Keras, a rate of 1 drops nothing.
  DropoutMasks masks;
  masks.input =
      draw_dropout_masks(seeds_, config.dropout, 4, step, dtype, training && config.dropout < 1);
  masks.state = draw_dropout_masks(seeds_, config.recurrent_dropout, 4, concat({step[0]}, state_),
                                   dtype, training && config.recurrent_dropout < 1);
  return masks;
}

// x (batch, ...) or (batch, steps, ...).
Tensor ConvLSTMCellLayer::input_projection(const Tensor& x, const DropoutMasks& masks) const {
  const Tensor offset = bias ? Tensor(bias) : Tensor();
  const bool many = x.rank() > step_.rank() + 1;
  auto convolve = [&](const Tensor& t, const ConvGeometry& conv, const Tensor& weight,
                      const Tensor& b) {
    auto apply = [&](const Tensor& steps) { return conv.apply(steps, weight, b); };
    return many ? on_all_steps(t, apply) : apply(t);
  };
  if (masks.input.empty()) return convolve(x, input_conv_, kernel, offset);
  ConvGeometry gate = input_conv_;
  gate.filters = config.filters;
  const std::vector<Tensor> kernels = sections_of(kernel, 4);
  const std::vector<Tensor> offsets = bias ? sections_of(bias, 4) : std::vector<Tensor>(4);
  std::vector<Tensor> parts;
  for (size_t g = 0; g < 4; ++g)
    parts.push_back(convolve(apply_dropout_mask(x, masks.input[g]), gate, kernels[g], offsets[g]));
  return ops::concatenate(parts, channel_axis_ == 1 && many ? 2 : channel_axis_);
}

Tensor ConvLSTMCellLayer::state_projection(const Tensor& h, const DropoutMasks& masks) const {
  if (masks.state.empty()) return state_conv_.apply(h, recurrent_kernel, {});
  ConvGeometry gate = state_conv_;
  gate.filters = config.filters;
  const std::vector<Tensor> kernels = sections_of(recurrent_kernel, 4);
  std::vector<Tensor> parts;
  for (size_t g = 0; g < 4; ++g) parts.push_back(gate.apply(h * masks.state[g], kernels[g], {}));
  return ops::concatenate(parts, channel_axis_);
}

LSTMState ConvLSTMCellLayer::step(const Tensor& projected, const LSTMState& before,
                                  const DropoutMasks& masks, const Tensor& valid) const {
  const std::vector<Tensor> z =
      sections_of(projected + state_projection(before.h, masks), 4, channel_axis_);
  Tensor wide = valid;
  if (valid) {
    std::vector<int64_t> places;
    for (int i = valid.rank(); i < before.h.rank(); ++i) places.push_back(i);
    wide = ops::expand_dims(valid, places);
  }
  return lstm_gates(z, before, wide, config.recurrent_activation, config.activation,
                    usual_activations_);
}

Nest ConvLSTMCellLayer::call_many(const Nest& inputs, const Call& call) {
  const CellInputs in = cell_inputs(inputs, call, 2);
  const DropoutMasks masks = draw(in.x.shape(), in.x.dtype(), call.is_training());
  const LSTMState after =
      step(input_projection(in.x, masks), {in.states[0], in.states[1]}, masks, {});
  return in.result(after.h, {after.h, after.c});
}

Recurrence ConvLSTMCellLayer::recurrence(const Call& call) {
  const auto masks = std::make_shared<DropoutMasks>();
  Recurrence recurrence{.states = 2};
  recurrence.begin = [=, this, training = call.is_training()](const Shape& input, DType dtype) {
    *masks = draw(input, dtype, training);
  };
  recurrence.input_projection = [=, this](const Tensor& x) { return input_projection(x, *masks); };
  recurrence.step = [=, this](const Tensor& x, const States& before, const Tensor& valid) {
    const LSTMState after = step(x, {before[0], before[1]}, *masks, valid);
    return CellStep{after.h, {after.h, after.c}};
  };
  return recurrence;
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ConvLSTMCellLayer, cornu::layers::ConvLSTMCellConfig>;
