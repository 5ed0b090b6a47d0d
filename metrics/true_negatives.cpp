// What TrueNegatives counts.
#include "true_negatives.h"

#include "../framework/ops/operators.h"

namespace cornu::metrics {

TrueNegativesMetric::TrueNegativesMetric(TrueNegativesConfig c) : MetricOf(std::move(c)) {
  set([](const Confusion& now) { return now.negatives - now.false_positives; }, config.thresholds);
}

void register_true_negatives(Catalog& c) {
  c.add<TrueNegativesMetric>("keras.metrics.TrueNegatives");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::TrueNegativesMetric, metrics::TrueNegativesConfig,
                        metrics::ConfusionCount>;
}
