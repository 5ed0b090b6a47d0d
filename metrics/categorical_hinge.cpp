// The loss that CategoricalHinge averages.
#include "categorical_hinge.h"

#include "../losses/categorical_hinge.h"

namespace cornu::metrics {

CategoricalHingeMetric::CategoricalHingeMetric(CategoricalHingeConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::CategoricalHinge({.reduction = "none", .dtype = dtype()}).shared();
}

void register_categorical_hinge(Catalog& c) {
  c.add<CategoricalHingeMetric>("keras.metrics.CategoricalHinge");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::CategoricalHingeMetric, metrics::CategoricalHingeConfig,
                        metrics::LossMean>;
}
