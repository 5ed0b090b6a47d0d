// SparseCategoricalAccuracy: how often the most probable class is the right one.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct SparseCategoricalAccuracyConfig {
  std::string name = "sparse_categorical_accuracy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  std::optional<DType> dtype = {};
};

/// The fraction of samples whose largest prediction is at the class that y_true names. y_true (...)
/// or
/// (..., 1), y_pred (..., classes).
class SparseCategoricalAccuracyMetric
    : public MetricOf<SparseCategoricalAccuracyMetric, SparseCategoricalAccuracyConfig,
                      FractionOf> {
 public:
  explicit SparseCategoricalAccuracyMetric(SparseCategoricalAccuracyConfig c = {});

 protected:
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
};

using SparseCategoricalAccuracy = Ref<SparseCategoricalAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SparseCategoricalAccuracyMetric,
                               metrics::SparseCategoricalAccuracyConfig, metrics::FractionOf>;
}
