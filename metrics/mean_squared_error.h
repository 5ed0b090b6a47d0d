// MeanSquaredError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct MeanSquaredErrorConfig {
  std::string name = "mean_squared_error";
  std::optional<DType> dtype = {};
};

/// The mean over samples of losses::MeanSquaredError.
class MeanSquaredErrorMetric
    : public MetricOf<MeanSquaredErrorMetric, MeanSquaredErrorConfig, LossMean> {
 public:
  explicit MeanSquaredErrorMetric(MeanSquaredErrorConfig c = {});
};

using MeanSquaredError = Ref<MeanSquaredErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanSquaredErrorMetric, metrics::MeanSquaredErrorConfig,
                               metrics::LossMean>;
}
