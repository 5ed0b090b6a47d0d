// CategoricalCrossentropy: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct CategoricalCrossentropyConfig {
  std::string name = "categorical_crossentropy";
  std::optional<DType> dtype = {};
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
};

/// The mean over samples of losses::CategoricalCrossentropy.
class CategoricalCrossentropyMetric
    : public MetricOf<CategoricalCrossentropyMetric, CategoricalCrossentropyConfig, LossMean> {
 public:
  explicit CategoricalCrossentropyMetric(CategoricalCrossentropyConfig c = {});
};

using CategoricalCrossentropy = Ref<CategoricalCrossentropyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::CategoricalCrossentropyMetric,
                               metrics::CategoricalCrossentropyConfig, metrics::LossMean>;
}
