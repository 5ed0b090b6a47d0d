// Cells as recurrent layers see them.
#include "recurrent_cell.h"

#include <fmt/core.h>

#include "../../framework/ops/core.h"
#include "../../framework/ops/shaping.h"

namespace cornu::layers {

Layer& RecurrentCell::as_layer() {
  if (auto* self = dynamic_cast<Layer*>(this)) return *self;
  throw StateError("a RecurrentCell must be a layer: derive it from CellLayer.");
}

int64_t RecurrentCell::output_size() { return initial_states(1).flatten().at(0).shape().back(); }

Recurrence RecurrentCell::recurrence(const Call& call) {
  const Nest nesting = initial_states(1);
  const std::optional<bool> training = call.training;
  Layer* self = &as_layer();
  Recurrence recurrence;
  recurrence.states = nesting.flatten().size();
  recurrence.output_is_state = false;
  recurrence.begin = [](const Shape&, DType) {};
  recurrence.project = [](const Tensor& x) { return x; };
  recurrence.step = [=](const Tensor& x, const States& before, const Tensor& real) {
    const Nest result = (*self)(Nest{x, nesting.pack(before)}, Call{.training = training});
    if (!result.is_list() || result.size() < 2)
      throw StateError("a cell's call must return {output, states}, found the structure " +
                       result.structure() + ".");
    std::vector<Tensor> all = result.flatten();
    CellStep step{all[0], States(all.begin() + 1, all.end())};
    if (step.states.size() != before.size())
      throw StateError(
          fmt::format("a cell's call must return as many states as it was given, expected {}, "
                      "found {}.",
                      before.size(), step.states.size()));
    for (size_t i = 0; i < before.size(); ++i)
      step.states[i] = keep_masked(real, step.states[i], before[i]);
    return step;
  };
  return recurrence;
}

RecurrentCell& as_cell(Layer& layer) {
  if (auto* cell = dynamic_cast<RecurrentCell*>(&layer)) return *cell;
  throw ValueError(fmt::format(
      "expected a cell, such as LSTMCell, found the layer '{}' ({}). A cell of your own "
      "derives from CellLayer.",
      layer.name(), layer.base_name()));
}

Nest CellInputs::result(const Tensor& output, const States& after) const {
  if (!listed && after.size() == 1) return {output, after[0]};
  return {output, Nest(after)};
}

CellInputs cell_inputs(const Nest& inputs, const Call& call, size_t count) {
  std::vector<Tensor> all = inputs.flatten();
  CellInputs result;
  result.listed = inputs.is_list() && inputs.size() == 2 && !inputs[1].is_tensor();
  if (const Value* states = call.find("states")) {
    const Nest given = states->nest();
    result.listed = !given.is_tensor();
    for (const Tensor& t : given.flatten()) all.push_back(t);
  }
  if (all.size() != count + 1)
    throw ShapeError(fmt::format("expected an input and {} of its states, found {} tensors.", count,
                                 all.size()));
  result.x = all[0];
  result.states.assign(all.begin() + 1, all.end());
  return result;
}

CellInputs cell_inputs(const Nest& inputs, const Call& call, size_t count, int64_t features) {
  CellInputs result = cell_inputs(inputs, call, count);
  check_rank(result.x.shape(), 2, "(batch, features)");
  check_axis(result.x.shape(), -1, features);
  return result;
}

Value::Dict sequence_build_config(const Value::Dict& config) {
  const Value* shape = detail::find(config, "input_shape");
  if (const Value* shapes = detail::find(config, "shapes_dict");
      shapes && shapes->is<Value::Dict>())
    shape = detail::find(shapes->get<Value::Dict>(), "sequences_shape");
  if (!shape) return {};
  const bool several = shape->is<Value::List>() && !shape->get<Value::List>().empty() &&
                       shape->get<Value::List>()[0].is<Value::List>();
  return {{"input_shape", several ? shape->get<Value::List>()[0] : *shape}};
}

Tensor keep_masked(const Tensor& real, const Tensor& after, const Tensor& before) {
  if (!real) return after;
  std::vector<int64_t> places;
  for (int i = real.rank(); i < after.rank(); ++i) places.push_back(i);
  return ops::where(places.empty() ? real : ops::expand_dims(real, places), after, before);
}

}  // namespace cornu::layers
