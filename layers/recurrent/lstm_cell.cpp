// One step of a long short-term memory.
#include "lstm_cell.h"

#include <algorithm>

#include "../../framework/ops/core.h"
#include "../../framework/ops/creation.h"
#include "../../framework/ops/linalg.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/shaping.h"

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

LSTMCellLayer::Dropped LSTMCellLayer::draw(const Shape& input, DType dtype, bool training) {
  // With dropped states each gate has masks of its own. As in Keras, a rate of 1 drops nothing.
  const int count = config.recurrent_dropout > 0 ? 4 : 1;
  auto draw_one = [&](double rate, const Shape& shape) {
    return draw_masks(seeds_, rate, count, shape, dtype, training && rate < 1);
  };
  Dropped dropped;
  dropped.input = draw_one(config.dropout, input);
  dropped.state = draw_one(config.recurrent_dropout, {input[0], *config.units});
  return dropped;
}

Tensor LSTMCellLayer::project(const Tensor& x, const Dropped& dropped) const {
  auto project_one = [](const Tensor& t, const Tensor& weight, const Tensor& offset) {
    return offset ? ops::linear(t, weight, offset) : ops::linear(t, weight);
  };
  const Tensor offset = bias ? Tensor(bias) : Tensor();
  if (dropped.input.empty()) return project_one(x, kernel, offset);
  if (dropped.input.size() == 1) return project_one(drop(x, dropped.input[0]), kernel, offset);
  const std::vector<Tensor> kernels = sections_of(kernel, 4);
  std::vector<Tensor> parts;
  for (size_t g = 0; g < 4; ++g)
    parts.push_back(ops::linear(drop(x, dropped.input[g]), kernels[g]));
  const Tensor joined = ops::concatenate(parts, -1);
  return offset ? joined + offset : joined;
}

std::optional<ops::RnnResult> LSTMCellLayer::whole(const Tensor& x, const States& first,
                                                   const Dropped& dropped, bool backwards) const {
  if (!usual_activations_ || dropped.input.size() > 1 || !dropped.state.empty()) return {};
  return ops::rnn(backend::RnnCell::lstm, dropped.input.empty() ? x : drop(x, dropped.input[0]),
                  {kernel, recurrent_kernel, bias ? Tensor(bias) : Tensor(), first[0], first[1]},
                  backwards);
}

LSTMState LSTMCellLayer::step(const Tensor& projected, const LSTMState& before,
                              const Dropped& dropped, const Tensor& real) const {
  const auto gates = [&](const std::vector<Tensor>& z) {
    return lstm_gates(z, before, real, config.recurrent_activation, config.activation,
                      usual_activations_);
  };
  if (dropped.state.empty())
    return gates(sections_of(projected + ops::linear(before.h, recurrent_kernel), 4));
  const std::vector<Tensor> kernels = sections_of(recurrent_kernel, 4);
  std::vector<Tensor> z = sections_of(projected, 4);
  for (size_t g = 0; g < 4; ++g) z[g] = z[g] + ops::linear(before.h * dropped.state[g], kernels[g]);
  return gates(z);
}

LSTMState lstm_gates(const std::vector<Tensor>& z, const LSTMState& before, const Tensor& real,
                     const cornu::Activation& gate, const cornu::Activation& squash, bool usual) {
  if (usual && !real) {
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
        [](Expr i, Expr f, Expr g, Expr o, Expr c, Expr h, Expr real) {
          Expr carry = expr::sigmoid(f) * c + expr::sigmoid(i) * expr::tanh(g);
          return std::vector<Expr>{expr::select(real, expr::sigmoid(o) * expr::tanh(carry), h),
                                   expr::select(real, carry, c)};
        },
        z[0], z[1], z[2], z[3], before.c, before.h, real);
    return {state[0], state[1]};
  }
  LSTMState after;
  after.c = gate(z[1]) * before.c + gate(z[0]) * squash(z[2]);
  after.h = gate(z[3]) * squash(after.c);
  if (real) after = {ops::where(real, after.h, before.h), ops::where(real, after.c, before.c)};
  return after;
}

Nest LSTMCellLayer::call_many(const Nest& inputs, const Call& call) {
  const CellInputs in = cell_inputs(inputs, call, 2, kernel.shape()[0]);
  const Tensor& x = in.x;
  const Dropped dropped = draw(x.shape(), x.dtype(), call.is_training());
  const LSTMState after = step(project(x, dropped), {in.states[0], in.states[1]}, dropped, {});
  return in.result(after.h, {after.h, after.c});
}

Nest LSTMCellLayer::initial_states(int64_t batch) {
  const Tensor zeros = ops::zeros({batch, *config.units}, compute_dtype());
  return {zeros, zeros};
}

Recurrence LSTMCellLayer::recurrence(const Call& call) {
  const auto dropped = std::make_shared<Dropped>();
  Recurrence recurrence{.states = 2, .features = kernel.shape()[0]};
  recurrence.begin = [=, this, training = call.is_training()](const Shape& input, DType dtype) {
    *dropped = draw(input, dtype, training);
  };
  recurrence.whole = [=, this](const Tensor& x, const States& first, bool backwards) {
    return whole(x, first, *dropped, backwards);
  };
  recurrence.project = [=, this](const Tensor& x) { return project(x, *dropped); };
  recurrence.step = [=, this](const Tensor& x, const States& before, const Tensor& real) {
    const LSTMState after = step(x, {before[0], before[1]}, *dropped, real);
    return CellStep{after.h, {after.h, after.c}};
  };
  return recurrence;
}

std::shared_ptr<LSTMCellLayer> LSTMCellLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(without_ways_to_compute(dict));
}

void register_lstm_cell(Catalog& c) { c.add<LSTMCellLayer>("keras.layers.LSTMCell"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LSTMCellLayer, cornu::layers::LSTMCellConfig>;
