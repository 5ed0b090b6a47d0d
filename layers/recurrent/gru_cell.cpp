// One step of a gated recurrent unit.
#include "gru_cell.h"

#include <algorithm>

#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/detail/rnn.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

GRUCellLayer::GRUCellLayer(GRUCellConfig c)
    : CellLayer(std::move(c)),
      seeds_(add_seed_generator(config.seed)),
      usual_activations_(config.activation.name() == "tanh" &&
                         config.recurrent_activation.name() == "sigmoid") {
  check_positive("units", config.units);
  config.dropout = std::clamp(config.dropout, 0.0, 1.0);
  config.recurrent_dropout = std::clamp(config.recurrent_dropout, 0.0, 1.0);
}

void GRUCellLayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  const int64_t units = config.units;
  kernel = add_weight({.name = "kernel",
                       .shape = {input.back(), 3 * units},
                       .initializer = config.kernel_initializer,
                       .regularizer = config.kernel_regularizer,
                       .constraint = config.kernel_constraint});
  recurrent_kernel = add_weight({.name = "recurrent_kernel",
                                 .shape = {units, 3 * units},
                                 .initializer = config.recurrent_initializer,
                                 .regularizer = config.recurrent_regularizer,
                                 .constraint = config.recurrent_constraint});
  if (config.use_bias)
    bias = add_weight({.name = "bias",
                       .shape = config.reset_after ? Shape{2, 3 * units} : Shape{3 * units},
                       .initializer = config.bias_initializer,
                       .regularizer = config.bias_regularizer,
                       .constraint = config.bias_constraint});
}

GRUCellLayer::Sequence GRUCellLayer::begin(const Shape& input, DType dtype, bool training) {
  // With dropped states each gate has masks of its own. As in Keras, a rate of 1 drops nothing.
  const int count = config.recurrent_dropout > 0 ? 3 : 1;
  auto draw = [&](double rate, const Shape& shape) {
    return draw_dropout_masks(seeds_, rate, count, shape, dtype, training && rate < 1);
  };
  Sequence sequence;
  sequence.input_masks = draw(config.dropout, input);
  sequence.state_masks = draw(config.recurrent_dropout, {input[0], *config.units});
  if (bias && config.reset_after) {
    const std::vector<Tensor> rows = ops::unstack(bias);
    sequence.input_bias = rows[0];
    sequence.state_bias = rows[1];
  } else if (bias) {
    sequence.input_bias = bias;
  }
  if (!sequence.state_masks.empty() || !config.reset_after)
    sequence.kernels = sections_of(recurrent_kernel, 3);
  if (sequence.state_masks.empty() && !config.reset_after) {
    const auto& k = sequence.kernels;
    sequence.kernels = {ops::concatenate({k[0], k[1]}, -1), k[2]};
  }
  return sequence;
}

Tensor GRUCellLayer::input_projection(const Tensor& x, const Sequence& sequence) const {
  const std::vector<Tensor>& masks = sequence.input_masks;
  if (masks.empty()) return ops::linear(x, kernel, sequence.input_bias);
  if (masks.size() == 1)
    return ops::linear(apply_dropout_mask(x, masks[0]), kernel, sequence.input_bias);
  const std::vector<Tensor> kernels = sections_of(kernel, 3);
  std::vector<Tensor> parts;
  for (size_t g = 0; g < 3; ++g)
    parts.push_back(ops::linear(apply_dropout_mask(x, masks[g]), kernels[g]));
  const Tensor joined = ops::concatenate(parts, -1);
  return sequence.input_bias ? joined + sequence.input_bias : joined;
}

std::optional<ops::RnnResult> GRUCellLayer::fused_sequence(const Tensor& x, const States& first,
                                                           const Sequence& sequence,
                                                           bool backwards) const {
  const std::vector<Tensor>& masks = sequence.input_masks;
  if (!usual_activations_ || !config.reset_after || masks.size() > 1 ||
      !sequence.state_masks.empty())
    return {};
  return ops::rnn(backend::RnnCell::gru, masks.empty() ? x : apply_dropout_mask(x, masks[0]),
                  {kernel, recurrent_kernel, bias ? Tensor(bias) : Tensor(), first[0]}, backwards);
}

