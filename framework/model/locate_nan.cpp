// Taking a step again to see where NaN comes from.
#include "locate_nan.h"

#include <fmt/core.h>

#include "../base/call_scope.h"
#include "model_state.h"
#include "nan_tracer.h"

namespace cornu {

std::string TensorFigures::str() const {
  std::string text = fmt::format("{}: {:.6g} to {:.6g}, mean {:.6g}", spec, least, most, mean);
  if (nan) text += fmt::format(", {} NaN", nan);
  if (infinite) text += fmt::format(", {} infinite", infinite);
  return text;
}

std::string NaNReport::str() const {
  std::string text =
      fmt::format("the first result that is not finite is that of {} ({}{}{}), step {}", op, phase,
                  layer.empty() ? "" : ", layer ", layer, step);
  if (given)
    text += "; what went in was not finite to begin with: look at the data and the weights";
  for (const TensorFigures& f : inputs) text += "\n  input  " + f.str();
  return text + "\n  result " + result.str();
}

std::optional<NaNReport> locate_nan(Model& model, const Nest& x, const Nest& y,
                                    const Nest& sample_weight) {
  if (!model.compiled())
    throw StateError("locate_nan: the model is not compiled, so it has no step to take.");
  const Batch batch{x, y, sample_weight};
  // Makes what a first step makes, unwatched.
  const std::vector<Variable> variables = detail::ModelState::run_variables(model, batch);
  std::vector<Tensor> before;
  for (const Variable& v : variables) before.push_back(v.stored());
  const auto restore = [&] {
    for (size_t i = 0; i < variables.size(); ++i) variables[i].stored() = before[i];
  };
  std::optional<NaNReport> report;
  try {
    const LossScope losses;
    // Sums of what came before would hide where this step's come from.
    model.reset_metrics();
    detail::NaNTracer tracer;
    model.train_step(batch);
    report = tracer.report();
  } catch (...) {
    restore();
    throw;
  }
  restore();
  return report;
}

void StepHistory::keep(Model& model, const Batch& batch, int64_t step) {
  if (variables_.empty()) variables_ = detail::ModelState::run_variables(model, batch);
  Moment& moment = moments_.emplace_back(Moment{batch, step, {}});
  for (const Variable& v : variables_) moment.values.push_back(v.value());
  // One more than the loss is looked at: weights may have been spoiled by the step before.
  const size_t most = static_cast<size_t>(model.compile_options().steps_per_execution) + 1;
  if (moments_.size() > most) moments_.pop_front();
}

void StepHistory::clear() {
  variables_.clear();
  moments_.clear();
}

std::optional<NaNReport> StepHistory::locate(Model& model) const {
  std::vector<Tensor> now;
  for (const Variable& v : variables_) now.push_back(v.stored());
  std::optional<NaNReport> report;
  for (const Moment& moment : moments_) {
    for (size_t i = 0; i < variables_.size(); ++i) variables_[i].stored() = moment.values[i];
    report = locate_nan(model, moment.batch.x, moment.batch.y, moment.batch.sample_weight);
    if (!report) continue;
    report->step = moment.step;
    break;
  }
  for (size_t i = 0; i < variables_.size(); ++i) variables_[i].stored() = now[i];
  return report;
}

}  // namespace cornu
