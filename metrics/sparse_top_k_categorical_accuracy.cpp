// What SparseTopKCategoricalAccuracy averages.
#include "sparse_top_k_categorical_accuracy.h"

#include "../framework/ops/numpy/joining.h"
#include "../framework/ops/numpy/manipulation.h"

namespace cornu::metrics {

SparseTopKCategoricalAccuracyMetric::SparseTopKCategoricalAccuracyMetric(
    SparseTopKCategoricalAccuracyConfig c)
    : MetricOf(std::move(c)) {}

Tensor SparseTopKCategoricalAccuracyMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  if (!config.from_sorted_ids) return in_top_k(y_true, y_pred, config.k);
  static const backend::ProgramRef equal = backend::program_of(backend::Opcode::equal);
  Tensor first = y_pred;
  if (y_pred.shape(-1) > config.k) first = ops::split(y_pred, {config.k, y_pred.shape(-1)}, -1)[0];
  const Tensor inputs[] = {ops::expand_dims(y_true, {-1}), first};
  return reduce_program(equal, inputs, -1, 1, dtype(), name().c_str(), backend::ReduceOp::maximum);
}

void register_sparse_top_k_categorical_accuracy(Catalog& c) {
  c.add<SparseTopKCategoricalAccuracyMetric>("keras.metrics.SparseTopKCategoricalAccuracy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SparseTopKCategoricalAccuracyMetric,
                        metrics::SparseTopKCategoricalAccuracyConfig, metrics::MeanOf>;
}
