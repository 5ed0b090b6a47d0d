// RootMeanSquaredError: the root of the mean squared error.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of RootMeanSquaredError, as in Keras.
struct RootMeanSquaredErrorConfig {
  std::string name = "root_mean_squared_error";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The square root of the mean of (y_pred - y_true)^2.
class RootMeanSquaredErrorMetric
    : public MetricOf<RootMeanSquaredErrorMetric, RootMeanSquaredErrorConfig, MeanOf> {
 public:
  /// Begins with no data; there is nothing to check.
  explicit RootMeanSquaredErrorMetric(RootMeanSquaredErrorConfig c = {});
  Tensor result() override;  ///< the root of the mean; 0 before any data

 protected:
  /// The square of each difference.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
  /// Averaged in one kernel, where the shapes are equal.
  Batch batch(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared RootMeanSquaredErrorMetric, made from its options.
using RootMeanSquaredError = Ref<RootMeanSquaredErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::RootMeanSquaredErrorMetric,
                               metrics::RootMeanSquaredErrorConfig, metrics::MeanOf>;
}
