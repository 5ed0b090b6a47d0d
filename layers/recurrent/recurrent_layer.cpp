// Going through the steps of a sequence.
#include "recurrent_layer.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {
namespace {

States first_states(const States& given, const std::vector<Tensor>& zeros, DType dtype,
                    const KeptStates& kept) {
  States states = given;
  if (states.empty() && kept) states = kept.values();
  if (states.empty()) states = zeros;
  if (states.size() != zeros.size())
    throw ShapeError(fmt::format("expected {} states as initial_state, found {} tensors.",
                                 zeros.size(), states.size()));
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].shape() != zeros[i].shape())
      throw ShapeError(
          fmt::format("expected states of shape {}, found {}.{}", zeros[i].shape().str(),
                      states[i].shape().str(),
                      kept ? " A stateful layer keeps the batch size it was built with." : ""));
    states[i] = ops::cast(states[i], dtype);
  }
  return states;
}

// (batch, ...) of (batch, steps, ...).
Shape step_of(const Shape& input) {
  Shape step = {input[0]};
  for (int i = 2; i < input.rank(); ++i) step.push_back(input[i]);
  return step;
}

// A cell that steps without being called learns here which axes of its input are unknown.
void settle(Layer& cell, const Tensor& x) {
  cell.ensure_built(Tensor::abstract(step_of(x.shape()), x.dtype()));
}

struct UnrollResult {
  Tensor y;
  States states;
};

// Step by step, composed of operations.
UnrollResult unroll_steps(const Tensor& x, const Tensor& mask, const Recurrence& recurrence,
                          const SequenceOptions& options, States states, bool from_zeros) {
  std::vector<Tensor> steps = steps_of(recurrence.input_projection(x)), valid(steps.size());
  if (mask) valid = ops::unstack(ops::expand_dims(ops::cast(mask, DType::boolean), {-1}), {}, 1);
  if (options.go_backwards) {
    std::ranges::reverse(steps);
    std::ranges::reverse(valid);
  }
  // What a masked step gives: the last valid step's output, and zeros before the first of them.
  // That is the first state of the cell if it has begun with zeros.
  const bool own_output = mask && (options.unroll || options.zero_output_for_mask ||
                                   !recurrence.output_is_state || !from_zeros);
  const bool zeros = options.zero_output_for_mask && !options.unroll;
  std::vector<Tensor> outputs;
  for (size_t t = 0; t < steps.size(); ++t) {
    CellStep step = recurrence.step(steps[t], states, valid[t]);
    states = std::move(step.states);
    Tensor output = step.output;
    if (own_output)
      output = keep_masked(valid[t], output,
                           zeros || outputs.empty() ? ops::zeros_like(output) : outputs.back());
    if (!options.return_sequences) outputs.clear();
    outputs.push_back(output);
  }
  return {options.return_sequences ? ops::stack(outputs, 1) : outputs.back(), states};
}

UnrollResult run_cell(const Tensor& x, const Tensor& mask, const Recurrence& recurrence,
                      const SequenceOptions& options, const States& states, bool from_zeros) {
  recurrence.begin(step_of(x.shape()), x.dtype());
  if (!mask && !options.unroll && recurrence.fused_sequence)
    if (const auto result = recurrence.fused_sequence(x, states, options.go_backwards)) {
      UnrollResult unrolled{options.return_sequences ? result->y : result->h, {result->h}};
      if (result->c) unrolled.states.push_back(result->c);
      return unrolled;
    }
  return unroll_steps(x, mask, recurrence, options, states, from_zeros);
}

// The cells of a stack, one after the other over the whole sequence.
UnrollResult run_stack(const std::vector<RecurrentCell*>& cells, const Tensor& x, const Call& call,
                       const SequenceOptions& options, const States& first, bool from_zeros) {
  UnrollResult unrolled{x, {}};
  Tensor mask = call.mask;
  if (mask && (mask.rank() != 2 || mask.shape()[1] != x.shape()[1]))
    throw ShapeError(
        fmt::format("the mask says for each step of each sample whether it is real: expected the "
                    "shape ({}, {}), found {}.",
                    x.shape()[0], x.shape()[1], mask.shape().str()));
  auto next = first.begin();
  for (size_t i = 0; i < cells.size(); ++i) {
    SequenceOptions part = options;
    if (i + 1 < cells.size()) part.return_sequences = true;
    if (i > 0) part.go_backwards = false;  // the first cell's outputs are in the order of its steps
    if (i == 1 && mask && options.go_backwards) mask = ops::flip(mask, 1);
    settle(dynamic_cast<Layer&>(*cells[i]), unrolled.y);
    const Recurrence recurrence = cells[i]->recurrence(call);
    if (recurrence.features) check_axis(unrolled.y.shape(), -1, recurrence.features);
    const States before(next, next + static_cast<std::ptrdiff_t>(recurrence.states));
    next += static_cast<std::ptrdiff_t>(recurrence.states);
    UnrollResult result = run_cell(unrolled.y, mask, recurrence, part, before, from_zeros);
    unrolled.y = result.y;
    unrolled.states.insert(unrolled.states.end(), result.states.begin(), result.states.end());
  }
  // Unrolled, Keras zeroes the gathered outputs by the mask in the order of the input, even with
  // go_backwards.
  if (call.mask && options.unroll && options.zero_output_for_mask) {
    Tensor valid = ops::cast(call.mask, DType::boolean);
    if (!options.return_sequences)
      valid = ops::expand_dims(
          ops::unstack(valid, {}, 1).at(options.go_backwards ? 0 : valid.shape()[1] - 1), {1});
    unrolled.y = keep_masked(valid, unrolled.y, ops::zeros_like(unrolled.y));
  }
  return unrolled;
}

}  // namespace

