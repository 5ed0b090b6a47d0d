// The counts behind F scores.
#include "f_beta_score.h"

#include <fmt/core.h>

#include "../framework/base/loss.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

void FScore::set(const std::optional<std::string>& average, double beta,
                 const std::optional<double>& threshold) {
  const std::vector<std::string> known = {"micro", "macro", "weighted"};
  if (average && std::find(known.begin(), known.end(), *average) == known.end())
    throw ValueError(fmt::format("{}: average '{}' is not one of micro, macro, weighted.{}", name(),
                                 *average, did_you_mean(*average, known)));
  if (!(beta > 0))
    throw ValueError(fmt::format("{}: beta must be positive, found {}.", name(), beta));
  if (threshold && !(*threshold > 0 && *threshold <= 1))
    throw ValueError(fmt::format("{}: threshold must be in (0, 1], found {}.", name(), *threshold));
  average_ = average.value_or("");
  beta_ = beta;
  threshold_ = threshold;
}

void FScore::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  if (y_true.rank() != 2 || y_pred.shape() != y_true.shape())
    throw ShapeError(fmt::format(
        "{}: expected y_true and y_pred of one shape (samples, classes), found {} and {}.", name(),
        y_true.shape().str(), y_pred.shape().str()));
  if (!true_positives_) {
    const Tensor zeros =
        ops::zeros(average_ == "micro" ? Shape{} : Shape{y_pred.shape(1)}, dtype());
    true_positives_ = add_variable(zeros, "true_positives");
    false_positives_ = add_variable(zeros, "false_positives");
    false_negatives_ = add_variable(zeros, "false_negatives");
    weights_ = add_variable(zeros, "intermediate_weights");
  }
  const Tensor t = ops::cast(y_true, dtype()), p = ops::cast(y_pred, dtype());
  const Tensor chosen =
      threshold_ ? ops::cast(p > Tensor(*threshold_), dtype())
                 : fused([](Expr p, Expr most) { return (p >= most) * (expr::absolute(p) > 1e-9); },
                         p, ops::max(p, -1, true));
  const Tensor w =
      sample_weight ? ops::expand_dims(ops::cast(sample_weight, dtype()), {1}) : Tensor(1.0);
  const Axes axes = average_ == "micro" ? Axes() : Axes(0);
  const auto add = [&](Variable& count, const backend::ProgramRef& program) {
    const Tensor inputs[] = {t, chosen, w};
    count.assign_add(reduce_program(program, inputs, axes, 1, dtype(), name().c_str()));
  };
  using Terms = const std::vector<Expr>&;
  static const backend::ProgramRef programs[] = {
      backend::Program::make(3, [](Terms x) { return std::vector<Expr>{x[1] * x[0] * x[2]}; }),
      backend::Program::make(3,
                             [](Terms x) { return std::vector<Expr>{x[1] * (1.0 - x[0]) * x[2]}; }),
      backend::Program::make(3,
                             [](Terms x) { return std::vector<Expr>{(1.0 - x[1]) * x[0] * x[2]}; }),
      backend::Program::make(3, [](Terms x) { return std::vector<Expr>{x[0] * x[2]}; })};
  add(true_positives_, programs[0]);
  add(false_positives_, programs[1]);
  add(false_negatives_, programs[2]);
  add(weights_, programs[3]);
}

Tensor FScore::result() {
  if (!true_positives_) {
    if (!average_.empty()) return ops::zeros({}, dtype());
    throw StateError(fmt::format(
        "{}: without data the number of classes is not known. Call update_state first.", name()));
  }
  const Tensor score = fused(
      [](Expr tp, Expr fp, Expr fn, Expr beta) {
        Expr precision = tp / (tp + fp + 1e-7), recall = tp / (tp + fn + 1e-7);
        Expr square = beta * beta;
        return precision * recall / (square * precision + recall + 1e-7) * (1.0 + square);
      },
      true_positives_.value(), false_positives_.value(), false_negatives_.value(), Tensor(beta_));
  if (average_ == "weighted") {
    const Tensor& w = weights_.value();
    return ops::sum(score * (w / (ops::sum(w) + Tensor(1e-7))));
  }
  return average_.empty() ? score : ops::mean(score);
}

FBetaScoreMetric::FBetaScoreMetric(FBetaScoreConfig c) : MetricOf(std::move(c)) {
  set(config.average, config.beta, config.threshold);
}

void register_f_beta_score(Catalog& c) {
  c.add<FBetaScoreMetric>("keras.metrics.FBetaScore");
  c.add_alias("keras.metrics", "fbeta_score", "FBetaScore");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::FBetaScoreMetric, metrics::FBetaScoreConfig, metrics::FScore>;
}
