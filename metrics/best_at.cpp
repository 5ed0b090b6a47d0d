// Rates over thresholds.
#include "best_at.h"

#include <fmt/core.h>

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

void BestAt::set(Rate wanted, Rate bounded, const char* option, double bound,
                 int64_t num_thresholds, const std::optional<int64_t>& class_id) {
  if (!(bound >= 0 && bound <= 1))
    throw ValueError(fmt::format("{}: {} must be in [0, 1], found {}.", name(), option, bound));
  if (num_thresholds <= 0)
    throw ValueError(
        fmt::format("{}: num_thresholds must be positive, found {}.", name(), num_thresholds));
  wanted_ = wanted;
  bounded_ = bounded;
  bound_ = bound;
  class_id_ = class_id;
  std::vector<double> thresholds;
  for (int64_t i = 0; i < num_thresholds; ++i)
    thresholds.push_back(static_cast<double>(i) / static_cast<double>(num_thresholds - 1));
  if (num_thresholds == 1) thresholds = {0.5};
  thresholds_ = Thresholds(thresholds);
  const Tensor zeros = ops::zeros({num_thresholds});
  true_positives_ = add_variable(zeros, "true_positives");
  false_positives_ = add_variable(zeros, "false_positives");
  true_negatives_ = add_variable(zeros, "true_negatives");
  false_negatives_ = add_variable(zeros, "false_negatives");
}

void BestAt::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const Confusion now =
      confusion(y_true, y_pred, sample_weight, thresholds_, {.class_id = class_id_}, name());
  const Tensors sums = fused_many(
      DType::float32,
      [](Expr tp, Expr fp, Expr tn, Expr fn, Expr new_tp, Expr new_fp, Expr positives,
         Expr negatives) {
        return std::vector<Expr>{tp + new_tp, fp + new_fp, tn + (negatives - new_fp),
                                 fn + (positives - new_tp)};
      },
      true_positives_.value(), false_positives_.value(), true_negatives_.value(),
      false_negatives_.value(), now.true_positives, now.false_positives, now.positives,
      now.negatives);
  true_positives_.assign(sums[0]);
  false_positives_.assign(sums[1]);
  true_negatives_.assign(sums[2]);
  false_negatives_.assign(sums[3]);
}

Tensor BestAt::rate(Rate which) const {
  const bool specificity = which == Rate::specificity;
  const Variable& hits = specificity ? true_negatives_ : true_positives_;
  const Variable& others = which == Rate::sensitivity ? false_negatives_ : false_positives_;
  return fused([](Expr hits, Expr others) { return quotient(hits, hits + others); }, hits.value(),
               others.value());
}

Tensor BestAt::result() {
  static const backend::ProgramRef feasible =
      backend::Program::make(3, [](const std::vector<Expr>& x) {
        return std::vector<Expr>{expr::select(x[1] >= x[2], expr::maximum(x[0], 0.0), 0.0)};
      });
  const Tensor inputs[] = {rate(wanted_), rate(bounded_), Tensor(bound_)};
  return reduce_program(feasible, inputs, {}, 1, DType::float32, name().c_str(),
                        backend::ReduceOp::maximum);
}

}  // namespace cornu::metrics