void KeptStates::make(const States& first, DType dtype) {
  variables_.clear();
  for (const Tensor& state : first)
    variables_.push_back(
        Variable(ops::cast(state, dtype), {.name = "rnn_state", .trainable = false}));
}

States KeptStates::values() const {
  States values;
  for (const Variable& v : variables_) values.push_back(v.value());
  return values;
}

void KeptStates::assign(const States& states) {
  PauseRecording pause;
  for (size_t i = 0; i < variables_.size(); ++i) variables_[i].assign(states[i]);
}

void KeptStates::reset() {
  for (Variable& v : variables_) v.assign(ops::zeros(v.shape(), v.dtype()));
}

void RecurrentBase::build_cell(Layer& layer, Layer& cell, const Shape& input) {
  if (input.rank() < 3)
    throw ShapeError(
        fmt::format("expected an input of rank 3 or more (batch, steps, features), found rank {} "
                    "with shape {}. Is the batch or the axis of steps missing?",
                    input.rank(), input.str()));
  cell.ensure_built(Tensor::abstract(step_of(input), layer.compute_dtype()));
  if (!sequence_options().stateful) return;
  if (input[0] == Shape::unknown)
    throw ShapeError(fmt::format(
        "a stateful layer needs a known batch size, found input {}. Give batch_shape to Input.",
        input.str()));
  kept_.make(as_cell(cell).initial_states(input[0]).flatten(), layer.variable_dtype());
}

Nest RecurrentBase::call_cell(const Layer& layer, Layer& cell_layer, const Nest& inputs,
                              const Call& call) {
  std::vector<Tensor> given = inputs.flatten();
  const Tensor x = given.at(0);
  given.erase(given.begin());
  if (const Value* states = call.find("initial_state"))
    if (!states->is_null()) given = states->nest().flatten();
  check_min_rank(x.shape(), 3);
  if (x.shape()[1] == 0)
    throw ShapeError(fmt::format("expected at least one step, found input {}.", x.shape().str()));

  settle(cell_layer, x);
  RecurrentCell& cell = as_cell(cell_layer);
  const SequenceOptions options = sequence_options();
  const Nest zeros = cell.initial_states(x.shape()[0]);
  const States first = first_states(given, zeros.flatten(), cell_layer.compute_dtype(), kept_);
  UnrollResult unrolled = run_stack(cell.stack(), x, call, options, first, given.empty() && !kept_);
  unrolled.y = ops::cast(unrolled.y, layer.compute_dtype());
  for (Tensor& state : unrolled.states) state = ops::cast(state, layer.compute_dtype());
  if (kept_) kept_.assign(unrolled.states);
  if (!options.return_state) return unrolled.y;
  Nest::List all = {unrolled.y};
  const Nest nested = zeros.pack(unrolled.states);
  all.insert(all.end(), nested.list().begin(), nested.list().end());
  return all;
}

RecurrentCall::operator Call() const {
  Call call{.training = training, .mask = mask, .extra = extra};
  if (!initial_state.empty()) call.extra.emplace_back("initial_state", Value(initial_state));
  return call;
}

bool has_initial_state(const Nest& inputs, const Call& call) {
  if (!inputs.is_tensor() && inputs.flatten().size() > 1) return true;
  const Value* states = call.find("initial_state");
  return states && !states->is_null();
}

Nest name_initial_state(const Nest& inputs, Call& call) {
  if (inputs.is_tensor() || inputs.size() < 2) return inputs;
  if (!call.find("initial_state")) {
    std::vector<Tensor> states = inputs.flatten();
    states.erase(states.begin());
    call.extra.emplace_back("initial_state", Value(Nest(states)));
  }
  return inputs.flatten()[0];
}

}  // namespace cornu::layers
