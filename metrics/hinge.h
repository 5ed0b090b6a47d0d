// Hinge: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of Hinge, as in Keras.
struct HingeConfig {
  std::string name = "hinge";  ///< name of the metric in logs
  OptionalDType dtype = {};    ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::Hinge: max(1 - t p, 0), averaged over the last axis, for
/// targets t of -1 and 1 (or 0 and 1) and scores p of one shape.
class HingeMetric : public MetricOf<HingeMetric, HingeConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit HingeMetric(HingeConfig c = {});
};

using Hinge = Ref<HingeMetric>;  ///< a shared HingeMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::HingeMetric, metrics::HingeConfig, metrics::LossMean>;
}
