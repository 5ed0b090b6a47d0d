// Mean's reading of its arguments.
#include "mean.h"

namespace cornu::metrics {

MeanMetric::MeanMetric(MeanConfig c) : MetricOf(std::move(c)) {}

void MeanMetric::update_state(const Tensor& values, const Tensor& sample_weight,
                              const Tensor& weight) {
  add(values, sample_weight ? sample_weight : weight);
}

void register_mean(Catalog& c) { c.add<MeanMetric>("keras.metrics.Mean"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::MeanMetric, metrics::MeanConfig, metrics::MeanOf>;
}
