// A layer at every step.
#include "time_distributed.h"

#include <fmt/core.h>

#include "../../framework/base/call_scope.h"
#include "../../framework/base/located.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../convolutional/conv.h"
#include "../core/dense.h"
#include "../core/embedding.h"
#include "../reshaping/flatten.h"
#include "recurrent_cell.h"

namespace cornu::layers {

namespace {

Shape without_steps(const Shape& shape) {
  Shape rest = {shape[0]};
  for (int i = 2; i < shape.rank(); ++i) rest.push_back(shape[i]);
  return rest;
}

// (batch, steps, ...) -> (batch * steps, ...).
Tensor fold(const Tensor& x) {
  Shape shape = {x.shape()[0] * x.shape()[1]};
  for (int i = 2; i < x.rank(); ++i) shape.push_back(x.shape()[i]);
  return ops::reshape(x, shape);
}

void check_steps_mask(const Shape& mask, const Shape& x) {
  if (mask.rank() < 2)
    throw ShapeError(
        fmt::format("expected a mask of shape (batch, steps, ...), found {}.", mask.str()));
  if (mask[0] != x[0] || mask[1] != x[1])
    throw ShapeError(
        fmt::format("expected a mask that begins with ({}, {}) as input {} does, found {}.", x[0],
                    x[1], x.str(), mask.str()));
}

}  // namespace

TimeDistributedLayer::TimeDistributedLayer(TimeDistributedConfig c) : WrapperOf(std::move(c)) {
  supports_masking_ = true;
}

void TimeDistributedLayer::build_many(const Nest& inputs) {
  const Tensor x = inputs.tensor();
  check_min_rank(x.shape(), 3);
  layer->ensure_built(Tensor::abstract(without_steps(x.shape()), x.dtype()));
}

Tensor TimeDistributedLayer::call(const Tensor& x, const Call& call) {
  check_min_rank(x.shape(), 3);
  if (call.mask) check_steps_mask(call.mask.shape(), x.shape());
  // As in Keras the layer's `call` is what runs: its activity regularizer has no part in it.
  CallScope scope(*layer, call.training);
  // Without values only the shape is asked for, which is the same either way.
  return located(*layer, [&] {
    return layer->acts_per_row() || !x.is_eager() ? all_steps(x, call) : each_step(x, call);
  });
}

Tensor TimeDistributedLayer::all_steps(const Tensor& x, const Call& call) {
  Call inner{.training = call.training};
  if (call.mask && layer->uses_mask()) inner.mask = fold(call.mask);
  const Tensor y = layer->call_many(Nest(fold(x)), inner).tensor();
  Shape shape = {x.shape()[0], x.shape()[1]};
  for (int i = 1; i < y.rank(); ++i) shape.push_back(y.shape()[i]);
  return ops::reshape(y, shape);
}

Tensor TimeDistributedLayer::each_step(const Tensor& x, const Call& call) {
  const std::vector<Tensor> steps = steps_of(x);
  std::vector<Tensor> masks(steps.size());
  if (call.mask && layer->uses_mask()) masks = ops::unstack(call.mask, {}, 1);
  std::vector<Tensor> outputs;
  for (size_t t = 0; t < steps.size(); ++t)
    outputs.push_back(
        layer->call_many(Nest(steps[t]), Call{.training = call.training, .mask = masks[t]})
            .tensor());
  return ops::stack(outputs, 1);
}

Value::Dict TimeDistributedLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  if (!activity_regularizer())
    std::erase_if(dict, [](const auto& entry) { return entry.first == "activity_regularizer"; });
  return dict;
}

void register_time_distributed(Catalog& c) {
  c.add<TimeDistributedLayer>("keras.layers.TimeDistributed");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::TimeDistributedLayer,
                              cornu::layers::TimeDistributedConfig>;
