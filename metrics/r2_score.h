// R2Score: the fraction of the targets' variance that predictions explain.
#pragma once
#include "../framework/base/metric.h"

namespace cornu::metrics {

/// Options of R2Score, as in Keras.
struct R2ScoreConfig {
  /// "uniform_average", "variance_weighted_average"; empty: one score for each output
  std::optional<std::string> class_aggregation = "uniform_average";
  int64_t num_regressors = 0;     ///< inputs of the model, for the adjusted score; 0: not adjusted
  std::string name = "r2_score";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// 1 - sum((y_true - y_pred)^2) / sum((y_true - mean)^2) of y_true and y_pred (samples, outputs),
/// for each output or averaged over them. With num_regressors the adjusted score 1 - (1 - R2) (n -
/// 1) / (n - num_regressors - 1), where n counts all elements seen; as it is where n does not
/// exceed num_regressors + 1. Throws ValueError for an unknown aggregation or a negative number.
class R2ScoreMetric : public MetricOf<R2ScoreMetric, R2ScoreConfig, Metric> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  /// Throws ValueError for an unknown class_aggregation or a negative num_regressors.
  explicit R2ScoreMetric(R2ScoreConfig c = {});
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  /// Throws StateError before any data.
  Tensor result() override;

 private:
  Variable samples_, squared_sum_, sum_, residual_, count_;
};

using R2Score = Ref<R2ScoreMetric>;  ///< a shared R2ScoreMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::R2ScoreMetric, metrics::R2ScoreConfig, Metric>;
}
