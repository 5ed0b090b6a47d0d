// Finding the first operation that gives what is not finite.
#include "nan_tracer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../dispatch/fused.h"
#include "../dispatch/node.h"
#include "../ops/core/cast.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"

namespace cornu::detail {
namespace {

using backend::Opcode;

bool is_finite(const Tensor& t) {
  if (!is_float(t.dtype()) || t.size() == 0) return true;
  return ops::all(ops::isfinite(t)).item() != 0;
}

// The same for tensors whose reshapes share them; a number of the program's has none.
uint64_t identity(const Tensor& t) { return t.impl()->storage ? t.impl()->storage->id : 0; }

TensorFigures figures_of(const Tensor& t) {
  TensorFigures f{.spec = t.spec().str()};
  if (t.dtype() >= DType::string) return f;
  int64_t finite = 0;
  for (double v : t.to_vector<double>()) {
    if (std::isnan(v)) ++f.nan;
    if (std::isinf(v)) ++f.infinite;
    if (!std::isfinite(v)) continue;
    f.least = finite ? std::min(f.least, v) : v;
    f.most = finite ? std::max(f.most, v) : v;
    f.mean += (v - f.mean) / static_cast<double>(++finite);
  }
  return f;
}

const backend::Program* program_in(const backend::Kernel& kernel) {
  if (const auto* fused = std::get_if<backend::Fused>(&kernel)) return fused->program.get();
  if (const auto* reduce = std::get_if<backend::Reduce>(&kernel)) return reduce->program.get();
  return nullptr;
}

DType computed_in(const backend::Kernel& kernel) {
  if (const auto* fused = std::get_if<backend::Fused>(&kernel)) return fused->compute;
  if (const auto* reduce = std::get_if<backend::Reduce>(&kernel)) return reduce->compute;
  return DType::float32;
}

// One instruction of a program, with the values that went in and came out.
struct Instance {
  std::string name;
  std::vector<Tensor> operands;
  Tensor result;
};

// Runs a program instruction by instruction, and goes back from an output that is not finite to the
// instruction whose operands all are. Nothing when the program gives finite numbers.
std::optional<Instance> failing_instruction(const backend::Program& program, DType compute,
                                            const Tensors& inputs) {
  std::vector<Tensor> values;
  for (const Tensor& t : inputs) values.push_back(t.is_weak() ? t : ops::cast(t, compute));
  for (double constant : program.constants()) values.push_back(Tensor(constant));
  const size_t first = values.size();
  for (const backend::Instruction& i : program.instructions()) {
    const backend::OpcodeInfo& row = backend::info(i.op);
    std::vector<Tensor> operands;
    for (int k = 0; k < row.arity; ++k) operands.push_back(values[i.operands[k]]);
    values.push_back(
        ops::cast(apply_fused(backend::program_of(i.op), row.domain, operands, row.name), compute));
  }
  for (size_t at : program.outputs()) {
    if (is_finite(values[at])) continue;
    for (;;) {
      if (at < first) return {};
      const backend::Instruction& i = program.instructions()[at - first];
      const int arity = backend::info(i.op).arity;
      const auto* bad = std::find_if(i.operands, i.operands + arity, [&](uint16_t k) {
        return k >= first && !is_finite(values[k]);
      });
      if (bad != i.operands + arity) {
        at = *bad;
        continue;
      }
      Instance found{backend::info(i.op).name, {}, values[at]};
      for (int k = 0; k < arity; ++k) found.operands.push_back(values[i.operands[k]]);
      return found;
    }
  }
  return {};
}

std::string names_in(const backend::Program& program) {
  std::string text;
  for (const backend::Instruction& i : program.instructions()) {
    const std::string name = backend::info(i.op).name;
    if (text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string name_of_kernel(const backend::Kernel& kernel) {
  if (const auto* reduce = std::get_if<backend::Reduce>(&kernel)) {
    static constexpr const char* names[] = {"sum", "prod", "max", "min", "argmax", "argmin"};
    return names[static_cast<size_t>(reduce->op)];
  }
  return backend::kernel_name(kernel);
}

}  // namespace

NaNTracer::NaNTracer() : outer_(graph_context().tracer) { graph_context().tracer = this; }
NaNTracer::~NaNTracer() { graph_context().tracer = outer_; }

// The mean of the losses is the first that is assigned outside of layers, and gradients follow it.
std::string NaNTracer::phase() const {
  const GraphContext& context = graph_context();
  if (context.gradient_of) return "backward";
  if (context.where) return "forward";
  if (differentiated_) return "update";
  return reported_ ? "backward" : "loss";
}

std::string NaNTracer::forward_of(const Step& step) const {
  const backend::Program* program = step.kernel ? program_in(*step.kernel) : nullptr;
  if (!program) return "";
  const auto is_read = [&](const Elementwise& e) {
    return std::any_of(step.inputs.begin(), step.inputs.end(), [&](const Tensor& t) {
      return std::find(e.values.begin(), e.values.end(), identity(t)) != e.values.end();
    });
  };
  for (size_t i = elementwise_.size(); i-- > 0;) {
    const Elementwise& e = elementwise_[i];
    if (e.program->inputs() > 4 || !is_read(e)) continue;
    for (uint32_t wanted = 1; wanted < 1u << e.program->inputs(); ++wanted)
      if (const backend::ProgramRef derivative = e.program->derivative(wanted);
          derivative && *derivative == *program)
        return names_in(*e.program);
  }
  return "";
}

void NaNTracer::step(const Step& step) {
  const std::string phase = this->phase();
  const std::string* const of = graph_context().gradient_of;
  differentiated_ |= of != nullptr;
  const Operation* const where = graph_context().where;
  const std::string layer = of ? *of : where ? where->path() : std::string();
  const ComputeNow now;
  const auto is_new = [&](const Tensor& t) {
    return std::none_of(step.inputs.begin(), step.inputs.end(),
                        [&](const Tensor& in) { return identity(in) == identity(t); });
  };
  bool bad = false;
  for (const Tensor& t : step.outputs) bad |= is_new(t) && !is_finite(t);
  const auto* fused = step.kernel ? std::get_if<backend::Fused>(step.kernel) : nullptr;
  if (fused) {
    Elementwise& e = elementwise_.emplace_back(Elementwise{fused->program, {}});
    for (const Tensor& t : step.inputs)
      if (!t.is_weak()) e.values.push_back(identity(t));
    for (const Tensor& t : step.outputs) e.values.push_back(identity(t));
  }
  if (!bad) return;
  Bad entry{{},
            step.text ? *step.text : "",
            Tensors(step.inputs),
            Tensors(step.outputs),
            layer,
            phase,
            phase == "forward" ? "" : forward_of(step)};
  if (step.kernel) entry.kernel = *step.kernel;
  if (!entry.forward.empty()) entry.phase = "backward";
  for (const Tensor& t : step.outputs)
    if (is_new(t)) makers_[identity(t)] = bad_.size();
  bad_.push_back(std::move(entry));
}

Tensor NaNTracer::assign(const Variable& variable, const Tensor& value) {
  reported_ |= !graph_context().where && !graph_context().gradient_of;
  const auto known = std::find_if(assigned_.begin(), assigned_.end(),
                                  [&](const auto& entry) { return entry.first == variable; });
  if (known == assigned_.end())
    assigned_.emplace_back(variable, value);
  else
    known->second = value;
  return value;
}

// Goes back while something that went in is not finite and was made by a step.
std::optional<size_t> NaNTracer::source_of(const Tensor& tensor) const {
  const auto maker = [&](const Tensor& t) -> std::optional<size_t> {
    const auto found = t.is_weak() ? makers_.end() : makers_.find(identity(t));
    if (found == makers_.end()) return {};
    return found->second;
  };
  std::optional<size_t> at = maker(tensor);
  while (at) {
    std::optional<size_t> earlier;
    for (const Tensor& t : bad_[*at].inputs)
      if (const auto made = maker(t); made && *made < *at && (!earlier || *made < *earlier))
        earlier = made;
    if (!earlier) break;
    at = earlier;
  }
  return at;
}

NaNReport NaNTracer::describe(const Bad& bad) const {
  NaNReport report{.op = bad.kernel         ? name_of_kernel(*bad.kernel)
                         : bad.text.empty() ? "a function with a gradient of its own"
                                            : bad.text,
                   .layer = bad.layer,
                   .phase = bad.phase};
  std::vector<Tensor> inputs(bad.inputs.begin(), bad.inputs.end());
  Tensor result = bad.outputs[0];
  for (const Tensor& t : bad.outputs)
    if (!is_finite(t)) {
      result = t;
      break;
    }
  for (const Tensor& t : inputs) report.given |= !t.is_weak() && !is_finite(t);
  const backend::Program* program = bad.kernel ? program_in(*bad.kernel) : nullptr;
  if (program && !report.given)
    if (const auto found = failing_instruction(*program, computed_in(*bad.kernel), bad.inputs)) {
      report.op = found->name;
      inputs = found->operands;
      result = found->result;
    }
  if (!bad.forward.empty()) report.op = fmt::format("gradient of {} ({})", bad.forward, report.op);
  for (const Tensor& t : inputs) report.inputs.push_back(figures_of(t));
  report.result = figures_of(result);
  return report;
}

std::optional<NaNReport> NaNTracer::report() const {
  const ComputeNow now;
  std::optional<size_t> first;
  const Variable* given = nullptr;
  for (const auto& [variable, value] : assigned_) {
    if (is_finite(value)) continue;
    const auto source = source_of(value);
    if (source && (!first || *source < *first)) first = source;
    if (!source && !given) given = &variable;
  }
  if (first) return describe(bad_[*first]);
  if (!given) return {};
  return NaNReport{.op = "assignment to '" + given->path() + "'",
                   .phase = "update",
                   .given = true,
                   .result = figures_of(given->stored())};
}

}  // namespace cornu::detail
