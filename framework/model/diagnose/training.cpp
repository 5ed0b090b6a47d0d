// Faults of the learning rate, found by trial steps with it, with less and with more.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../base/composite_optimizer.h"
#include "../../base/loss_scaling.h"
#include "../../ops/core/cast.h"
#include "../../ops/elementwise.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "checks.h"

namespace cornu::diagnose {
namespace {

struct Run {
  double before = 0;  // mean loss of the batches with the weights from before
  double mean = 0;    // of all steps
  double after = 0;   // of the last steps on those batches
  double most = 0;    // loss of a step, against that of its batch before
  double step = 0;    // size of an update, relative to that of the weights
  bool finite() const { return std::isfinite(mean) && std::isfinite(after); }
  double gain() const { return (before - after) / std::max(std::fabs(before), 1e-12); }
};

double norm(const std::vector<Tensor>& tensors) {
  double sum = 0;
  for (const Tensor& t : tensors) sum += ops::sum(ops::square(ops::cast(t, DType::float32))).item();
  return std::sqrt(sum);
}

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& v : variables) values.push_back(v.value());
  return values;
}

// Trial steps over a few batches, round after round.
class Trials {
 public:
  explicit Trials(const Evidence& evidence) : evidence_(evidence) {
    const int64_t size = std::max<int64_t>(evidence.options.batch_size, 1);
    const int64_t steps = evidence.options.steps;
    const int64_t count =
        std::min({evidence.batches(), int64_t{6}, std::max<int64_t>(steps / 3, 1)});
    for (int64_t i = 0; i < count; ++i)
      batches_.push_back(evidence.batch(i * size, (i + 1) * size));
    rounds_ = std::max<int64_t>(2, steps / count);
  }

  // Nothing when the model's train_step reports no loss.
  std::optional<Run> run(std::optional<double> rate) const {
    detail::Trial trial(evidence_.model, rate);
    const std::vector<Variable> weights = evidence_.model.trainable_variables();
    const std::vector<Tensor> begin = values_of(weights);
    Run run;
    const double count = static_cast<double>(batches_.size());
    std::vector<double> first;
    for (const Batch& batch : batches_) {
      const auto loss = trial.step(batch);
      if (!loss) return {};
      first.push_back(std::fabs(*loss));
      run.before += *loss / count;
      if (run.step == 0) run.step = moved(weights, begin);
      trial.rewind();
    }
    for (int64_t round = 0; round < rounds_; ++round) {
      run.after = 0;
      for (size_t i = 0; i < batches_.size(); ++i) {
        const double loss = trial.step(batches_[i]).value_or(0);
        run.after += loss / count;
        run.most = std::max(run.most, loss / (first[i] + 1e-3));
      }
      if (round > 0) run.mean += run.after / static_cast<double>(rounds_ - 1);
      if (!std::isfinite(run.after)) break;
    }
    if (!std::isfinite(run.after)) run.mean = run.after;
    return run;
  }

 private:
  static double moved(const std::vector<Variable>& weights, const std::vector<Tensor>& begin) {
    std::vector<Tensor> change = values_of(weights);
    for (size_t i = 0; i < change.size(); ++i) change[i] = change[i] - begin[i];
    return norm(change) / std::max(norm(begin), 1e-12);
  }

  const Evidence& evidence_;
  std::vector<Batch> batches_;
  int64_t rounds_ = 0;
};

// Large steps that get nowhere, where smaller ones do.
void check_tenth(const Trials& trials, const Run& run, double rate, Findings& findings) {
  if (run.step < 1e-2 || run.gain() > 0.25 || run.after <= 0) return;
  const auto slow = trials.run(rate / 10);
  if (!slow || !slow->finite() || slow->after > 0.6 * run.after) return;
  findings.add("learning_rate_high", "",
               fmt::format("with {:.3g} the loss goes from {:.3g} to {:.3g} in a few steps, with "
                           "{:.3g} to {:.3g}",
                           rate, run.before, run.after, rate / 10, slow->after),
               fmt::format("Try a learning rate of {:.1g} or less.", rate / 10));
}

