// SquaredHinge: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct SquaredHingeConfig {
  std::string name = "squared_hinge";
  std::optional<DType> dtype = {};
};

/// The mean over samples of losses::SquaredHinge.
class SquaredHingeMetric : public MetricOf<SquaredHingeMetric, SquaredHingeConfig, LossMean> {
 public:
  explicit SquaredHingeMetric(SquaredHingeConfig c = {});
};

using SquaredHinge = Ref<SquaredHingeMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SquaredHingeMetric, metrics::SquaredHingeConfig,
                               metrics::LossMean>;
}
