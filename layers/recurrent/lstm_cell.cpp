// One step of a long short-term memory.
#include "lstm_cell.h"

#include <algorithm>

#include "../../framework/ops/detail/rnn.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

// The bias with ones for the forget gate.
class UnitForgetBias : public Initializer {
 public:
  explicit UnitForgetBias(Choice<Initializer> others) : others_(std::move(others)) {}
  Tensor operator()(const Shape& shape, DType dtype) override {
    const int64_t units = shape[0] / 4;
    const Tensor input = (*others_)({units}, dtype);
    return ops::concatenate({input, ops::ones({units}, dtype), (*others_)({2 * units}, dtype)}, 0);
  }
  Value::Dict get_config() const override { return {}; }

 private:
  Choice<Initializer> others_;
};

}  // namespace

std::shared_ptr<Initializer> unit_forget_initializer(Choice<Initializer> others) {
  return std::make_shared<UnitForgetBias>(std::move(others));
}

LSTMCellLayer::LSTMCellLayer(LSTMCellConfig c)
    : CellLayer(std::move(c)),
      seeds_(add_seed_generator(config.seed)),
      usual_activations_(config.activation.name() == "tanh" &&
                         config.recurrent_activation.name() == "sigmoid") {
  check_positive("units", config.units);
  config.dropout = std::clamp(config.dropout, 0.0, 1.0);
  config.recurrent_dropout = std::clamp(config.recurrent_dropout, 0.0, 1.0);
}

void LSTMCellLayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  const int64_t units = config.units;
  kernel = add_weight({.name = "kernel",
                       .shape = {input.back(), 4 * units},
                       .initializer = config.kernel_initializer,
                       .regularizer = config.kernel_regularizer,
                       .constraint = config.kernel_constraint});
  recurrent_kernel = add_weight({.name = "recurrent_kernel",
                                 .shape = {units, 4 * units},
                                 .initializer = config.recurrent_initializer,
                                 .regularizer = config.recurrent_regularizer,
                                 .constraint = config.recurrent_constraint});
  if (!config.use_bias) return;
  std::shared_ptr<Initializer> initializer = config.bias_initializer.shared();
  if (config.unit_forget_bias) initializer = unit_forget_initializer(config.bias_initializer);
  bias = add_weight({.name = "bias",
                     .shape = {4 * units},
                     .initializer = initializer,
                     .regularizer = config.bias_regularizer,
                     .constraint = config.bias_constraint});
}

LSTMCellLayer::DropoutMasks LSTMCellLayer::draw(const Shape& input, DType dtype, bool training) {
  // With dropped states each gate has masks of its own. As in Keras, a rate of 1 drops nothing.
  const int count = config.recurrent_dropout > 0 ? 4 : 1;
  auto draw_one = [&](double rate, const Shape& shape) {
    return draw_dropout_masks(seeds_, rate, count, shape, dtype, training && rate < 1);
  };
  DropoutMasks masks;
  masks.input = draw_one(config.dropout, input);
  masks.state = draw_one(config.recurrent_dropout, {input[0], *config.units});
  return masks;
}

Tensor LSTMCellLayer::input_projection(const Tensor& x, const DropoutMasks& masks) const {
  auto project_one = [](const Tensor& t, const Tensor& weight, const Tensor& offset) {
    return offset ? ops::linear(t, weight, offset) : ops::linear(t, weight);
  };
  const Tensor offset = bias ? Tensor(bias) : Tensor();
  if (masks.input.empty()) return project_one(x, kernel, offset);
  if (masks.input.size() == 1)
    return project_one(apply_dropout_mask(x, masks.input[0]), kernel, offset);
  const std::vector<Tensor> kernels = sections_of(kernel, 4);
  std::vector<Tensor> parts;
  for (size_t g = 0; g < 4; ++g)
    parts.push_back(ops::linear(apply_dropout_mask(x, masks.input[g]), kernels[g]));
  const Tensor joined = ops::concatenate(parts, -1);
  return offset ? joined + offset : joined;
}

std::optional<ops::RnnResult> LSTMCellLayer::fused_sequence(const Tensor& x, const States& first,
                                                            const DropoutMasks& masks,
                                                            bool backwards) const {
  if (!usual_activations_ || masks.input.size() > 1 || !masks.state.empty()) return {};
  return ops::rnn(
      backend::RnnCell::lstm, masks.input.empty() ? x : apply_dropout_mask(x, masks.input[0]),
      {kernel, recurrent_kernel, bias ? Tensor(bias) : Tensor(), first[0], first[1]}, backwards);
}

