// SparseCategoricalAccuracy: how often the most probable class is the right one.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of SparseCategoricalAccuracy, as in Keras.
struct SparseCategoricalAccuracyConfig {
  std::string name = "sparse_categorical_accuracy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The fraction of samples whose largest prediction is at the class that y_true names. y_true (...)
/// or
/// (..., 1), y_pred (..., classes).
class SparseCategoricalAccuracyMetric
    : public MetricOf<SparseCategoricalAccuracyMetric, SparseCategoricalAccuracyConfig,
                      FractionOf> {
 public:
  /// Begins with no data; there is nothing to check.
  explicit SparseCategoricalAccuracyMetric(SparseCategoricalAccuracyConfig c = {});

 protected:
  /// The class y_true, without a last axis of size 1, and that of the largest prediction.
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared SparseCategoricalAccuracyMetric, made from its options.
using SparseCategoricalAccuracy = Ref<SparseCategoricalAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SparseCategoricalAccuracyMetric,
                               metrics::SparseCategoricalAccuracyConfig, metrics::FractionOf>;
}
