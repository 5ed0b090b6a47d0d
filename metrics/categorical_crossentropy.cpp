// The loss that CategoricalCrossentropy averages.
#include "categorical_crossentropy.h"

#include "../losses/categorical_crossentropy.h"

namespace cornu::metrics {

CategoricalCrossentropyMetric::CategoricalCrossentropyMetric(CategoricalCrossentropyConfig c)
    : MetricOf(std::move(c)) {
  loss_ = losses::CategoricalCrossentropy({.from_logits = config.from_logits,
                                           .label_smoothing = config.label_smoothing,
                                           .axis = config.axis,
                                           .reduction = "none",
                                           .dtype = dtype()})
              .shared();
  axis_ = config.axis;
}

void register_categorical_crossentropy(Catalog& c) {
  c.add<CategoricalCrossentropyMetric>("keras.metrics.CategoricalCrossentropy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::CategoricalCrossentropyMetric,
                        metrics::CategoricalCrossentropyConfig, metrics::LossMean>;
}
