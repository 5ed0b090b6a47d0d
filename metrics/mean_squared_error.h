// MeanSquaredError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of MeanSquaredError, as in Keras.
struct MeanSquaredErrorConfig {
  std::string name = "mean_squared_error";  ///< name of the metric in logs
  OptionalDType dtype = {};                 ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::MeanSquaredError: (t - p)^2, averaged over the last axis, for
/// targets t and predictions p of one shape.
class MeanSquaredErrorMetric
    : public MetricOf<MeanSquaredErrorMetric, MeanSquaredErrorConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit MeanSquaredErrorMetric(MeanSquaredErrorConfig c = {});
};

/// A shared MeanSquaredErrorMetric, made from its options.
using MeanSquaredError = Ref<MeanSquaredErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanSquaredErrorMetric, metrics::MeanSquaredErrorConfig,
                               metrics::LossMean>;
}
