// The loss that Hinge averages.
#include "hinge.h"

#include "../losses/hinge.h"

namespace cornu::metrics {

HingeMetric::HingeMetric(HingeConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::Hinge({.reduction = "none", .dtype = dtype()}).shared();
}

void register_hinge(Catalog& c) { c.add<HingeMetric>("keras.metrics.Hinge"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::HingeMetric, metrics::HingeConfig, metrics::LossMean>;
}
