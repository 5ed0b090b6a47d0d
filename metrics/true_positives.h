// TruePositives: the number of targets of 1 that are predicted.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

/// Options of TruePositives, as in Keras.
struct TruePositivesConfig {
  /// In [0, 1], above which a prediction is positive; none: 0.5.
  OptionalList<std::vector<double>> thresholds = {};
  std::string name = "true_positives";  ///< name of the metric in logs
  OptionalDType dtype = {};             ///< dtype of the state and of the result; none: float32
};

/// The weighted number of positive targets whose prediction is above the threshold (0.5 without
/// one): a scalar, or a number for each of several thresholds.
class TruePositivesMetric
    : public MetricOf<TruePositivesMetric, TruePositivesConfig, ConfusionCount> {
 public:
  /// Throws ValueError for thresholds that are empty or outside [0, 1].
  explicit TruePositivesMetric(TruePositivesConfig c = {});
};

/// A shared TruePositivesMetric, made from its options.
using TruePositives = Ref<TruePositivesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::TruePositivesMetric, metrics::TruePositivesConfig,
                               metrics::ConfusionCount>;
}
