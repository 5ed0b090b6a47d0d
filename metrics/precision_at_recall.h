// PrecisionAtRecall: the best of one rate at a bound of the other.
#pragma once
#include "best_at.h"

namespace cornu::metrics {

/// Options of PrecisionAtRecall, as in Keras.
struct PrecisionAtRecallConfig {
  Required<double> recall;                   ///< lowest recall that is accepted, in [0, 1]
  int64_t num_thresholds = 200;              ///< number of thresholds, evenly spaced in [0, 1]
  std::optional<int64_t> class_id = {};      ///< only this entry of the last axis counts; none: all
  std::string name = "precision_at_recall";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The best fraction of true positives among positive predictions (the precision) where at least
/// the fraction `recall` of positive targets is found. From counts at num_thresholds evenly spaced
/// thresholds; with class_id only that entry of the last axis counts. Throws ValueError unless
/// recall is in [0, 1].
class PrecisionAtRecallMetric
    : public MetricOf<PrecisionAtRecallMetric, PrecisionAtRecallConfig, BestAt> {
 public:
  /// Throws ValueError for a recall outside [0, 1] or num_thresholds below 1.
  explicit PrecisionAtRecallMetric(PrecisionAtRecallConfig c);
};

/// A shared PrecisionAtRecallMetric, made from its options.
using PrecisionAtRecall = Ref<PrecisionAtRecallMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::PrecisionAtRecallMetric, metrics::PrecisionAtRecallConfig,
                               metrics::BestAt>;
}
