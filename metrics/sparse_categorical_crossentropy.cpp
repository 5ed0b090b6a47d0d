// The loss that SparseCategoricalCrossentropy averages.
#include "sparse_categorical_crossentropy.h"

#include "../losses/sparse_categorical_crossentropy.h"

namespace cornu::metrics {

SparseCategoricalCrossentropyMetric::SparseCategoricalCrossentropyMetric(
    SparseCategoricalCrossentropyConfig c)
    : MetricOf(std::move(c)) {
  loss_ = losses::SparseCategoricalCrossentropy({.from_logits = config.from_logits,
                                                 .ignore_class = config.ignore_class,
                                                 .reduction = "none",
                                                 .axis = config.axis,
                                                 .dtype = dtype()})
              .shared();
  axis_ = config.axis;
}

void register_sparse_categorical_crossentropy(Catalog& c) {
  c.add<SparseCategoricalCrossentropyMetric>("keras.metrics.SparseCategoricalCrossentropy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SparseCategoricalCrossentropyMetric,
                        metrics::SparseCategoricalCrossentropyConfig, metrics::LossMean>;
}
