// What FalseNegatives counts.
#include "false_negatives.h"

#include "../framework/ops/operators.h"

namespace cornu::metrics {

FalseNegativesMetric::FalseNegativesMetric(FalseNegativesConfig c) : MetricOf(std::move(c)) {
  set([](const Confusion& now) { return now.positives - now.true_positives; }, config.thresholds);
}

void register_false_negatives(Catalog& c) {
  c.add<FalseNegativesMetric>("keras.metrics.FalseNegatives");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::FalseNegativesMetric, metrics::FalseNegativesConfig,
                        metrics::ConfusionCount>;
}
