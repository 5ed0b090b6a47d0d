// Recall's counts.
#include "recall.h"

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

RecallMetric::RecallMetric(RecallConfig c) : MetricOf(std::move(c)) {
  thresholds_ = thresholds_of(config.thresholds, config.top_k.has_value(), name());
  true_positives_ = add_variable(ops::zeros({thresholds_.size()}), "true_positives");
  false_negatives_ = add_variable(ops::zeros({thresholds_.size()}), "false_negatives");
}

void RecallMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                                const Tensor& sample_weight) {
  const Confusion now = confusion(y_true, y_pred, sample_weight, thresholds_,
                                  {.top_k = config.top_k, .class_id = config.class_id}, name());
  true_positives_.assign_add(now.true_positives);
  false_negatives_.assign_add(now.positives - now.true_positives);
}

Tensor RecallMetric::result() {
  const Tensor all = fused([](Expr tp, Expr other) { return quotient(tp, tp + other); },
                           true_positives_.value(), false_negatives_.value());
  return thresholds_.size() == 1 ? ops::reshape(all, {}) : all;
}

void register_recall(Catalog& c) { c.add<RecallMetric>("keras.metrics.Recall"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::RecallMetric, metrics::RecallConfig, Metric>;
}
