// Accuracy: how often predictions equal targets.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct AccuracyConfig {
  std::string name = "accuracy";    ///< name of the metric in logs
  std::optional<DType> dtype = {};  ///< dtype of the state and of the result; none: float32
};

/// The fraction of elements of y_pred that equal those of y_true.
class AccuracyMetric : public MetricOf<AccuracyMetric, AccuracyConfig, FractionOf> {
 public:
  explicit AccuracyMetric(AccuracyConfig c = {});

 protected:
  std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) override;
};

using Accuracy = Ref<AccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::AccuracyMetric, metrics::AccuracyConfig,
                               metrics::FractionOf>;
}
