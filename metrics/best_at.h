// What metrics of one rate at a bound of another share.
#pragma once
#include "confusion.h"

namespace cornu::metrics {

/// Base of metrics that are the best value of a rate over evenly spaced thresholds at which another
/// rate is at least a bound; 0 where it never is.
class BestAt : public Metric {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  Tensor result() override;

 protected:
  using Metric::Metric;
  /// True positives among positive targets, true negatives among negative ones, and true positives
  /// among positive predictions.
  enum class Rate : uint8_t { sensitivity, specificity, precision };
  /// The best `wanted` where `bounded` is at least `bound`. `option` is the bound's name, for
  /// errors. Throws ValueError for a bound outside [0, 1], or without thresholds.
  void set(Rate wanted, Rate bounded, const char* option, double bound, int64_t num_thresholds,
           const std::optional<int64_t>& class_id);

 private:
  Tensor rate(Rate which) const;

  Rate wanted_ = Rate::sensitivity, bounded_ = Rate::specificity;
  double bound_ = 0;
  std::optional<int64_t> class_id_;
  Thresholds thresholds_;
  Variable true_positives_, false_positives_, true_negatives_, false_negatives_;
};

}  // namespace cornu::metrics
