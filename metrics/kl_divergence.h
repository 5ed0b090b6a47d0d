// KLDivergence: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of KLDivergence, as in Keras.
struct KLDivergenceConfig {
  std::string name = "kl_divergence";  ///< name of the metric in logs
  OptionalDType dtype = {};            ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::KLDivergence: sum(t log(t / p)) over the last axis, for
/// distributions t and p of one shape, both limited to [1e-7, 1].
class KLDivergenceMetric : public MetricOf<KLDivergenceMetric, KLDivergenceConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit KLDivergenceMetric(KLDivergenceConfig c = {});
};

/// A shared KLDivergenceMetric, made from its options.
using KLDivergence = Ref<KLDivergenceMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::KLDivergenceMetric, metrics::KLDivergenceConfig,
                               metrics::LossMean>;
}
