// What metrics that count one kind of hit or miss share.
#pragma once
#include "confusion.h"

namespace cornu::metrics {

/// Base of metrics that are the weighted number of true or false positives or negatives at each
/// threshold.
class ConfusionCount : public Metric {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  /// A scalar, or (thresholds) where there are several.
  Tensor result() override;

 protected:
  using Metric::Metric;
  /// What is counted, as a function of the counts of a batch.
  using Count = Tensor (*)(const Confusion& now);
  /// Throws ValueError for a threshold outside [0, 1].
  void set(Count count, const std::optional<std::vector<double>>& thresholds);

 private:
  Count count_ = nullptr;
  Thresholds thresholds_;
  Variable accumulator_;
};

}  // namespace cornu::metrics
