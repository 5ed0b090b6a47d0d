// RecallAtPrecision: the best of one rate at a bound of the other.
#pragma once
#include "best_at.h"

namespace cornu::metrics {

/// Options of RecallAtPrecision, as in Keras.
struct RecallAtPrecisionConfig {
  Required<double> precision;                ///< lowest precision that is accepted, in [0, 1]
  int64_t num_thresholds = 200;              ///< number of thresholds, evenly spaced in [0, 1]
  std::optional<int64_t> class_id = {};      ///< only this entry of the last axis counts; none: all
  std::string name = "recall_at_precision";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The best fraction of positive targets found (the recall) where at least the fraction `precision`
/// of positive predictions is true. From counts at num_thresholds evenly spaced thresholds; with
/// class_id only that entry of the last axis counts. Throws ValueError unless precision is in [0,
/// 1].
class RecallAtPrecisionMetric
    : public MetricOf<RecallAtPrecisionMetric, RecallAtPrecisionConfig, BestAt> {
 public:
  /// Throws ValueError for a precision outside [0, 1] or num_thresholds below 1.
  explicit RecallAtPrecisionMetric(RecallAtPrecisionConfig c);
};

/// A shared RecallAtPrecisionMetric, made from its options.
using RecallAtPrecision = Ref<RecallAtPrecisionMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::RecallAtPrecisionMetric, metrics::RecallAtPrecisionConfig,
                               metrics::BestAt>;
}
