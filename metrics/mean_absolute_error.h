// MeanAbsoluteError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of MeanAbsoluteError, as in Keras.
struct MeanAbsoluteErrorConfig {
  std::string name = "mean_absolute_error";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The mean over samples of losses::MeanAbsoluteError: |t - p|, averaged over the last axis, for
/// targets t and predictions p of one shape.
class MeanAbsoluteErrorMetric
    : public MetricOf<MeanAbsoluteErrorMetric, MeanAbsoluteErrorConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit MeanAbsoluteErrorMetric(MeanAbsoluteErrorConfig c = {});
};

/// A shared MeanAbsoluteErrorMetric, made from its options.
using MeanAbsoluteError = Ref<MeanAbsoluteErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanAbsoluteErrorMetric, metrics::MeanAbsoluteErrorConfig,
                               metrics::LossMean>;
}
