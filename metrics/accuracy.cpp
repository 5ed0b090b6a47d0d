// What Accuracy compares.
#include "accuracy.h"

namespace cornu::metrics {

AccuracyMetric::AccuracyMetric(AccuracyConfig c) : MetricOf(std::move(c)) {}

std::pair<Tensor, Tensor> AccuracyMetric::sides(const Tensor& y_true, const Tensor& y_pred) {
  return squeeze_or_expand_to_same_rank(y_true, y_pred);
}

void register_accuracy(Catalog& c) { c.add<AccuracyMetric>("keras.metrics.Accuracy"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::AccuracyMetric, metrics::AccuracyConfig, metrics::FractionOf>;
}
