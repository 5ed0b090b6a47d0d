// FalsePositives: the number of targets of 0 that are predicted as 1.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

/// Options of FalsePositives, as in Keras.
struct FalsePositivesConfig {
  /// In [0, 1], above which a prediction is positive; none: 0.5.
  OptionalList<std::vector<double>> thresholds = {};
  std::string name = "false_positives";  ///< name of the metric in logs
  OptionalDType dtype = {};              ///< dtype of the state and of the result; none: float32
};

/// The weighted number of negative targets whose prediction is above the threshold (0.5 without
/// one): a scalar, or a number for each of several thresholds.
class FalsePositivesMetric
    : public MetricOf<FalsePositivesMetric, FalsePositivesConfig, ConfusionCount> {
 public:
  /// Throws ValueError for thresholds that are empty or outside [0, 1].
  explicit FalsePositivesMetric(FalsePositivesConfig c = {});
};

/// A shared FalsePositivesMetric, made from its options.
using FalsePositives = Ref<FalsePositivesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::FalsePositivesMetric, metrics::FalsePositivesConfig,
                               metrics::ConfusionCount>;
}
