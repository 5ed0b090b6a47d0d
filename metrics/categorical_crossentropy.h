// CategoricalCrossentropy: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of CategoricalCrossentropy, as in Keras.
struct CategoricalCrossentropyConfig {
  std::string name = "categorical_crossentropy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
  bool from_logits = false;    ///< y_pred are logits, not probabilities
  double label_smoothing = 0;  ///< in [0, 1]: how far targets move toward equal probabilities
  int64_t axis = -1;           ///< axis of the classes
};

/// The mean over samples of losses::CategoricalCrossentropy: -sum(t log(p)) over the classes, for
/// one-hot targets or probabilities t and predictions p of one shape (..., classes).
class CategoricalCrossentropyMetric
    : public MetricOf<CategoricalCrossentropyMetric, CategoricalCrossentropyConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit CategoricalCrossentropyMetric(CategoricalCrossentropyConfig c = {});
};

/// A shared CategoricalCrossentropyMetric, made from its options.
using CategoricalCrossentropy = Ref<CategoricalCrossentropyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::CategoricalCrossentropyMetric,
                               metrics::CategoricalCrossentropyConfig, metrics::LossMean>;
}
