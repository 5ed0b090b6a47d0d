// What TopKCategoricalAccuracy averages.
#include "top_k_categorical_accuracy.h"

#include "../framework/ops/numpy/reduction.h"

namespace cornu::metrics {

TopKCategoricalAccuracyMetric::TopKCategoricalAccuracyMetric(TopKCategoricalAccuracyConfig c)
    : MetricOf(std::move(c)) {}

Tensor TopKCategoricalAccuracyMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  return in_top_k(ops::argmax(y_true, -1), y_pred, config.k);
}

void register_top_k_categorical_accuracy(Catalog& c) {
  c.add<TopKCategoricalAccuracyMetric>("keras.metrics.TopKCategoricalAccuracy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::TopKCategoricalAccuracyMetric,
                        metrics::TopKCategoricalAccuracyConfig, metrics::MeanOf>;
}
