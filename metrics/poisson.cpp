// The loss that Poisson averages.
#include "poisson.h"

#include "../losses/poisson.h"

namespace cornu::metrics {

PoissonMetric::PoissonMetric(PoissonConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::Poisson({.reduction = "none", .dtype = dtype()}).shared();
}

void register_poisson(Catalog& c) { c.add<PoissonMetric>("keras.metrics.Poisson"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::PoissonMetric, metrics::PoissonConfig, metrics::LossMean>;
}
