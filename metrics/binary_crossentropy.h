// BinaryCrossentropy: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of BinaryCrossentropy, as in Keras.
struct BinaryCrossentropyConfig {
  std::string name = "binary_crossentropy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
  bool from_logits = false;    ///< y_pred are logits, not probabilities
  double label_smoothing = 0;  ///< in [0, 1]: how far targets move toward 1/2
};

/// The mean over samples of losses::BinaryCrossentropy: -(t log(p) + (1 - t) log(1 - p)), averaged
/// over the last axis, for targets t (..., outputs) in [0, 1] and predictions p of that shape,
/// limited to [1e-7, 1 - 1e-7].
class BinaryCrossentropyMetric
    : public MetricOf<BinaryCrossentropyMetric, BinaryCrossentropyConfig, LossMean> {
 public:
  /// Makes the loss, computed in the dtype of the metric.
  explicit BinaryCrossentropyMetric(BinaryCrossentropyConfig c = {});
};

/// A shared BinaryCrossentropyMetric, made from its options.
using BinaryCrossentropy = Ref<BinaryCrossentropyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::BinaryCrossentropyMetric, metrics::BinaryCrossentropyConfig,
                               metrics::LossMean>;
}
