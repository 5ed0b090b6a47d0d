// TruePositives: the number of targets of 1 that are predicted.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

struct TruePositivesConfig {
  std::optional<std::vector<double>> thresholds = {};
  std::string name = "true_positives";
  std::optional<DType> dtype = {};
};

/// The weighted number of positive targets whose prediction is above the threshold (0.5 without
/// one): a scalar, or a number for each of several thresholds.
class TruePositivesMetric
    : public MetricOf<TruePositivesMetric, TruePositivesConfig, ConfusionCount> {
 public:
  explicit TruePositivesMetric(TruePositivesConfig c = {});
};

using TruePositives = Ref<TruePositivesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::TruePositivesMetric, metrics::TruePositivesConfig,
                               metrics::ConfusionCount>;
}
