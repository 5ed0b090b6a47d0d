// What BinaryAccuracy compares.
#include "binary_accuracy.h"

namespace cornu::metrics {

BinaryAccuracyMetric::BinaryAccuracyMetric(BinaryAccuracyConfig c) : MetricOf(std::move(c)) {
  condition_ = backend::Program::make(2, [&](const std::vector<Expr>& x) {
    return std::vector<Expr>{expr::equal(x[0], x[1] > config.threshold)};
  });
}

std::pair<Tensor, Tensor> BinaryAccuracyMetric::sides(const Tensor& y_true, const Tensor& y_pred) {
  return squeeze_or_expand_to_same_rank(y_true, y_pred);
}

void register_binary_accuracy(Catalog& c) {
  c.add<BinaryAccuracyMetric>("keras.metrics.BinaryAccuracy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::BinaryAccuracyMetric, metrics::BinaryAccuracyConfig,
                        metrics::FractionOf>;
}
