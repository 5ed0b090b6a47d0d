// What SparseCategoricalAccuracy compares.
#include "sparse_categorical_accuracy.h"

#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

SparseCategoricalAccuracyMetric::SparseCategoricalAccuracyMetric(SparseCategoricalAccuracyConfig c)
    : MetricOf(std::move(c)) {}

std::pair<Tensor, Tensor> SparseCategoricalAccuracyMetric::sides(const Tensor& y_true,
                                                                 const Tensor& y_pred) {
  const bool column = y_true.rank() == y_pred.rank() && y_true.shape(-1) == 1;
  return {column ? ops::squeeze(y_true, -1) : y_true, ops::argmax(y_pred, -1)};
}

void register_sparse_categorical_accuracy(Catalog& c) {
  c.add<SparseCategoricalAccuracyMetric>("keras.metrics.SparseCategoricalAccuracy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SparseCategoricalAccuracyMetric,
                        metrics::SparseCategoricalAccuracyConfig, metrics::FractionOf>;
}
