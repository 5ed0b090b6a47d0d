// MeanSquaredLogarithmicError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of MeanSquaredLogarithmicError, as in Keras.
struct MeanSquaredLogarithmicErrorConfig {
  std::string name = "mean_squared_logarithmic_error";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The mean over samples of losses::MeanSquaredLogarithmicError: (log(t + 1) - log(p + 1))^2,
/// averaged over the last axis, for targets t and predictions p of one shape; values below 1e-7
/// count as 1e-7.
class MeanSquaredLogarithmicErrorMetric
    : public MetricOf<MeanSquaredLogarithmicErrorMetric, MeanSquaredLogarithmicErrorConfig,
                      LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit MeanSquaredLogarithmicErrorMetric(MeanSquaredLogarithmicErrorConfig c = {});
};

/// A shared MeanSquaredLogarithmicErrorMetric, made from its options.
using MeanSquaredLogarithmicError = Ref<MeanSquaredLogarithmicErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanSquaredLogarithmicErrorMetric,
                               metrics::MeanSquaredLogarithmicErrorConfig, metrics::LossMean>;
}