LSTMState LSTMCellLayer::step(const Tensor& projected, const LSTMState& before,
                              const DropoutMasks& masks, const Tensor& valid) const {
  const auto gates = [&](const std::vector<Tensor>& z) {
    return lstm_gates(z, before, valid, config.recurrent_activation, config.activation,
                      usual_activations_);
  };
  if (masks.state.empty())
    return gates(sections_of(projected + ops::linear(before.h, recurrent_kernel), 4));
  const std::vector<Tensor> kernels = sections_of(recurrent_kernel, 4);
  std::vector<Tensor> z = sections_of(projected, 4);
  for (size_t g = 0; g < 4; ++g) z[g] = z[g] + ops::linear(before.h * masks.state[g], kernels[g]);
  return gates(z);
}

LSTMState lstm_gates(const std::vector<Tensor>& z, const LSTMState& before, const Tensor& valid,
                     const cornu::Activation& gate, const cornu::Activation& squash, bool usual) {
  if (usual && !valid) {
    const Tensors state = fused_many(
        before.c.dtype(),
        [](Expr i, Expr f, Expr g, Expr o, Expr c) {
          Expr carry = expr::sigmoid(f) * c + expr::sigmoid(i) * expr::tanh(g);
          return std::vector<Expr>{expr::sigmoid(o) * expr::tanh(carry), carry};
        },
        z[0], z[1], z[2], z[3], before.c);
    return {state[0], state[1]};
  }
  if (usual) {
    const Tensors state = fused_many(
        before.c.dtype(),
        [](Expr i, Expr f, Expr g, Expr o, Expr c, Expr h, Expr valid) {
          Expr carry = expr::sigmoid(f) * c + expr::sigmoid(i) * expr::tanh(g);
          return std::vector<Expr>{expr::select(valid, expr::sigmoid(o) * expr::tanh(carry), h),
                                   expr::select(valid, carry, c)};
        },
        z[0], z[1], z[2], z[3], before.c, before.h, valid);
    return {state[0], state[1]};
  }
  LSTMState after;
  after.c = gate(z[1]) * before.c + gate(z[0]) * squash(z[2]);
  after.h = gate(z[3]) * squash(after.c);
  if (valid) after = {ops::where(valid, after.h, before.h), ops::where(valid, after.c, before.c)};
  return after;
}

Nest LSTMCellLayer::call_many(const Nest& inputs, const Call& call) {
  const CellInputs in = cell_inputs(inputs, call, 2, kernel.shape()[0]);
  const Tensor& x = in.x;
  const DropoutMasks masks = draw(x.shape(), x.dtype(), call.is_training());
  const LSTMState after = step(input_projection(x, masks), {in.states[0], in.states[1]}, masks, {});
  return in.result(after.h, {after.h, after.c});
}

Nest LSTMCellLayer::initial_states(int64_t batch) {
  const Tensor zeros = ops::zeros({batch, *config.units}, compute_dtype());
  return {zeros, zeros};
}

Recurrence LSTMCellLayer::recurrence(const Call& call) {
  const auto masks = std::make_shared<DropoutMasks>();
  Recurrence recurrence{.states = 2, .features = kernel.shape()[0]};
  recurrence.begin = [=, this, training = call.is_training()](const Shape& input, DType dtype) {
    *masks = draw(input, dtype, training);
  };
  recurrence.fused_sequence = [=, this](const Tensor& x, const States& first, bool backwards) {
    return fused_sequence(x, first, *masks, backwards);
  };
  recurrence.input_projection = [=, this](const Tensor& x) { return input_projection(x, *masks); };
  recurrence.step = [=, this](const Tensor& x, const States& before, const Tensor& valid) {
    const LSTMState after = step(x, {before[0], before[1]}, *masks, valid);
    return CellStep{after.h, {after.h, after.c}};
  };
  return recurrence;
}

std::shared_ptr<LSTMCellLayer> LSTMCellLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(drop_execution_options(dict));
}

void register_lstm_cell(Catalog& c) { c.add<LSTMCellLayer>("keras.layers.LSTMCell"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LSTMCellLayer, cornu::layers::LSTMCellConfig>;
