// Counts of one kind.
#include "confusion_count.h"

#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

void ConfusionCount::set(Count count, const std::optional<std::vector<double>>& thresholds) {
  count_ = count;
  thresholds_ = thresholds_of(thresholds, false, name());
  accumulator_ = add_variable(ops::zeros({thresholds_.size()}), "accumulator");
}

void ConfusionCount::update_state(const Tensor& y_true, const Tensor& y_pred,
                                  const Tensor& sample_weight) {
  accumulator_.assign_add(
      count_(confusion(y_true, y_pred, sample_weight, thresholds_, {}, name())));
}

Tensor ConfusionCount::result() {
  return thresholds_.size() == 1 ? ops::reshape(accumulator_.value(), {}) : accumulator_.value();
}

}  // namespace cornu::metrics
