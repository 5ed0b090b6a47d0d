// Slots and programs of elementwise optimizers.
#include "elementwise_optimizer.h"

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/operators.h"

namespace cornu::optimizers {

std::vector<Expr> ElementwiseOptimizer::scalars(const ScalarTerms& terms) const {
  return {terms.rate};
}

Tensor ElementwiseOptimizer::first_value(const Slot& slot, const Variable& variable) {
  if (slot.of_variable) return variable.value().detached();
  if (slot.initial == 0) return {};
  return ops::full(variable.shape(), Tensor(slot.initial), variable.dtype());
}

void ElementwiseOptimizer::build_slots(const std::vector<Variable>& variables) {
  slots_.clear();
  for (const std::vector<Slot>& group : slot_groups()) {
    const size_t first = slots_.size();
    slots_.resize(first + group.size());
    for (const Variable& v : variables)
      for (size_t i = 0; i < group.size(); ++i)
        slots_[first + i].push_back(add_slot(v, group[i].name, first_value(group[i], v)));
  }
}

void ElementwiseOptimizer::begin_update(const Tensor&) {
  for (Tensors& tensors : scalars_) tensors.clear();
}

Tensors ElementwiseOptimizer::make_scalars(const Tensor& learning_rate, bool wide) {
  Tensors inputs = {learning_rate, steps().value()};
  for (const Tensor& t : scalar_inputs()) inputs.push_back(t);
  if (!scalar_program_)
    scalar_program_ =
        backend::Program::make(static_cast<int>(inputs.size()), [&](const std::vector<Expr>& x) {
          return scalars({x[0], update_number(x[1]), {x.begin() + 2, x.end()}});
        });
  if (scalar_program_->outputs().size() == 1 && scalar_program_->passes(0) == 0)
    return {learning_rate};
  return detail::apply_fused_many(scalar_program_, inputs, wide ? DType::float64 : DType::float32,
                                  name().c_str());
}

backend::ProgramRef ElementwiseOptimizer::make_program(bool wide, bool decayed,
                                                       size_t scalar_total) const {
  const int scalar_count = static_cast<int>(scalar_total);
  const int slot_count = static_cast<int>(slots_.size());
  const double weight_decay = options().weight_decay.value_or(0);
  return backend::Program::make(
      2 + slot_count + scalar_count + (decayed ? 1 : 0), [&](const std::vector<Expr>& inputs) {
        const auto slots = inputs.begin() + 2, scalars = slots + slot_count,
                   end = scalars + scalar_count;
        UpdateTerms terms{inputs[0], inputs[1], {slots, scalars}, {scalars, end}, wide};
        if (decayed) terms.variable = inputs[1] - inputs[1] * weight_decay * *end;
        return formula(terms);
      });
}

void ElementwiseOptimizer::update_step(size_t index, const Tensor& gradient, Variable& variable,
                                       const Tensor& learning_rate) {
  const DType dtype = variable.dtype();
  const bool wide = dtype == DType::float64;
  const bool decayed = decays(index);
  Tensors& scalars = scalars_[wide];
  if (scalars.empty()) scalars = make_scalars(learning_rate, wide);
  backend::ProgramRef& program = programs_[2 * wide + decayed];
  if (!program) program = make_program(wide, decayed, scalars.size());

  InlineVector<Tensor, 12> inputs;
  inputs.push_back(gradient);
  inputs.push_back(variable.value());
  for (const std::vector<Variable>& slot : slots_) inputs.push_back(slot[index].value());
  for (const Tensor& t : scalars) inputs.push_back(t);
  if (decayed) inputs.push_back(learning_rate);
  const Tensors results = detail::apply_fused_many(program, inputs, dtype, name().c_str());
  variable.assign(results[0]);
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i][index].assign(results[i + 1]);
}

}  // namespace cornu::optimizers
