// Recurrent layers as products and programs. Units are padded with zeros to multiples of 16, so
// that every step's arrays are aligned; padded units have weights of 0 and stay 0 throughout. Each
// gate has matrices of its own, (batch, units), which one program can read side by side.
#include "composer.h"

namespace cornu::backend {
namespace {

// The order of gates in arrays of (gate, ...): that of the weights, except for GRU's backward pass,
// where the candidate's gradients for the kernel come first and those for the recurrent weights
// last: (h, z, r, h), of which each of the two takes three neighbors.
struct Gates {
  int64_t count;                   // in the weights
  std::vector<int64_t> of_kernel;  // which gate of the weights each is, backwards
  std::vector<int64_t> of_recurrent;
  int64_t gradients;  // arrays of gradients in a step
};

const Gates& gates_of(RnnCell cell) {
  static const Gates simple{1, {0}, {0}, 1}, lstm{4, {0, 1, 2, 3}, {0, 1, 2, 3}, 4},
      gru{3, {2, 0, 1}, {0, 1, 2}, 4};
  return cell == RnnCell::lstm ? lstm : cell == RnnCell::gru ? gru : simple;
}

using Exprs = std::vector<Expr>;

/// Inputs: for each gate what x adds, for each gate what h adds, and the state before. Outputs: the
/// state after, then what the backward pass wants to know.
ProgramRef forward_program(RnnCell cell) {
  static const ProgramRef simple =
      Program::make(2, [](Exprs x) { return Exprs{expr::tanh(x[0] + x[1])}; });
  // h, c, i, f, g, o of x (4), h (4), c.
  static const ProgramRef lstm = Program::make(9, [](Exprs x) {
    const Expr i = expr::sigmoid(x[0] + x[4]), f = expr::sigmoid(x[1] + x[5]);
    const Expr g = expr::tanh(x[2] + x[6]), o = expr::sigmoid(x[3] + x[7]);
    // The LSTM of Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al. (2000), in
    // Keras's order of gates: i, f, c, o.
    const Expr c = f * x[8] + i * g;
    return Exprs{o * expr::tanh(c), c, i, f, g, o};
  });
  // h, z, r, candidate, and what h adds to it, of x (3), h (3), h.
  static const ProgramRef gru = Program::make(7, [](Exprs x) {
    const Expr z = expr::sigmoid(x[0] + x[3]), r = expr::sigmoid(x[1] + x[4]);
    // The reset_after form: the gate scales the product with the state, not the state, so that one
    // product serves all gates.
    const Expr g = expr::tanh(x[2] + r * x[5]);
    return Exprs{z * x[6] + (1.0 - z) * g, z, r, g, x[5]};
  });
  return cell == RnnCell::lstm ? lstm : cell == RnnCell::gru ? gru : simple;
}

Expr sum(const Exprs& x, size_t first, size_t count) {
  Expr total = x[first];
  for (size_t i = 1; i < count; ++i) total = total + x[first + i];
  return total;
}

/// Inputs: the parts of h's gradient (those of the products, what passed no product, dy), then what
/// is known of the step. Outputs: the gradients of the pre-activations, then what goes to the step
/// before without a product.
ProgramRef backward_program(RnnCell cell) {
  static const ProgramRef simple =
      Program::make(4, [](Exprs x) { return Exprs{sum(x, 0, 3) * (1.0 - x[3] * x[3])}; });
  // dh (6), dc, i, f, g, o, c, c before.
  static const ProgramRef lstm = Program::make(13, [](Exprs x) {
    const Expr dh = sum(x, 0, 6), i = x[7], f = x[8], g = x[9], o = x[10];
    const Expr squashed = expr::tanh(x[11]);
    const Expr dc = x[6] + dh * o * (1.0 - squashed * squashed);
    return Exprs{dc * g * i * (1.0 - i), dc * x[12] * f * (1.0 - f), dc * i * (1.0 - g * g),
                 dh * squashed * o * (1.0 - o), dc * f};
  });
  // dh (5), z, r, candidate, what h added to it, h before.
  static const ProgramRef gru = Program::make(10, [](Exprs x) {
    const Expr dh = sum(x, 0, 5), z = x[5], r = x[6], g = x[7];
    const Expr dg = dh * (1.0 - z) * (1.0 - g * g);
    return Exprs{dg, dh * (x[9] - g) * z * (1.0 - z), dg * x[8] * r * (1.0 - r), dg * r, dh * z};
  });
  return cell == RnnCell::lstm ? lstm : cell == RnnCell::gru ? gru : simple;
}

class RnnComposition {
 public:
  RnnComposition(const Rnn& kernel, std::span<const Operand> inputs,
                 std::span<const Operand> outputs, Composer& composer)
      : kernel_(kernel),
        inputs_(inputs),
        outputs_(outputs),
        c_(composer),
        gates_(gates_of(kernel.cell)),
        lstm_(kernel.cell == RnnCell::lstm),
        gru_(kernel.cell == RnnCell::gru),
        batch_((*inputs[0].shape)[0]),
        time_((*inputs[0].shape)[1]),
        features_((*inputs[0].shape)[2]),
        units_((*inputs[1].shape)[1] / gates_.count),
        padded_((units_ + 15) / 16 * 16) {}