// What the state adds to z and r, and with reset_after to g, before the reset.
std::vector<Tensor> GRUCellLayer::state_products(const Tensor& before,
                                                 const Sequence& sequence) const {
  const std::vector<Tensor>&masks = sequence.state_masks, &kernels = sequence.kernels;
  if (masks.empty() && config.reset_after)
    return sections_of(ops::linear(before, recurrent_kernel, sequence.state_bias), 3);
  if (masks.empty()) return sections_of(ops::linear(before, kernels[0]), 2);
  const std::vector<Tensor> biases =
      sequence.state_bias ? sections_of(sequence.state_bias, 3) : std::vector<Tensor>(3);
  std::vector<Tensor> products;
  for (size_t g = 0; g < (config.reset_after ? 3 : 2); ++g)
    products.push_back(ops::linear(before * masks[g], kernels[g], biases[g]));
  return products;
}

Tensor GRUCellLayer::step(const Tensor& projected, const Tensor& before, const Sequence& sequence,
                          const Tensor& valid) const {
  const std::vector<Tensor> x = sections_of(projected, 3);
  std::vector<Tensor> h = state_products(before, sequence);
  if (!config.reset_after) {
    const Tensor reset = config.recurrent_activation(x[1] + h[1]);
    const Tensor state = sequence.state_masks.empty() ? before : before * sequence.state_masks[2];
    h.push_back(ops::linear(reset * state, sequence.kernels.back()));
  }
  return blend(x, h, before, valid);
}

Tensor GRUCellLayer::blend(const std::vector<Tensor>& x, const std::vector<Tensor>& h,
                           const Tensor& before, const Tensor& valid) const {
  if (usual_activations_ && config.reset_after) {
    if (!valid)
      return fused_many(
          before.dtype(),
          [](Expr xz, Expr xr, Expr xg, Expr hz, Expr hr, Expr hg, Expr h) {
            Expr z = expr::sigmoid(xz + hz);
            Expr g = expr::tanh(xg + expr::sigmoid(xr + hr) * hg);
            return std::vector<Expr>{g + z * (h - g)};
          },
          x[0], x[1], x[2], h[0], h[1], h[2], before)[0];
    return fused_many(
        before.dtype(),
        [](Expr xz, Expr xr, Expr xg, Expr hz, Expr hr, Expr hg, Expr h, Expr valid) {
          Expr z = expr::sigmoid(xz + hz);
          Expr g = expr::tanh(xg + expr::sigmoid(xr + hr) * hg);
          return std::vector<Expr>{expr::select(valid, g + z * (h - g), h)};
        },
        x[0], x[1], x[2], h[0], h[1], h[2], before, valid)[0];
  }
  const auto &gate = config.recurrent_activation, &squash = config.activation;
  const Tensor z = gate(x[0] + h[0]);
  const Tensor g = squash(config.reset_after ? x[2] + gate(x[1] + h[1]) * h[2] : x[2] + h[2]);
  const Tensor after = z * before + (Tensor(1.0) - z) * g;
  return valid ? ops::where(valid, after, before) : after;
}

Nest GRUCellLayer::call_many(const Nest& inputs, const Call& call) {
  const CellInputs in = cell_inputs(inputs, call, 1, kernel.shape()[0]);
  const Tensor& x = in.x;
  const Sequence sequence = begin(x.shape(), x.dtype(), call.is_training());
  const Tensor after = step(input_projection(x, sequence), in.states[0], sequence, {});
  return in.result(after, {after});
}

Nest GRUCellLayer::initial_states(int64_t batch) {
  return Nest::List{ops::zeros({batch, *config.units}, compute_dtype())};
}

Recurrence GRUCellLayer::recurrence(const Call& call) {
  const auto sequence = std::make_shared<Sequence>();
  Recurrence recurrence{.states = 1, .features = kernel.shape()[0]};
  recurrence.begin = [=, this, training = call.is_training()](const Shape& input, DType dtype) {
    *sequence = begin(input, dtype, training);
  };
  recurrence.fused_sequence = [=, this](const Tensor& x, const States& first, bool backwards) {
    return fused_sequence(x, first, *sequence, backwards);
  };
  recurrence.input_projection = [=, this](const Tensor& x) {
    return input_projection(x, *sequence);
  };
  recurrence.step = [=, this](const Tensor& x, const States& before, const Tensor& valid) {
    const Tensor after = step(x, before[0], *sequence, valid);
    return CellStep{after, {after}};
  };
  return recurrence;
}

std::shared_ptr<GRUCellLayer> GRUCellLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_gru_cell(Catalog& c) { c.add<GRUCellLayer>("keras.layers.GRUCell"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GRUCellLayer, cornu::layers::GRUCellConfig>;
