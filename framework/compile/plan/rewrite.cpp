// Putting programs together, and replacing values.
#include "rewrite.h"

#include <algorithm>
#include <cmath>

namespace cornu::plan {

using backend::Expr;

std::vector<Expr> append_program(backend::ProgramBuilder& builder, const backend::Program& program,
                                 const std::vector<Expr>& inputs) {
  std::vector<Expr> values = inputs;
  // The order in which a program numbers its values: inputs, constants, then instructions.
  for (const double constant : program.constants()) values.push_back(builder.constant(constant));
  for (const backend::Instruction& instruction : program.instructions()) {
    const auto operand = [&](int i) { return values[instruction.operands[i]]; };
    switch (backend::info(instruction.op).arity) {
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
  std::vector<Expr> outputs;
  for (const uint16_t value : program.outputs()) outputs.push_back(values[value]);
  return outputs;
}

const backend::ProgramRef* program_of(const Step& step) {
  if (!step.kernel) return nullptr;
  if (const auto* fused = std::get_if<backend::Fused>(&*step.kernel)) return &fused->program;
  if (const auto* reduce = std::get_if<backend::Reduce>(&*step.kernel)) return &reduce->program;
  return nullptr;
}

DType compute_of(const Step& step) {
  const auto* fused = std::get_if<backend::Fused>(&*step.kernel);
  return fused ? fused->compute : std::get<backend::Reduce>(*step.kernel).compute;
}

void set_program(Step& step, backend::ProgramRef program) {
  if (auto* fused = std::get_if<backend::Fused>(&*step.kernel))
    fused->program = std::move(program);
  else
    std::get<backend::Reduce>(*step.kernel).program = std::move(program);
}

const Shape& iteration_shape(const Step& step) {
  if (const auto* reduce = std::get_if<backend::Reduce>(&*step.kernel)) return reduce->shape;
  return step.outputs[0].shape;
}

Aliases::Aliases(const Graph& graph) : target_(graph.values.size()) {
  for (size_t i = 0; i < target_.size(); ++i) target_[i] = static_cast<int>(i);
}

int Aliases::operator()(int value) const {
  while (target_[static_cast<size_t>(value)] != value) value = target_[static_cast<size_t>(value)];
  return value;
}

void Aliases::apply(Graph& graph) const {
  for (Step& step : graph.steps)
    for (Use& use : step.inputs) use.value = (*this)(use.value);
  for (Use& use : graph.outputs) use.value = (*this)(use.value);
  for (Assignment& a : graph.assignments) a.value = (*this)(a.value);
}

std::optional<double> number_of(const Graph& graph, int value) {
  const Value& v = graph.values[static_cast<size_t>(value)];
  if (v.source != Source::constant || v.numel != 1) return {};
  // The plan looks at this constant, not the traced program, so no host read is noted.
  const PauseTracing untraced;
  const double number = graph.constants[static_cast<size_t>(v.index)].item();
  // Programs hold constants as doubles, which these integers do not fit.
  if (is_int(v.dtype) && std::fabs(number) > 0x1p53) return {};
  return number;
}

void drop_unread(Step& step) {
  const backend::ProgramRef program = *program_of(step);
  std::vector<Use> kept;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    if (program->reads(static_cast<int>(i))) kept.push_back(step.inputs[i]);
  if (kept.size() == step.inputs.size()) return;
  backend::ProgramBuilder builder(static_cast<int>(kept.size()));
  std::vector<backend::Expr> inputs;
  int next = 0;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    inputs.push_back(program->reads(static_cast<int>(i)) ? builder.input(next++)
                                                         // Nothing reads it: it keeps the numbers
                                                         // of the others in place.
                                                         : builder.constant(0));
  set_program(step, builder.finish(append_program(builder, *program, inputs)));
  step.inputs = std::move(kept);
}

std::vector<char> stable_values(const Graph& graph) {
  std::vector<char> assigned(graph.variables.size(), 0), stable(graph.values.size(), 0);
  for (const Assignment& a : graph.assignments) assigned[static_cast<size_t>(a.variable)] = 1;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    stable[v] =
        value.source == Source::constant || (value.source == Source::variable && value.index >= 0 &&
                                             assigned[static_cast<size_t>(value.index)] == 0);
  }
  for (const Step& step : graph.steps) {
    // Work of the host may give something else each time.
    bool all = step.kernel.has_value();
    for (const Use& use : step.inputs) all &= stable[static_cast<size_t>(use.value)] != 0;
    for (const Use& use : step.outputs) stable[static_cast<size_t>(use.value)] = all;
  }
  return stable;
}

bool is_cast(const Step& step) {
  const auto* fused = step.kernel ? std::get_if<backend::Fused>(&*step.kernel) : nullptr;
  return fused && step.inputs.size() == 1 && step.outputs.size() == 1 &&
         fused->program->passes(0) == 0 && step.inputs[0].shape == step.outputs[0].shape;
}

StepLinks::StepLinks(Graph& graph)
    : graph_(graph), producers_(graph.producers()), counts_(graph.use_counts()) {}

Step* StepLinks::source(const Use& use) const {
  const int from = producer(use.value);
  if (from < 0 || readers(use.value) != 1) return nullptr;
  Step& step = graph_.steps[static_cast<size_t>(from)];
  return step.kernel && step.outputs[0] == use ? &step : nullptr;
}

void StepLinks::replace(Step& step, Step& from) {
  from.outputs[0] = step.outputs[0];
  producers_[static_cast<size_t>(step.outputs[0].value)] =
      static_cast<int>(&from - graph_.steps.data());
  step = {};
}

bool is_relu_gradient(const backend::Program& program, int y, int dy) {
  const auto& code = program.instructions();
  if (program.inputs() != 2 || code.size() != 2 || program.outputs().size() != 1) return false;
  const auto is_zero = [&](int value) {
    const int constant = value - program.inputs();
    return constant >= 0 && constant < static_cast<int>(program.constants().size()) &&
           program.constants()[static_cast<size_t>(constant)] == 0;
  };
  const int first = program.inputs() + static_cast<int>(program.constants().size());
  return code[0].op == backend::Opcode::greater && code[0].operands[0] == y &&
         is_zero(code[0].operands[1]) && code[1].op == backend::Opcode::select &&
         code[1].operands[0] == first && code[1].operands[1] == dy &&
         is_zero(code[1].operands[2]) && program.outputs()[0] == first + 1;
}

bool sums_pixels(const Step& step, int64_t block) {
  const auto* sum = step.kernel ? std::get_if<backend::Reduce>(&*step.kernel) : nullptr;
  if (!sum || sum->op != backend::ReduceOp::sum || step.inputs.size() != 1 ||
      step.inputs[0].shape != sum->shape || sum->program->passes(0) != 0)
    return false;
  for (int axis = 0; axis < sum->shape.rank(); ++axis) {
    const bool channel = axis + 1 == sum->shape.rank() || (block != 0 && axis == 1);
    // Channels must stay and everything else must go; in blocks the channels are axes 1 and the
    // last.
    if ((std::find(sum->axes.begin(), sum->axes.end(), axis) == sum->axes.end()) != channel)
      return false;
  }
  return true;
}

void insert_behind(Graph& graph, std::vector<std::optional<Step>> steps) {
  // Into a new list: inserting one by one would move the rest each time.
  std::vector<Step> all;
  all.reserve(2 * steps.size());
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    all.push_back(std::move(graph.steps[i]));
    if (steps[i]) all.push_back(std::move(*steps[i]));
  }
  graph.steps = std::move(all);
}

bool along_channels(const Shape& operand, const Shape& y, int64_t block, int64_t channels) {
  if (operand.numel() != channels || operand.rank() > y.rank()) return false;
  for (int i = 0; i < operand.rank(); ++i) {
    const int axis = i + y.rank() - operand.rank();
    const bool channel = axis == y.rank() - 1 || (block > 0 && axis == 1);
    if (operand[i] != 1 && !(channel && operand[i] == y[axis])) return false;
  }
  return true;
}

}  // namespace cornu::plan