  void forward();
  void backward();

 private:
  const Operand& next_input() { return inputs_[next_input_++]; }
  const Operand& next_output() { return outputs_[next_output_++]; }

  /// (batch, units) with padding.
  Value state(const Operand& operand) {
    const Copy::Part parts[] = {
        part_of({batch_, units_}, {batch_, units_}, {0, 1}, {batch_, padded_})};
    return c_.arranged(c_.load(operand), parts, {batch_, padded_});
  }
  void give_state(const Value& from, const Operand& output) {
    const Copy::Part parts[] = {
        part_of({batch_, units_}, {batch_, padded_}, {0, 1}, {batch_, units_})};
    c_.give(from, parts, output);
  }

  /// x as (time, batch, features), in the order of the walk.
  Value walked_x() {
    const Shape to({time_, batch_, features_});
    const Copy::Part parts[] = {
        part_of(to, *inputs_[0].shape, {1, 0, 2}, to, {}, {}, kernel_.reverse ? 0 : -1)};
    return c_.arranged(c_.load(inputs_[0]), parts, to);
  }
  /// (batch, time, units) as (time, batch, padded).
  Value by_steps(const Operand& operand) {
    const Shape from({batch_, time_, units_}), to({time_, batch_, padded_});
    const Copy::Part parts[] = {part_of({time_, batch_, units_}, from, {1, 0, 2}, to)};
    return c_.arranged(c_.load(operand), parts, to);
  }

  /// Recurrent weights (units, gates, units) as (gates, padded, padded).
  Value by_gates(const Operand& operand) {
    const Shape from({units_, gates_.count, units_}), to({gates_.count, padded_, padded_});
    const Copy::Part parts[] = {part_of({gates_.count, units_, units_}, from, {1, 0, 2}, to)};
    return c_.arranged(c_.load(operand), parts, to);
  }
  /// Weights (rows, gates, units) as (rows, gates in this order, padded).
  Value in_order(const Operand& operand, int64_t rows, const std::vector<int64_t>& order) {
    const Shape from({rows, gates_.count, units_}), to({rows, gates_.count, padded_});
    std::vector<Copy::Part> parts;
    for (size_t g = 0; g < order.size(); ++g)
      parts.push_back(part_of({rows, 1, units_}, from, {0, 1, 2}, to, {0, order[g], 0},
                              {0, static_cast<int64_t>(g), 0}));
    return c_.arranged(c_.load(operand), parts, to);
  }
  /// The reverse.
  void give_in_order(const Value& value, int64_t rows, const std::vector<int64_t>& order,
                     const Operand& output) {
    const Shape to({rows, gates_.count, units_});
    std::vector<Copy::Part> parts;
    for (size_t g = 0; g < order.size(); ++g)
      parts.push_back(part_of({rows, 1, units_}, value.shape, {0, 1, 2}, to,
                              {0, static_cast<int64_t>(g), 0}, {0, order[g], 0}));
    c_.give(value, parts, output);
  }

