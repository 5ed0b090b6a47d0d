// Steps, states and masks. The gradient of a plain slice fills a tensor of the full size with
// zeros, so that of many slices would cost their number times the whole; joining the pieces costs
// the whole once.
#include "recurrent_common.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/graph/tape.h"
#include "../../framework/ops/core.h"
#include "../../framework/ops/creation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/shaping.h"

namespace cornu::layers {

namespace {

template <class Cut, class Join>
std::vector<Tensor> cut(const Tensor& x, Cut pieces, Join join) {
  const Tensor inputs[] = {x};
  const Tensors outputs = custom_gradient(inputs, [&](std::span<const Tensor> in) {
    const std::vector<Tensor> made = pieces(in[0]);
    std::vector<TensorSpec> specs;
    for (const Tensor& t : made) specs.push_back(t.spec());
    GradientFunction gradient = [specs, join](std::span<const Tensor> given) -> Tensors {
      std::vector<Tensor> all(given.begin(), given.end());
      for (size_t i = 0; i < all.size(); ++i)
        if (!all[i]) all[i] = ops::zeros(specs[i].shape, specs[i].dtype);
      return {join(all)};
    };
    return WithGradient{Tensors(made.begin(), made.end()), std::move(gradient)};
  });
  return {outputs.begin(), outputs.end()};
}

}  // namespace

std::vector<Tensor> steps_of(const Tensor& x) {
  return cut(
      x, [](const Tensor& t) { return ops::unstack(t, {}, 1); },
      [](const std::vector<Tensor>& pieces) { return ops::stack(pieces, 1); });
}

std::vector<Tensor> sections_of(const Tensor& x, int64_t count) {
  return cut(
      x, [count](const Tensor& t) { return ops::split(t, {count}, -1); },
      [](const std::vector<Tensor>& pieces) { return ops::concatenate(pieces, -1); });
}

std::vector<Tensor> draw_masks(SeedGenerator& seeds, double rate, int count, const Shape& shape,
                               DType dtype, bool training) {
  std::vector<Tensor> masks;
  for (int i = 0; rate > 0 && i < count; ++i) {
    const Seed seed(seeds);
    if (training) masks.push_back(random::dropout(ops::ones(shape, dtype), rate, seed));
  }
  return masks;
}

std::vector<Tensor> cell_inputs(const Nest& inputs, const Call& call, size_t count,
                                int64_t features) {
  std::vector<Tensor> all = inputs.flatten();
  if (const Value* states = call.find("states"))
    for (const Tensor& t : states->nest().flatten()) all.push_back(t);
  if (all.size() != count + 1)
    throw ShapeError(fmt::format("expected an input and {} of its states, found {} tensors.", count,
                                 all.size()));
  check_rank(all[0].shape(), 2, "(batch, features)");
  check_axis(all[0].shape(), -1, features);
  return all;
}

void KeptStates::make(const Shape& input, int64_t units, int count, DType dtype) {
  if (input[0] == Shape::unknown)
    throw ShapeError(fmt::format(
        "a stateful layer needs a known batch size, found input {}. Give batch_shape to Input.",
        input.str()));
  const Tensor zeros = ops::zeros({input[0], units}, dtype);
  variables_.clear();
  for (int i = 0; i < count; ++i)
    variables_.push_back(Variable(zeros, {.name = "rnn_state", .trainable = false}));
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

namespace {

States first_states(const std::vector<Tensor>& given, int64_t batch, const Recurrence& recurrence,
                    const KeptStates& kept) {
  const Shape shape = {batch, recurrence.units};
  States states = given;
  if (states.empty() && kept) states = kept.values();
  if (states.empty()) states.assign(recurrence.states, ops::zeros(shape, recurrence.dtype));
  if (states.size() != recurrence.states)
    throw ShapeError(fmt::format("expected {} states as initial_state, found {} tensors.",
                                 recurrence.states, states.size()));
  for (Tensor& state : states) {
    if (state.shape() != shape)
      throw ShapeError(
          fmt::format("expected states of shape {}, found {}.{}", shape.str(), state.shape().str(),
                      kept ? " A stateful layer keeps the batch size it was built with." : ""));
    state = ops::cast(state, recurrence.dtype);
  }
  return states;
}

}  // namespace

namespace {

struct Walked {
  Tensor y;
  States states;
};

// Step by step, composed of operations.
Walked walk_steps(const Tensor& x, const Tensor& mask, const Recurrence& recurrence,
                  States states) {
  const SequenceOptions& options = recurrence.options;
  std::vector<Tensor> steps = steps_of(recurrence.project(x)), real(steps.size());
  if (mask) real = ops::unstack(ops::expand_dims(ops::cast(mask, DType::boolean), {-1}), {}, 1);
  if (options.go_backwards) {
    std::ranges::reverse(steps);
    std::ranges::reverse(real);
  }
  // What a masked step gives: the last real step's output, which is the first state but before the
  // first of them.
  const bool own_output = mask && (options.unroll || options.zero_output_for_mask);
  std::vector<Tensor> outputs;
  for (size_t t = 0; t < steps.size(); ++t) {
    states = recurrence.step(steps[t], states, real[t]);
    Tensor output = states[0];
    if (own_output) {
      const bool repeats = options.unroll && !outputs.empty();
      output = ops::where(real[t], output, repeats ? outputs.back() : ops::zeros_like(output));
    }
    if (!options.return_sequences) outputs.clear();
    outputs.push_back(output);
  }
  return {options.return_sequences ? ops::stack(outputs, 1) : outputs.back(), states};
}

Walked walk(const Tensor& x, const Tensor& mask, const Recurrence& recurrence,
            const States& states) {
  const SequenceOptions& options = recurrence.options;
  recurrence.begin(x);
  if (!mask && !options.unroll)
    if (const std::optional<ops::RnnResult> result = recurrence.whole(x, states)) {
      Walked walked{options.return_sequences ? result->y : result->h, {result->h}};
      if (result->c) walked.states.push_back(result->c);
      return walked;
    }
  return walk_steps(x, mask, recurrence, states);
}

}  // namespace

Nest call_recurrent(const Nest& inputs, const Call& call, const Recurrence& recurrence,
                    KeptStates& kept) {
  std::vector<Tensor> given = inputs.flatten();
  const Tensor x = given.at(0);
  given.erase(given.begin());
  if (const Value* states = call.find("initial_state")) given = states->nest().flatten();
  check_rank(x.shape(), 3, "(batch, steps, features)");
  check_axis(x.shape(), -1, recurrence.features);
  if (x.shape()[1] == 0)
    throw ShapeError(fmt::format("expected at least one step, found input {}.", x.shape().str()));

  const States first = first_states(given, x.shape()[0], recurrence, kept);
  const Walked walked = walk(x, call.mask, recurrence, first);
  if (kept) kept.assign(walked.states);
  if (!recurrence.options.return_state) return walked.y;
  Nest::List all = {walked.y};
  all.insert(all.end(), walked.states.begin(), walked.states.end());
  return all;
}

Tensor drop(const Tensor& x, const Tensor& mask) {
  return x * (x.rank() == 3 ? ops::expand_dims(mask, {1}) : mask);
}

Value::Dict without_ways_to_compute(const Value::Dict& dict) {
  Value::Dict used;
  for (const auto& [key, value] : dict)
    if (key != "implementation" && key != "use_cudnn") used.emplace_back(key, value);
  return without_unused(used, {"time_major"});
}

}  // namespace cornu::layers
