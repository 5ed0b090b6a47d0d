// FalseNegatives: the number of targets of 1 that are predicted as 0.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

/// Options of FalseNegatives, as in Keras.
struct FalseNegativesConfig {
  /// In [0, 1], above which a prediction is positive; none: 0.5.
  OptionalList<std::vector<double>> thresholds = {};
  std::string name = "false_negatives";  ///< name of the metric in logs
  OptionalDType dtype = {};              ///< dtype of the state and of the result; none: float32
};

/// The weighted number of positive targets whose prediction is at or below the threshold (0.5
/// without one): a scalar, or a number for each of several thresholds.
class FalseNegativesMetric
    : public MetricOf<FalseNegativesMetric, FalseNegativesConfig, ConfusionCount> {
 public:
  /// Throws ValueError for thresholds that are empty or outside [0, 1].
  explicit FalseNegativesMetric(FalseNegativesConfig c = {});
};

/// A shared FalseNegativesMetric, made from its options.
using FalseNegatives = Ref<FalseNegativesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::FalseNegativesMetric, metrics::FalseNegativesConfig,
                               metrics::ConfusionCount>;
}
