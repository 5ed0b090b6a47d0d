// Precision: what is predicted to be true and is.
#pragma once
#include "confusion.h"

namespace cornu::metrics {

/// Options of Precision, as in Keras.
struct PrecisionConfig {
  /// In [0, 1], above which a prediction is positive; none: 0.5, with top_k any.
  OptionalList<std::vector<double>> thresholds = {};
  /// Only the k largest predictions of a sample are positive; none: all.
  std::optional<int64_t> top_k = {};
  std::optional<int64_t> class_id = {};  ///< only this entry of the last axis counts; none: all
  std::string name = "precision";        ///< name of the metric in logs
  OptionalDType dtype = {};              ///< dtype of the state and of the result; none: float32
};

/// The fraction of true positives among all predictions above the threshold (0.5 without one): a
/// scalar, or a value for each of several thresholds. With top_k only the k largest predictions of
/// a sample are positive; with class_id only that entry of the last axis counts.
class PrecisionMetric : public MetricOf<PrecisionMetric, PrecisionConfig, Metric> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  /// Throws ValueError for thresholds that are empty or outside [0, 1].
  explicit PrecisionMetric(PrecisionConfig c = {});
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  Tensor result() override;

 private:
  Thresholds thresholds_;
  Variable true_positives_;
  Variable false_positives_;
};

using Precision = Ref<PrecisionMetric>;  ///< a shared PrecisionMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::PrecisionMetric, metrics::PrecisionConfig, Metric>;
}
