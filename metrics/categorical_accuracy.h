// CategoricalAccuracy: how often the most probable class is the right one.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of CategoricalAccuracy, as in Keras.
struct CategoricalAccuracyConfig {
  std::string name = "categorical_accuracy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The fraction of samples whose largest prediction is at the place of the largest target; y_true
/// and y_pred are probabilities of classes.
class CategoricalAccuracyMetric
    : public MetricOf<CategoricalAccuracyMetric, CategoricalAccuracyConfig, FractionOf> {
 public:
  /// Begins with no data; there is nothing to check.
  explicit CategoricalAccuracyMetric(CategoricalAccuracyConfig c = {});

 protected:
  /// The classes of the largest target and of the largest prediction.
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared CategoricalAccuracyMetric, made from its options.
using CategoricalAccuracy = Ref<CategoricalAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::CategoricalAccuracyMetric,
                               metrics::CategoricalAccuracyConfig, metrics::FractionOf>;
}
