// SparseCategoricalCrossentropy: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of SparseCategoricalCrossentropy, as in Keras.
struct SparseCategoricalCrossentropyConfig {
  std::string name = "sparse_categorical_crossentropy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
  bool from_logits = false;  ///< y_pred are logits, not probabilities
  /// Class of samples that do not count; none: all count.
  std::optional<int64_t> ignore_class = {};
  int64_t axis = -1;  ///< axis of the classes
};

/// The mean over samples of losses::SparseCategoricalCrossentropy: -log(p[t]) for class numbers t
/// (...) or (..., 1) and predictions p (..., classes). Throws ValueError for a label that is not a
/// class.
class SparseCategoricalCrossentropyMetric
    : public MetricOf<SparseCategoricalCrossentropyMetric, SparseCategoricalCrossentropyConfig,
                      LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit SparseCategoricalCrossentropyMetric(SparseCategoricalCrossentropyConfig c = {});
};

/// A shared SparseCategoricalCrossentropyMetric, made from its options.
using SparseCategoricalCrossentropy = Ref<SparseCategoricalCrossentropyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SparseCategoricalCrossentropyMetric,
                               metrics::SparseCategoricalCrossentropyConfig, metrics::LossMean>;
}