  /// The second row of GRU's biases as (gates, 1, padded).
  Value state_bias_row(const Operand& operand) {
    const Shape from({2, gates_.count, units_}), to({1, gates_.count, padded_});
    const Copy::Part parts[] = {part_of({1, gates_.count, units_}, from, {0, 1, 2}, to, {1, 0, 0})};
    return c_.arranged(c_.load(operand), parts, to).as({gates_.count, 1, padded_});
  }
  void add(const Value& to, const Value& bias) {
    c_.run(Fused{program_of(Opcode::add), c_.compute}, {to, bias}, {to});
  }

  const Rnn& kernel_;
  std::span<const Operand> inputs_, outputs_;
  Composer& c_;
  const Gates& gates_;
  const bool lstm_, gru_;
  const int64_t batch_, time_, features_, units_, padded_;
  size_t next_input_ = 3, next_output_ = 0;  // x and the weights are known
};

void RnnComposition::forward() {
  const int64_t g = gates_.count, rows = time_ * batch_;
  const Operand* bias = kernel_.bias ? &next_input() : nullptr;
  // What x adds, for all steps at once; then gate by gate.
  const Value x = walked_x().as({rows, features_});
  const Value columns = c_.make({rows, g * units_});
  std::vector<Value> operands = {x, c_.load(inputs_[1])};
  if (bias != nullptr) operands.push_back(c_.load(*bias).as({g * units_}));
  // One large product before the walk instead of a small one in each step.
  c_.run(Matmul{false, false, bias != nullptr}, operands, {columns});
  const Shape by_row({rows, g, units_}), by_gate({g, rows, padded_});
  const Copy::Part turned[] = {part_of({g, rows, units_}, by_row, {1, 0, 2}, by_gate)};
  const Value steps = c_.arranged(columns, turned, by_gate).as({g, time_, batch_, padded_});
  const Value recurrent = by_gates(inputs_[2]);
  const Value state_bias = bias != nullptr && gru_ ? state_bias_row(*bias) : Value();
  Value h = state(next_input());
  Value carry = lstm_ ? state(next_input()) : Value();
  // States, activated gates, and carries or what states add to candidates.
  const Value states = c_.make({time_, batch_, padded_});
  const bool keeps = lstm_ || gru_;
  const Value gates = keeps ? c_.make({time_, g, batch_, padded_}) : Value();
  const Value extra = keeps ? c_.make({time_, batch_, padded_}) : Value();
  const Value from_h = c_.make({g, batch_, padded_});
  const Fused cell{forward_program(kernel_.cell), c_.compute};
  // Two or three kernels for each step: the product with the state, and one program for all gates.
  for (int64_t t = 0; t < time_; ++t) {
    c_.run(Matmul{}, {h.as({1, batch_, padded_}), recurrent}, {from_h});
    if (state_bias.data != nullptr) add(from_h, state_bias);
    std::vector<Value> inputs, outputs = {states.at(t)};
    for (int64_t i = 0; i < g; ++i) inputs.push_back(steps.at(i).at(t));
    for (int64_t i = 0; i < g; ++i) inputs.push_back(from_h.at(i));
    if (lstm_) inputs.push_back(carry);
    if (gru_) inputs.push_back(h);
    if (lstm_) outputs.push_back(extra.at(t));
    for (int64_t i = 0; keeps && i < g; ++i) outputs.push_back(gates.at(t).at(i));
    if (gru_) outputs.push_back(extra.at(t));
    c_.run(cell, inputs, outputs);
    h = states.at(t);
    if (lstm_) carry = extra.at(t);
  }
  const Shape y_shape({batch_, time_, units_});
  const Copy::Part y[] = {part_of(y_shape, states.shape, {1, 0, 2}, y_shape)};
  c_.give(states, y, next_output());
  give_state(h, next_output());
  if (lstm_) give_state(carry, next_output());
  if (!keeps) return;
  const Shape gates_to({time_, batch_, g, units_}), extra_to({time_, batch_, units_});
  const Copy::Part kept_gates[] = {part_of(gates_to, gates.shape, {0, 2, 1, 3}, gates_to)};
  c_.give(gates, kept_gates, next_output());
  const Copy::Part kept_extra[] = {part_of(extra_to, extra.shape, {0, 1, 2}, extra_to)};
  c_.give(extra, kept_extra, next_output());
}

void RnnComposition::backward() {
  const int64_t g = gates_.count, rows = time_ * batch_;
  const bool keeps = lstm_ || gru_;
  if (kernel_.bias) next_input();
  const Operand& h0 = next_input();
  const Value c0 = lstm_ ? state(next_input()) : Value();
  const Operand& y = next_input();
  const Value recurrent = by_gates(inputs_[2]);

  // What the forward pass left, as it had it.
  const Value states = by_steps(y);
  Value gates, extra;
  if (keeps) {
    const Shape gates_from({time_, batch_, g, units_}), gates_to({time_, g, batch_, padded_});
    const Copy::Part kept_gates[] = {
        part_of({time_, g, batch_, units_}, gates_from, {0, 2, 1, 3}, gates_to)};
    gates = c_.arranged(c_.load(next_input()), kept_gates, gates_to);
    const Shape extra_from({time_, batch_, units_}), extra_to({time_, batch_, padded_});
    const Copy::Part kept_extra[] = {part_of(extra_from, extra_from, {0, 1, 2}, extra_to)};
    extra = c_.arranged(c_.load(next_input()), kept_extra, extra_to);
  }
  // The states before each step.
  const Value before = c_.make({time_, batch_, padded_});
  const Shape state_shape({1, batch_, padded_}), later({time_ - 1, batch_, padded_});
  const Value first = state(h0);
  c_.run(Copy{{part_of(state_shape, state_shape, {0, 1, 2}, before.shape),
               part_of(later, states.shape, {0, 1, 2}, before.shape, {}, {1, 0, 0})},
              before.shape},
         {first, states}, {before});

  const Value none = c_.make({batch_, padded_});
  c_.zero(none);
  const Operand& dy = next_input();
  const Value dy_steps = dy.shape->numel() == 0 ? Value() : by_steps(dy);
  const auto state_gradient = [&] {
    const Operand& operand = next_input();
    return operand.shape->numel() == 0 ? none : state(operand);
  };
  // The parts of h's gradient: those of the products of the step after, and what passed none.
  Value passed = state_gradient();
  Value dc = lstm_ ? state_gradient() : Value();
  const Value from_products = c_.make({g, batch_, padded_});
  c_.zero(from_products);
  const Value direct[] = {c_.make({batch_, padded_}), c_.make({batch_, padded_})};
  const Value gradients = c_.make({time_, gates_.gradients, batch_, padded_});
  const Fused cell{backward_program(kernel_.cell), c_.compute};
  for (int64_t t = time_; t-- > 0;) {
    std::vector<Value> inputs, outputs;
    for (int64_t i = 0; i < g; ++i) inputs.push_back(from_products.at(i));
    inputs.push_back(passed);
    inputs.push_back(dy_steps.data != nullptr ? dy_steps.at(t) : none);
    if (lstm_) inputs.push_back(dc);
    for (int64_t i = 0; keeps && i < g; ++i) inputs.push_back(gates.at(t).at(i));
    if (keeps) inputs.push_back(extra.at(t));
    if (lstm_) inputs.push_back(t == 0 ? c0 : extra.at(t - 1));
    if (gru_) inputs.push_back(before.at(t));
    if (!keeps) inputs.push_back(states.at(t));
    for (int64_t i = 0; i < gates_.gradients; ++i) outputs.push_back(gradients.at(t).at(i));
    // Two places take turns, since the step reads what the step behind it has written.
    const Value& next = direct[t % 2];
    if (keeps) outputs.push_back(next);
    c_.run(cell, inputs, outputs);
    // The last arrays are those of the recurrent weights.
    c_.run(Matmul{false, true, false},
           {gradients.at(t).range(gates_.gradients - g, gates_.gradients), recurrent},
           {from_products});
    passed = gru_ ? next : none;
    if (lstm_) dc = next;
  }

  // All steps at once: (time x batch, gates x padded).
  const auto flat = [&](int64_t first_gate) {
    const Shape to({time_, batch_, g, padded_});
    const Copy::Part parts[] = {
        part_of(to, gradients.shape, {0, 2, 1, 3}, to, {0, first_gate, 0, 0})};
    return c_.arranged(gradients, parts, to).as({rows, g * padded_});
  };
  // Gradients of weights are sums over all steps: one product at the end, not one for each step.
  const Value for_kernel = flat(0);
  const Value for_recurrent = gru_ ? flat(1) : for_kernel;
  const Value kernel =
      in_order(inputs_[1], features_, gates_.of_kernel).as({features_, g * padded_});
  const Value dx =
      c_.product(for_kernel, kernel, {rows, features_}, false, true).as({time_, batch_, features_});
  const Operand& dx_output = next_output();
  const Copy::Part walked[] = {part_of(*dx_output.shape, dx.shape, {1, 0, 2}, *dx_output.shape, {},
                                       {}, kernel_.reverse ? 1 : -1)};
  c_.give(dx, walked, dx_output);
  const Value x = walked_x().as({rows, features_});
  give_in_order(
      c_.product(x, for_kernel, {features_, g * padded_}, true, false).as({features_, g, padded_}),
      features_, gates_.of_kernel, next_output());
  give_in_order(
      c_.product(before.as({rows, padded_}), for_recurrent, {padded_, g * padded_}, true, false)
          .as({padded_, g, padded_}),
      units_, gates_.of_recurrent, next_output());
  if (kernel_.bias) {
    const auto total = [&](const Value& of, const Value& to) {
      c_.run(Reduce{program_of(Opcode::identity), c_.compute, ReduceOp::sum, {0}, of.shape}, {of},
             {to});
    };
    const Value sums = c_.make({gru_ ? 2 : 1, g * padded_});
    total(for_kernel, sums.at(0));
    if (gru_) total(for_recurrent, sums.at(1));
    const Value rows_of_bias = sums.as({gru_ ? 2 : 1, g, padded_});
    const Shape to({gru_ ? 2 : 1, g, units_});
    std::vector<Copy::Part> parts;
    for (int64_t row = 0; row < to[0]; ++row)
      for (int64_t i = 0; i < g; ++i) {
        const auto& order = row == 0 ? gates_.of_kernel : gates_.of_recurrent;
        parts.push_back(part_of({1, 1, units_}, rows_of_bias.shape, {0, 1, 2}, to, {row, i, 0},
                                {row, order[static_cast<size_t>(i)], 0}));
      }
    c_.give(rows_of_bias, parts, next_output());
  }
  // The gradient of the first state: its parts together.
  const ProgramRef together =
      Program::make(static_cast<int>(g) + 1, [&](Exprs x) { return Exprs{sum(x, 0, x.size())}; });
  std::vector<Value> parts = {passed};
  for (int64_t i = 0; i < g; ++i) parts.push_back(from_products.at(i));
  const Value dh0 = c_.make({batch_, padded_});
  c_.run(Fused{together, c_.compute}, parts, {dh0});
  give_state(dh0, next_output());
  if (lstm_) give_state(dc, next_output());
}

}  // namespace

void compose(const Rnn& kernel, std::span<const Operand> inputs, std::span<const Operand> outputs,
             Composer& composer) {
  const Shape& x = *inputs[0].shape;
  if (x[0] == 0 || x[1] == 0) {  // nothing to walk through; the gradients of the weights are zeros
    for (const Operand& output : outputs)
      if (output.shape->numel() > 0) composer.zero(Value(output));
    return;
  }
  RnnComposition composition(kernel, inputs, outputs, composer);
  kernel.backward ? composition.backward() : composition.forward();
}

}  // namespace cornu::backend
