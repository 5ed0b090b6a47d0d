// LogCoshError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of LogCoshError, as in Keras.
struct LogCoshErrorConfig {
  std::string name = "logcosh";  ///< name of the metric in logs
  OptionalDType dtype = {};      ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::LogCosh: log(cosh(p - t)), averaged over the last axis, for
/// targets t and predictions p of one shape.
class LogCoshErrorMetric : public MetricOf<LogCoshErrorMetric, LogCoshErrorConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit LogCoshErrorMetric(LogCoshErrorConfig c = {});
};

/// A shared LogCoshErrorMetric, made from its options.
using LogCoshError = Ref<LogCoshErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::LogCoshErrorMetric, metrics::LogCoshErrorConfig,
                               metrics::LossMean>;
}
