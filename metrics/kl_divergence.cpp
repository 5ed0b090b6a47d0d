// The loss that KLDivergence averages.
#include "kl_divergence.h"

#include "../losses/kl_divergence.h"

namespace cornu::metrics {

KLDivergenceMetric::KLDivergenceMetric(KLDivergenceConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::KLDivergence({.reduction = "none", .dtype = dtype()}).shared();
}

void register_kl_divergence(Catalog& c) { c.add<KLDivergenceMetric>("keras.metrics.KLDivergence"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::KLDivergenceMetric, metrics::KLDivergenceConfig,
                        metrics::LossMean>;
}
