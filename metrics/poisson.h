// Poisson: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of Poisson, as in Keras.
struct PoissonConfig {
  std::string name = "poisson";  ///< name of the metric in logs
  OptionalDType dtype = {};      ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::Poisson: p - t log(p + 1e-7), averaged over the last axis, for
/// targets t and predictions p of one shape.
class PoissonMetric : public MetricOf<PoissonMetric, PoissonConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit PoissonMetric(PoissonConfig c = {});
};

using Poisson = Ref<PoissonMetric>;  ///< a shared PoissonMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::PoissonMetric, metrics::PoissonConfig, metrics::LossMean>;
}
