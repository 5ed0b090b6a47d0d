// TrueNegatives: the number of targets of 0 that are predicted.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

/// Options of TrueNegatives, as in Keras.
struct TrueNegativesConfig {
  /// In [0, 1], above which a prediction is positive; none: 0.5.
  OptionalList<std::vector<double>> thresholds = {};
  std::string name = "true_negatives";  ///< name of the metric in logs
  OptionalDType dtype = {};             ///< dtype of the state and of the result; none: float32
};

/// The weighted number of negative targets whose prediction is at or below the threshold (0.5
/// without one): a scalar, or a number for each of several thresholds.
class TrueNegativesMetric
    : public MetricOf<TrueNegativesMetric, TrueNegativesConfig, ConfusionCount> {
 public:
  /// Throws ValueError for thresholds that are empty or outside [0, 1].
  explicit TrueNegativesMetric(TrueNegativesConfig c = {});
};

/// A shared TrueNegativesMetric, made from its options.
using TrueNegatives = Ref<TrueNegativesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::TrueNegativesMetric, metrics::TrueNegativesConfig,
                               metrics::ConfusionCount>;
}
