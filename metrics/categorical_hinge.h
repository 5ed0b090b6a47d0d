// CategoricalHinge: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of CategoricalHinge, as in Keras.
struct CategoricalHingeConfig {
  std::string name = "categorical_hinge";  ///< name of the metric in logs
  OptionalDType dtype = {};                ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of losses::CategoricalHinge: max(1 + max((1 - t) p) - sum(t p), 0) over
/// the classes, for one-hot targets t and scores p of one shape (..., classes).
class CategoricalHingeMetric
    : public MetricOf<CategoricalHingeMetric, CategoricalHingeConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit CategoricalHingeMetric(CategoricalHingeConfig c = {});
};

/// A shared CategoricalHingeMetric, made from its options.
using CategoricalHinge = Ref<CategoricalHingeMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::CategoricalHingeMetric, metrics::CategoricalHingeConfig,
                               metrics::LossMean>;
}
