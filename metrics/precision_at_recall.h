// PrecisionAtRecall: the best of one rate at a bound of the other.
#pragma once
#include "best_at.h"

namespace cornu::metrics {

struct PrecisionAtRecallConfig {
  Required<double> recall;
  int64_t num_thresholds = 200;
  std::optional<int64_t> class_id = {};
  std::string name = "precision_at_recall";
  std::optional<DType> dtype = {};
};

/// The best share of true positives among positive predictions (the precision) where at least the
/// share `recall` of positive targets is found. From counts at num_thresholds evenly spaced
/// thresholds; with class_id only that entry of the last axis counts. Throws ValueError unless
/// recall is in [0, 1].
class PrecisionAtRecallMetric
    : public MetricOf<PrecisionAtRecallMetric, PrecisionAtRecallConfig, BestAt> {
 public:
  explicit PrecisionAtRecallMetric(PrecisionAtRecallConfig c);
};

using PrecisionAtRecall = Ref<PrecisionAtRecallMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::PrecisionAtRecallMetric, metrics::PrecisionAtRecallConfig,
                               metrics::BestAt>;
}
