// BinaryAccuracy: how often predictions are on the target's side of a threshold.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct BinaryAccuracyConfig {
  std::string name = "binary_accuracy";  ///< name of the metric in logs
  std::optional<DType> dtype = {};       ///< dtype of the state and of the result; none: float32
  double threshold = 0.5;                ///< above which a prediction is 1
};

/// The fraction of elements of y_true that equal 1 where y_pred is above the threshold and 0 where
/// it is not.
class BinaryAccuracyMetric
    : public MetricOf<BinaryAccuracyMetric, BinaryAccuracyConfig, FractionOf> {
 public:
  explicit BinaryAccuracyMetric(BinaryAccuracyConfig c = {});

 protected:
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
  const backend::ProgramRef& condition() const override { return condition_; }

 private:
  backend::ProgramRef condition_;
};

using BinaryAccuracy = Ref<BinaryAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::BinaryAccuracyMetric, metrics::BinaryAccuracyConfig,
                               metrics::FractionOf>;
}
