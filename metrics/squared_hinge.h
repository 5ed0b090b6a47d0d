// SquaredHinge: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of SquaredHinge, as in Keras.
struct SquaredHingeConfig {
  std::string name = "squared_hinge";  ///< name of the metric in logs
  OptionalDType dtype = {};            ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::SquaredHinge: max(1 - t p, 0)^2, averaged over the last axis,
/// for targets t of -1 and 1 (or 0 and 1) and scores p of one shape.
class SquaredHingeMetric : public MetricOf<SquaredHingeMetric, SquaredHingeConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit SquaredHingeMetric(SquaredHingeConfig c = {});
};

/// A shared SquaredHingeMetric, made from its options.
using SquaredHinge = Ref<SquaredHingeMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SquaredHingeMetric, metrics::SquaredHingeConfig,
                               metrics::LossMean>;
}
