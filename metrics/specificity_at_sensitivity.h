// SpecificityAtSensitivity: the best of one rate at a bound of the other.
#pragma once
#include "best_at.h"

namespace cornu::metrics {

/// Options of SpecificityAtSensitivity, as in Keras.
struct SpecificityAtSensitivityConfig {
  Required<double> sensitivity;          ///< lowest sensitivity that is accepted, in [0, 1]
  int64_t num_thresholds = 200;          ///< number of thresholds, evenly spaced in [0, 1]
  std::optional<int64_t> class_id = {};  ///< only this entry of the last axis counts; none: all
  /// Name of the metric in logs.
  std::string name = "specificity_at_sensitivity";
  OptionalDType dtype = {};  ///< dtype of the state and of the result; none: float32
};

/// The best fraction of negative targets recognized (the specificity) where at least the fraction
/// `sensitivity` of positive targets is found. From counts at num_thresholds evenly spaced
/// thresholds; with class_id only that entry of the last axis counts. Throws ValueError unless
/// sensitivity is in [0, 1].
class SpecificityAtSensitivityMetric
    : public MetricOf<SpecificityAtSensitivityMetric, SpecificityAtSensitivityConfig, BestAt> {
 public:
  /// Throws ValueError for a sensitivity outside [0, 1] or num_thresholds below 1.
  explicit SpecificityAtSensitivityMetric(SpecificityAtSensitivityConfig c);
};

/// A shared SpecificityAtSensitivityMetric, made from its options.
using SpecificityAtSensitivity = Ref<SpecificityAtSensitivityMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SpecificityAtSensitivityMetric,
                               metrics::SpecificityAtSensitivityConfig, metrics::BestAt>;
}