void check_high(const Trials& trials, const Run& run, double rate, Findings& findings) {
  const double scale = std::fabs(run.before) + 1e-3;
  const bool rises = run.after - run.before > 0.5 * scale || run.mean - run.before > scale;
  const bool jumps = run.most > 4;
  if (run.finite() && !rises && !jumps) return check_tenth(trials, run, rate, findings);
  // What rises at any rate has another cause.
  double lower = rate / 100;
  auto slow = trials.run(lower);
  const auto calm = [&] { return slow->finite() && slow->after - slow->before <= 0.05 * scale; };
  for (int i = 0; i < 3 && slow && !calm(); ++i) slow = trials.run(lower /= 100);
  if (!slow || !calm()) return;
  // A jump that was worth it is no fault.
  if (run.finite() && !rises && run.after < slow->after) return;
  findings.add("learning_rate_high", "",
               fmt::format("with {:.3g} the loss goes from {:.3g} to {:.3g} in a few steps, with "
                           "{:.3g} to {:.3g}",
                           rate, run.before, run.after, lower, slow->after),
               fmt::format("Try a learning rate of {:.1g}, and go up from there.", lower));
}

// Of an optimizer for each group of variables there is no rate to try.
bool has_several_rates(const Optimizer& optimizer) {
  if (const auto* const scaling = dynamic_cast<const LossScaling*>(&optimizer))
    return has_several_rates(*scaling->inner_optimizer());
  return dynamic_cast<const CompositeOptimizer*>(&optimizer) != nullptr;
}

// The largest rate that a schedule comes to.
double highest(LearningRateSchedule& schedule) {
  double most = 0;
  for (int64_t step = 0; step <= 1'000'000; step = std::max<int64_t>(step + 1, step * 5 / 4))
    most = std::max(most, schedule.at(step));
  return most;
}

void check_low(const Trials& trials, const Run& run, double rate, Findings& findings) {
  if (!run.finite() || run.step > 1.5e-5 || run.gain() > 2e-3) return;
  const auto fast = trials.run(rate * 100);
  if (!fast || !fast->finite()) return;
  if (fast->gain() < 10 * std::max(run.gain(), 0.0) || fast->gain() <= run.gain()) return;
  // Rounding alone would tell nothing.
  if (fast->gain() < 1e-5 && fast->step < 1e-9) return;
  findings.add(
      "learning_rate_low", "",
      fmt::format("with {:.3g} a step changes the weights by {:.1g} of their size, and the "
                  "loss stays at {:.4g}",
                  rate, run.step, run.after),
      fmt::format("Try a learning rate of {:.1g} or more.", rate * 100));
}

}  // namespace

void check_training(const Evidence& evidence, Findings& findings) {
  const Model& model = evidence.model;
  if (!model.compiled() || !model.optimizer() || evidence.y.empty() || evidence.options.steps < 1 ||
      model.trainable_variables().empty() || has_several_rates(*model.optimizer()))
    return;
  const Trials trials(evidence);
  const auto run = trials.run(evidence.options.learning_rate);
  if (!run || !std::isfinite(run->before)) return;
  const LearningRate& option = model.optimizer()->options().learning_rate;
  const bool schedule = option.is_schedule() && !evidence.options.learning_rate;
  const double rate = evidence.options.learning_rate.value_or(model.optimizer()->learning_rate());
  // A schedule may begin with nearly nothing, and go up from there.
  const double most = schedule ? highest(*option.schedule()) : rate;
  if (rate > 0) check_high(trials, *run, rate, findings);
  if (most == 0)
    findings.add("learning_rate_low", "", "the learning rate is 0",
                 "Give the optimizer a learning rate, such as 0.001.");
  else if (most <= rate)
    check_low(trials, *run, rate, findings);
}

}  // namespace cornu::diagnose
