// The derivative of an elementwise program: a reverse sweep with the derivative column of
// opcodes.inc.
#include <optional>
#include <string>

#include "error.h"
#include "program.h"

namespace cornu::backend {
namespace {

/// Gradients of the operands of one instruction; nothing where the gradient is zero everywhere.
struct OperandGradients {
  std::optional<Expr> of[3];
  OperandGradients(std::initializer_list<std::optional<Expr>> gradients) {
    int k = 0;
    for (const auto& gradient : gradients) of[k++] = gradient;
  }
};

OperandGradients operand_gradients(Opcode op, Expr a, Expr b, [[maybe_unused]] Expr c, Expr y,
                                   Expr dy) {
  using namespace expr;
  constexpr std::nullopt_t none = std::nullopt;
  switch (op) {
#define CORNU_ROW(name, keras, arity, domain, expression, ...) \
  case Opcode::name:                                           \
    return {__VA_ARGS__};
#include "opcodes.inc"
#undef CORNU_ROW
  }
  return {};
}

/// Whether the derivative of `op` by operand `index` is anything but zero everywhere.
bool is_differentiable(Opcode op, int index) {
  struct Table {
    bool flags[opcode_count][3];
    Table() {
      ProgramBuilder builder(5);
      for (int i = 0; i < opcode_count; ++i) {
        const OperandGradients gradients =
            operand_gradients(static_cast<Opcode>(i), builder.input(0), builder.input(1),
                              builder.input(2), builder.input(3), builder.input(4));
        for (int k = 0; k < 3; ++k) flags[i][k] = gradients.of[k].has_value();
      }
    }
  };
  // Found by running the derivative column once, so that there is no second table to keep in step.
  static const Table table;
  return table.flags[static_cast<int>(op)][index];
}

/// For each value of `program`: whether its derivative by an input in `wanted` may be other than
/// zero.
template <class Wanted>
std::vector<char> depends_on(const Program& program, Wanted wanted) {
  const size_t first = program.inputs() + program.constants().size();
  std::vector<char> depends(first + program.instructions().size(), 0);
  for (int i = 0; i < program.inputs(); ++i) depends[i] = wanted(i);
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    for (int k = 0; k < info(instruction.op).arity; ++k)
      if (depends[instruction.operands[k]] && is_differentiable(instruction.op, k))
        depends[first + i] = 1;
  }
  return depends;
}

ProgramRef differentiate(const Program& program, uint32_t wanted) {
  const int inputs = program.inputs(), outputs = static_cast<int>(program.outputs().size());
  const size_t first = inputs + program.constants().size();
  const auto is_wanted = [&](int i) { return i < 32 && (wanted >> i & 1) != 0; };
  const std::vector<char> depends = depends_on(program, is_wanted);

  ProgramBuilder builder(inputs + 2 * outputs);
  std::vector<Expr> values;
  for (int i = 0; i < inputs; ++i) values.push_back(builder.input(i));
  for (double c : program.constants()) values.push_back(builder.constant(c));
  // Results that are outputs are read back, not computed again; `finish` drops what that makes
  // idle.
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    int saved = -1;
    for (int k = 0; k < outputs && saved < 0; ++k)
      if (program.outputs()[k] == first + i) saved = k;
    const auto operand = [&](int k) { return values[instruction.operands[k]]; };
    switch (saved >= 0 ? 0 : info(instruction.op).arity) {
      case 0:
        values.push_back(builder.input(inputs + saved));
        break;
      case 1:
        values.push_back(builder.append(instruction.op, {operand(0)}));
        break;
      case 2:
        values.push_back(builder.append(instruction.op, {operand(0), operand(1)}));
        break;
      default:
        values.push_back(builder.append(instruction.op, {operand(0), operand(1), operand(2)}));
    }
  }

  std::vector<std::optional<Expr>> gradients(values.size());
  const auto accumulate = [&](size_t value, Expr gradient) {
    if (!depends[value]) return;
    // A value that several instructions read gets the sum of their gradients.
    gradients[value] = gradients[value] ? *gradients[value] + gradient : gradient;
  };
  for (int k = 0; k < outputs; ++k)
    accumulate(program.outputs()[k], builder.input(inputs + outputs + k));
  for (size_t i = program.instructions().size(); i-- > 0;) {
    if (!gradients[first + i]) continue;
    const Instruction& instruction = program.instructions()[i];
    const auto operand = [&](int k) {
      return values[instruction.operands[k < info(instruction.op).arity ? k : 0]];
    };
    const OperandGradients of =
        operand_gradients(instruction.op, operand(0), operand(1), operand(2), values[first + i],
                          *gradients[first + i]);
    for (int k = 0; k < info(instruction.op).arity; ++k)
      if (of.of[k]) accumulate(instruction.operands[k], *of.of[k]);
  }
  std::vector<Expr> results;
  for (int i = 0; i < inputs; ++i)
    if (is_wanted(i)) results.push_back(gradients[i] ? *gradients[i] : builder.constant(0));
  return builder.finish(results);
}

}  // namespace

ProgramRef Program::derivative(uint32_t wanted) const {
  if (inputs_ < 32 && wanted >> inputs_ != 0)
    throw ValueError("Program::derivative: expected bits of " + std::to_string(inputs_) +
                     " inputs in `wanted`, found " + std::to_string(wanted) + ".");
  // Programs are shared by all threads; the derivative of a common one is asked for in each step.
  const std::lock_guard lock(mutex_);
  for (const auto& [key, program] : derivatives_)
    if (key == wanted) return program;
  return derivatives_.emplace_back(wanted, differentiate(*this, wanted)).second;
}

bool Program::is_constant_in(int index) const {
  const std::vector<char> depends = depends_on(*this, [&](int i) { return i == index; });
  for (uint16_t value : outputs_)
    if (depends[value]) return false;
  return true;
}

}  // namespace cornu::backend
