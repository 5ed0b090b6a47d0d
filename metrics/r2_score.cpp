// The sums behind R2Score.
#include "r2_score.h"

#include <fmt/format.h>

#include "../framework/base/loss.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

R2ScoreMetric::R2ScoreMetric(R2ScoreConfig c) : MetricOf(std::move(c)) {
  const std::vector<std::string> known = {"uniform_average", "variance_weighted_average"};
  const std::string aggregation = config.class_aggregation.value_or(known[0]);
  if (std::find(known.begin(), known.end(), aggregation) == known.end())
    throw ValueError(fmt::format("{}: class_aggregation '{}' is not one of {}.{}", name(),
                                 aggregation, fmt::join(known, ", "),
                                 did_you_mean(aggregation, known)));
  if (config.num_regressors < 0)
    throw ValueError(fmt::format("{}: num_regressors must be at least 0, found {}.", name(),
                                 config.num_regressors));
  samples_ = add_variable(ops::zeros({}), "num_samples");
}

void R2ScoreMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                                 const Tensor& sample_weight) {
  const auto pair =
      squeeze_or_expand_to_same_rank(ops::cast(y_true, dtype()), ops::cast(y_pred, dtype()));
  const Tensor &t = pair.first, &p = pair.second;
  if (t.rank() != 2 || t.shape() != p.shape())
    throw ShapeError(fmt::format(
        "{}: expected y_true and y_pred of one shape (samples, outputs), found {} and {}.", name(),
        y_true.shape().str(), y_pred.shape().str()));
  if (!sum_) {
    const Tensor zeros = ops::zeros({t.shape(1)});
    squared_sum_ = add_variable(zeros, "squared_sum");
    sum_ = add_variable(zeros, "sum");
    residual_ = add_variable(zeros, "residual");
    count_ = add_variable(zeros, "count");
  }
  Tensor w = sample_weight ? ops::cast(sample_weight, dtype()) : Tensor(1.0);
  if (w.rank() == 1) w = ops::expand_dims(w, {1});
  using Terms = const std::vector<Expr>&;
  static const backend::ProgramRef programs[] = {
      backend::Program::make(3, [](Terms x) { return std::vector<Expr>{x[0] * x[2]}; }),
      backend::Program::make(3, [](Terms x) { return std::vector<Expr>{x[0] * (x[0] * x[2])}; }),
      backend::Program::make(
          3, [](Terms x) { return std::vector<Expr>{expr::square(x[0] - x[1]) * x[2]}; })};
  const auto add = [&](Variable& sum, const backend::ProgramRef& program) {
    const Tensor inputs[] = {t, p, w};
    sum.assign_add(reduce_program(program, inputs, 0, 1, dtype(), name().c_str()));
  };
  add(sum_, programs[0]);
  add(squared_sum_, programs[1]);
  add(residual_, programs[2]);
  count_.assign_add(ops::sum(ops::broadcast_to(ops::cast(w, dtype()), t.shape()), 0));
  samples_.assign_add(Tensor(static_cast<double>(t.size())));
}

Tensor R2ScoreMetric::result() {
  if (!sum_)
    throw StateError(
        fmt::format("{}: there is no score without data. Call update_state first.", name()));
  const Tensors terms = fused_many(
      DType::float32,
      [](Expr sum, Expr count, Expr squares, Expr residual) {
        Expr total = squares - sum * (sum / count);
        Expr score = 1.0 - residual / total;
        return std::vector<Expr>{total, expr::select(expr::isinf(score), 0.0, score)};
      },
      sum_.value(), count_.value(), squared_sum_.value(), residual_.value());
  Tensor score = terms[1];
  if (config.class_aggregation == "uniform_average")
    score = ops::mean(score);
  else if (config.class_aggregation)
    score = ops::sum(terms[0] * score) / ops::sum(terms[0]);
  if (config.num_regressors == 0) return score;
  return fused(
      [](Expr score, Expr samples, Expr regressors) {
        Expr left = samples - regressors - 1.0;
        Expr enough = left > 0.0;
        Expr adjusted = 1.0 - (1.0 - score) * (samples - 1.0) / expr::select(enough, left, 1.0);
        return expr::select(enough, adjusted, score);
      },
      score, samples_.value(), Tensor(static_cast<double>(config.num_regressors)));
}

void register_r2_score(Catalog& c) { c.add<R2ScoreMetric>("keras.metrics.R2Score"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::R2ScoreMetric, metrics::R2ScoreConfig, Metric>;
}
