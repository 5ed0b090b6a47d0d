// Recall: what is true and is predicted to be.
#pragma once
#include "confusion.h"

namespace cornu::metrics {

/// Options of Recall, as in Keras.
struct RecallConfig {
  /// In [0, 1], above which a prediction is positive; none: 0.5, with top_k any.
  OptionalList<std::vector<double>> thresholds = {};
  /// Only the k largest predictions of a sample are positive; none: all.
  std::optional<int64_t> top_k = {};
  std::optional<int64_t> class_id = {};  ///< only this entry of the last axis counts; none: all
  std::string name = "recall";           ///< name of the metric in logs
  OptionalDType dtype = {};              ///< dtype of the state and of the result; none: float32
};

/// The fraction of true positives among all that is true (0.5 without one): a scalar, or a value
/// for each of several thresholds. With top_k only the k largest predictions of a sample are
/// positive; with class_id only that entry of the last axis counts.
class RecallMetric : public MetricOf<RecallMetric, RecallConfig, Metric> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  /// Throws ValueError for thresholds that are empty or outside [0, 1].
  explicit RecallMetric(RecallConfig c = {});
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  Tensor result() override;

 private:
  Thresholds thresholds_;
  Variable true_positives_;
  Variable false_negatives_;
};

using Recall = Ref<RecallMetric>;  ///< a shared RecallMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::RecallMetric, metrics::RecallConfig, Metric>;
}
