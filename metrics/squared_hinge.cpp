// The loss that SquaredHinge averages.
#include "squared_hinge.h"

#include "../losses/squared_hinge.h"

namespace cornu::metrics {

SquaredHingeMetric::SquaredHingeMetric(SquaredHingeConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::SquaredHinge({.reduction = "none", .dtype = dtype()}).shared();
}

void register_squared_hinge(Catalog& c) { c.add<SquaredHingeMetric>("keras.metrics.SquaredHinge"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SquaredHingeMetric, metrics::SquaredHingeConfig,
                        metrics::LossMean>;
}
