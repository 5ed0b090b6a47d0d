// SensitivityAtSpecificity: the best of one rate at a bound of the other.
#pragma once
#include "best_at.h"

namespace cornu::metrics {

struct SensitivityAtSpecificityConfig {
  Required<double> specificity;
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};
  std::string name = "sensitivity_at_specificity";
  std::optional<DType> dtype = {};
};

/// The best share of positive targets found (the sensitivity) where at least the share
/// `specificity` of negative targets is recognized. From counts at num_thresholds evenly spaced
/// thresholds; with class_id only that entry of the last axis counts. Throws ValueError unless
/// specificity is in [0, 1].
class SensitivityAtSpecificityMetric
    : public MetricOf<SensitivityAtSpecificityMetric, SensitivityAtSpecificityConfig, BestAt> {
 public:
  explicit SensitivityAtSpecificityMetric(SensitivityAtSpecificityConfig c);
};

using SensitivityAtSpecificity = Ref<SensitivityAtSpecificityMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SensitivityAtSpecificityMetric,
                               metrics::SensitivityAtSpecificityConfig, metrics::BestAt>;
}
