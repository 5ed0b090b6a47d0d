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

LSTMCellLayer::LSTMCellLayer(LSTMCellConfig c)
    : LayerOf(std::move(c)),
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
  if (config.unit_forget_bias)
    initializer = std::make_shared<UnitForgetBias>(config.bias_initializer);
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
  if (dropped.state.empty())
    return gates(sections_of(projected + ops::linear(before.h, recurrent_kernel), 4), before, real);
  const std::vector<Tensor> kernels = sections_of(recurrent_kernel, 4);
  std::vector<Tensor> z = sections_of(projected, 4);
  for (size_t g = 0; g < 4; ++g) z[g] = z[g] + ops::linear(before.h * dropped.state[g], kernels[g]);
  return gates(z, before, real);
}

LSTMState LSTMCellLayer::gates(const std::vector<Tensor>& z, const LSTMState& before,
                               const Tensor& real) const {
  if (usual_activations_ && !real) {
    const Tensors state = fused_many(
        before.c.dtype(),
        [](Expr i, Expr f, Expr g, Expr o, Expr c) {
          Expr carry = expr::sigmoid(f) * c + expr::sigmoid(i) * expr::tanh(g);
          return std::vector<Expr>{expr::sigmoid(o) * expr::tanh(carry), carry};
        },
        z[0], z[1], z[2], z[3], before.c);
    return {state[0], state[1]};
  }
  if (usual_activations_) {
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
  const auto &gate = config.recurrent_activation, &squash = config.activation;
  LSTMState after;
  after.c = gate(z[1]) * before.c + gate(z[0]) * squash(z[2]);
  after.h = gate(z[3]) * squash(after.c);
  if (real) after = {ops::where(real, after.h, before.h), ops::where(real, after.c, before.c)};
  return after;
}

Nest LSTMCellLayer::call_many(const Nest& inputs, const Call& call) {
  const std::vector<Tensor> all = cell_inputs(inputs, call, 2, kernel.shape()[0]);
  const Tensor& x = all[0];
  const Dropped dropped = draw(x.shape(), x.dtype(), call.is_training());
  const LSTMState after = step(project(x, dropped), {all[1], all[2]}, dropped, {});
  return {after.h, Nest{after.h, after.c}};
}

std::shared_ptr<LSTMCellLayer> LSTMCellLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(without_ways_to_compute(dict));
}

void register_lstm_cell(Catalog& c) { c.add<LSTMCellLayer>("keras.layers.LSTMCell"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LSTMCellLayer, cornu::layers::LSTMCellConfig>;
