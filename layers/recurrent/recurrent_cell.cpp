// Cells as recurrent layers see them, dropout masks, and tensors cut into pieces.
#include "recurrent_cell.h"

#include <fmt/core.h>

#include "../../framework/base/class_of.h"
#include "../../framework/dispatch/custom_gradient.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"

namespace cornu::layers {

namespace {

// The gradient of a plain slice fills a tensor of the full size with zeros, so that of many slices
// would cost their number times the full size; joining the pieces costs the full size once.
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
  recurrence.input_projection = [](const Tensor& x) { return x; };
  recurrence.step = [=](const Tensor& x, const States& before, const Tensor& valid) {
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
      step.states[i] = keep_masked(valid, step.states[i], before[i]);
    return step;
  };
  return recurrence;
}

RecurrentCell& as_cell(Layer& layer) {
  if (auto* cell = dynamic_cast<RecurrentCell*>(&layer)) return *cell;
  throw ValueError(fmt::format(
      "expected a cell, such as LSTMCell, found the layer '{}' ({}). A cell of your own "
      "derives from CellLayer.",
      layer.name(), class_of(layer)));
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

Tensor keep_masked(const Tensor& valid, const Tensor& after, const Tensor& before) {
  if (!valid) return after;
  std::vector<int64_t> places;
  for (int i = valid.rank(); i < after.rank(); ++i) places.push_back(i);
  return ops::where(places.empty() ? valid : ops::expand_dims(valid, places), after, before);
}

std::vector<Tensor> steps_of(const Tensor& x) {
  return cut(
      x, [](const Tensor& t) { return ops::unstack(t, {}, 1); },
      [](const std::vector<Tensor>& pieces) { return ops::stack(pieces, 1); });
}

std::vector<Tensor> sections_of(const Tensor& x, int64_t count, int64_t axis) {
  return cut(
      x, [=](const Tensor& t) { return ops::split(t, count, axis); },
      [=](const std::vector<Tensor>& pieces) { return ops::concatenate(pieces, axis); });
}

std::vector<Tensor> draw_dropout_masks(SeedGenerator& seeds, double rate, int count,
                                       const Shape& shape, DType dtype, bool training) {
  std::vector<Tensor> masks;
  for (int i = 0; rate > 0 && i < count; ++i) {
    const Seed seed(seeds);
    if (training) masks.push_back(random::dropout(ops::ones(shape, dtype), rate, seed));
  }
  return masks;
}

Tensor apply_dropout_mask(const Tensor& x, const Tensor& mask) {
  return x * (x.rank() > mask.rank() ? ops::expand_dims(mask, {1}) : mask);
}

Value::Dict drop_execution_options(const Value::Dict& dict) {
  Value::Dict used;
  for (const auto& [key, value] : dict)
    if (key != "implementation" && key != "use_cudnn") used.emplace_back(key, value);
  return without_unused(used, {"time_major"});
}

}  // namespace cornu::layers
