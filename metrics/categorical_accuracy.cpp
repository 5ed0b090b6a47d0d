// What CategoricalAccuracy compares.
#include "categorical_accuracy.h"

#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"

namespace cornu::metrics {

CategoricalAccuracyMetric::CategoricalAccuracyMetric(CategoricalAccuracyConfig c)
    : MetricOf(std::move(c)) {}

std::pair<Tensor, Tensor> CategoricalAccuracyMetric::sides(const Tensor& y_true,
                                                           const Tensor& y_pred) {
  const Tensor classes = ops::argmax(y_true, -1);
  // y_true (..., 1, classes) is as good as (..., classes).
  if (classes.rank() == y_pred.rank()) return {ops::squeeze(classes, -1), ops::argmax(y_pred, -1)};
  return {classes, ops::argmax(y_pred, -1)};
}

void register_categorical_accuracy(Catalog& c) {
  c.add<CategoricalAccuracyMetric>("keras.metrics.CategoricalAccuracy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::CategoricalAccuracyMetric, metrics::CategoricalAccuracyConfig,
                        metrics::FractionOf>;
}
