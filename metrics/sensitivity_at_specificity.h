// SensitivityAtSpecificity: the best of one rate at a bound of the other.
#pragma once
#include "best_at.h"

namespace cornu::metrics {

/// Options of SensitivityAtSpecificity, as in Keras.
struct SensitivityAtSpecificityConfig {
  Required<double> specificity;          ///< lowest specificity that is accepted, in [0, 1]
  int64_t num_thresholds = 200;          ///< number of thresholds, evenly spaced in [0, 1]
  std::optional<int64_t> class_id = {};  ///< only this entry of the last axis counts; none: all
  /// Name of the metric in logs.
  std::string name = "sensitivity_at_specificity";
  OptionalDType dtype = {};  ///< dtype of the state and of the result; none: float32
};

/// The best fraction of positive targets found (the sensitivity) where at least the fraction
/// `specificity` of negative targets is recognized. From counts at num_thresholds evenly spaced
/// thresholds; with class_id only that entry of the last axis counts. Throws ValueError unless
/// specificity is in [0, 1].
class SensitivityAtSpecificityMetric
    : public MetricOf<SensitivityAtSpecificityMetric, SensitivityAtSpecificityConfig, BestAt> {
 public:
  /// Throws ValueError for a specificity outside [0, 1] or num_thresholds below 1.
  explicit SensitivityAtSpecificityMetric(SensitivityAtSpecificityConfig c);
};

/// A shared SensitivityAtSpecificityMetric, made from its options.
using SensitivityAtSpecificity = Ref<SensitivityAtSpecificityMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SensitivityAtSpecificityMetric,
                               metrics::SensitivityAtSpecificityConfig, metrics::BestAt>;
}
