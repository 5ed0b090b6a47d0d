// MeanAbsolutePercentageError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of MeanAbsolutePercentageError, as in Keras.
struct MeanAbsolutePercentageErrorConfig {
  std::string name = "mean_absolute_percentage_error";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The mean over samples of losses::MeanAbsolutePercentageError: 100 |t - p| / max(|t|, 1e-7),
/// averaged over the last axis, for targets t and predictions p of one shape.
class MeanAbsolutePercentageErrorMetric
    : public MetricOf<MeanAbsolutePercentageErrorMetric, MeanAbsolutePercentageErrorConfig,
                      LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit MeanAbsolutePercentageErrorMetric(MeanAbsolutePercentageErrorConfig c = {});
};

/// A shared MeanAbsolutePercentageErrorMetric, made from its options.
using MeanAbsolutePercentageError = Ref<MeanAbsolutePercentageErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanAbsolutePercentageErrorMetric,
                               metrics::MeanAbsolutePercentageErrorConfig, metrics::LossMean>;
}
