// Accuracy: how often predictions equal targets.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of Accuracy, as in Keras.
struct AccuracyConfig {
  std::string name = "accuracy";  ///< name of the metric in logs
  OptionalDType dtype = {};       ///< dtype of the state and of the result; none: float32
};

/// The fraction of elements of y_pred that equal those of y_true.
class AccuracyMetric : public MetricOf<AccuracyMetric, AccuracyConfig, FractionOf> {
 public:
  /// Begins with no data; there is nothing to check.
  explicit AccuracyMetric(AccuracyConfig c = {});

 protected:
  /// Both as they are, but for a last axis of size 1 that only one has.
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
};

using Accuracy = Ref<AccuracyMetric>;  ///< a shared AccuracyMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::AccuracyMetric, metrics::AccuracyConfig,
                               metrics::FractionOf>;
}
