// BinaryAccuracy: how often predictions are on the target's side of a threshold.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of BinaryAccuracy, as in Keras.
struct BinaryAccuracyConfig {
  std::string name = "binary_accuracy";  ///< name of the metric in logs
  OptionalDType dtype = {};              ///< dtype of the state and of the result; none: float32
  double threshold = 0.5;                ///< above which a prediction is 1
};

/// The fraction of elements of y_true that equal 1 where y_pred is above the threshold and 0 where
/// it is not.
class BinaryAccuracyMetric
    : public MetricOf<BinaryAccuracyMetric, BinaryAccuracyConfig, FractionOf> {
 public:
  explicit BinaryAccuracyMetric(BinaryAccuracyConfig c = {});  ///< takes any threshold

 protected:
  /// Both as they are, but for a last axis of size 1 that only one has.
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
  /// Whether the target equals 1 for a prediction above the threshold, 0 for another.
  const backend::ProgramRef& condition() const override { return condition_; }

 private:
  backend::ProgramRef condition_;
};

/// A shared BinaryAccuracyMetric, made from its options.
using BinaryAccuracy = Ref<BinaryAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::BinaryAccuracyMetric, metrics::BinaryAccuracyConfig,
                               metrics::FractionOf>;
}
