// MeanAbsolutePercentageError: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct MeanAbsolutePercentageErrorConfig {
  std::string name = "mean_absolute_percentage_error";
  std::optional<DType> dtype = {};
};

/// The mean over samples of losses::MeanAbsolutePercentageError.
class MeanAbsolutePercentageErrorMetric
    : public MetricOf<MeanAbsolutePercentageErrorMetric, MeanAbsolutePercentageErrorConfig,
                      LossMean> {
 public:
  explicit MeanAbsolutePercentageErrorMetric(MeanAbsolutePercentageErrorConfig c = {});
};

using MeanAbsolutePercentageError = Ref<MeanAbsolutePercentageErrorMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanAbsolutePercentageErrorMetric,
                               metrics::MeanAbsolutePercentageErrorConfig, metrics::LossMean>;
}
