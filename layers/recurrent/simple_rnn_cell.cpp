// One step of a fully connected recurrent layer.
#include "simple_rnn_cell.h"

#include <algorithm>

#include "../../framework/initializers/random_initializer.h"
#include "../../framework/ops/detail/rnn.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

SimpleRNNCellLayer::SimpleRNNCellLayer(SimpleRNNCellConfig c)
    : CellLayer(std::move(c)),
      seeds_(add_seed_generator(initializers::RandomInitializer::seed_before(
          config.seed,
          {config.kernel_initializer, config.recurrent_initializer, config.bias_initializer}))) {
  check_positive("units", config.units);
  config.dropout = std::clamp(config.dropout, 0.0, 1.0);
  config.recurrent_dropout = std::clamp(config.recurrent_dropout, 0.0, 1.0);
}

void SimpleRNNCellLayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  const int64_t units = config.units;
  kernel = add_weight({.name = "kernel",
                       .shape = {input.back(), units},
                       .initializer = config.kernel_initializer,
                       .regularizer = config.kernel_regularizer,
                       .constraint = config.kernel_constraint});
  recurrent_kernel = add_weight({.name = "recurrent_kernel",
                                 .shape = {units, units},
                                 .initializer = config.recurrent_initializer,
                                 .regularizer = config.recurrent_regularizer,
                                 .constraint = config.recurrent_constraint});
  if (config.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = {units},
                       .initializer = config.bias_initializer,
                       .regularizer = config.bias_regularizer,
                       .constraint = config.bias_constraint});
}

SimpleRNNCellLayer::DropoutMasks SimpleRNNCellLayer::draw(const Shape& input, DType dtype,
                                                          bool training) {
  auto draw_one = [&](double rate, const Shape& shape) {
    const std::vector<Tensor> masks = draw_dropout_masks(seeds_, rate, 1, shape, dtype, training);
    return masks.empty() ? Tensor() : masks[0];
  };
  DropoutMasks masks;
  masks.input = draw_one(config.dropout, input);
  masks.state = draw_one(config.recurrent_dropout, {input[0], *config.units});
  return masks;
}

Tensor SimpleRNNCellLayer::input_projection(const Tensor& x, const DropoutMasks& masks) const {
  const Tensor kept = masks.input ? apply_dropout_mask(x, masks.input) : x;
  return bias ? ops::linear(kept, kernel, bias) : ops::linear(kept, kernel);
}

std::optional<ops::RnnResult> SimpleRNNCellLayer::fused_sequence(const Tensor& x,
                                                                 const States& first,
                                                                 const DropoutMasks& masks,
                                                                 bool backwards) const {
  if (config.activation.name() != "tanh" || masks.state) return {};
  return ops::rnn(backend::RnnCell::simple, masks.input ? apply_dropout_mask(x, masks.input) : x,
                  {kernel, recurrent_kernel, bias ? Tensor(bias) : Tensor(), first[0]}, backwards);
}

Tensor SimpleRNNCellLayer::step(const Tensor& projected, const Tensor& before,
                                const DropoutMasks& masks, const Tensor& valid) const {
  const Tensor state = masks.state ? before * masks.state : before;
  const Tensor after = config.activation(projected + ops::linear(state, recurrent_kernel));
  return valid ? ops::where(valid, after, before) : after;
}

Nest SimpleRNNCellLayer::call_many(const Nest& inputs, const Call& call) {
  const CellInputs in = cell_inputs(inputs, call, 1, kernel.shape()[0]);
  const Tensor& x = in.x;
  const DropoutMasks masks = draw(x.shape(), x.dtype(), call.is_training());
  const Tensor after = step(input_projection(x, masks), in.states[0], masks, {});
  return in.result(after, {after});
}

Nest SimpleRNNCellLayer::initial_states(int64_t batch) {
  return Nest::List{ops::zeros({batch, *config.units}, compute_dtype())};
}

Recurrence SimpleRNNCellLayer::recurrence(const Call& call) {
  const auto masks = std::make_shared<DropoutMasks>();
  Recurrence recurrence{.states = 1, .features = kernel.shape()[0]};
  recurrence.begin = [=, this, training = call.is_training()](const Shape& input, DType dtype) {
    *masks = draw(input, dtype, training);
  };
  recurrence.fused_sequence = [=, this](const Tensor& x, const States& first, bool backwards) {
    return fused_sequence(x, first, *masks, backwards);
  };
  recurrence.input_projection = [=, this](const Tensor& x) { return input_projection(x, *masks); };
  recurrence.step = [=, this](const Tensor& x, const States& before, const Tensor& valid) {
    const Tensor after = step(x, before[0], *masks, valid);
    return CellStep{after, {after}};
  };
  return recurrence;
}

std::shared_ptr<SimpleRNNCellLayer> SimpleRNNCellLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_simple_rnn_cell(Catalog& c) {
  c.add<SimpleRNNCellLayer>("keras.layers.SimpleRNNCell");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SimpleRNNCellLayer,
                              cornu::layers::SimpleRNNCellConfig>;
