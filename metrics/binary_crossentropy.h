// BinaryCrossentropy: the mean of the loss of that name.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct BinaryCrossentropyConfig {
  std::string name = "binary_crossentropy";
  std::optional<DType> dtype = {};
  bool from_logits = false;
  double label_smoothing = 0;
};

/// The mean over samples of losses::BinaryCrossentropy.
class BinaryCrossentropyMetric
    : public MetricOf<BinaryCrossentropyMetric, BinaryCrossentropyConfig, LossMean> {
 public:
  explicit BinaryCrossentropyMetric(BinaryCrossentropyConfig c = {});
};

using BinaryCrossentropy = Ref<BinaryCrossentropyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::BinaryCrossentropyMetric, metrics::BinaryCrossentropyConfig,
                               metrics::LossMean>;
}
