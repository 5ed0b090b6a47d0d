// Putting programs together, and replacing values.
#include "rewrite.h"

#include <cmath>

namespace cornu::plan {

using backend::Expr;

std::vector<Expr> append_program(backend::ProgramBuilder& builder, const backend::Program& program,
                                 const std::vector<Expr>& inputs) {
  std::vector<Expr> values = inputs;
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
  const PauseTracing untraced;
  const double number = graph.constants[static_cast<size_t>(v.index)].item();
  if (is_int(v.dtype) && std::fabs(number) > 0x1p53) return {};
  return number;
}

}  // namespace cornu::plan
