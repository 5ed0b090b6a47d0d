// TrueNegatives: the number of targets of 0 that are predicted.
#pragma once
#include "confusion_count.h"

namespace cornu::metrics {

struct TrueNegativesConfig {
  std::optional<std::vector<double>> thresholds = {};
  std::string name = "true_negatives";
  std::optional<DType> dtype = {};
};

/// The weighted number of negative targets whose prediction is at or below the threshold (0.5
/// without one): a scalar, or a number for each of several thresholds.
class TrueNegativesMetric
    : public MetricOf<TrueNegativesMetric, TrueNegativesConfig, ConfusionCount> {
 public:
  explicit TrueNegativesMetric(TrueNegativesConfig c = {});
};

using TrueNegatives = Ref<TrueNegativesMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::TrueNegativesMetric, metrics::TrueNegativesConfig,
                               metrics::ConfusionCount>;
}
