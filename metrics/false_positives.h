// FalsePositives: the number of targets of 0 that are predicted as 1.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

struct FalsePositivesConfig {
  std::optional<std::vector<double>> thresholds = {};
  std::string name = "false_positives";
  std::optional<DType> dtype = {};
};

/// The weighted number of negative targets whose prediction is above the threshold (0.5 without
/// one): a scalar, or a number for each of several thresholds.
class FalsePositivesMetric
    : public MetricOf<FalsePositivesMetric, FalsePositivesConfig, ConfusionCount> {
 public:
  explicit FalsePositivesMetric(FalsePositivesConfig c = {});
};

using FalsePositives = Ref<FalsePositivesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::FalsePositivesMetric, metrics::FalsePositivesConfig,
                               metrics::ConfusionCount>;
}
