// What TruePositives counts.
#include "true_positives.h"

#include "../framework/ops/operators.h"

namespace cornu::metrics {

TruePositivesMetric::TruePositivesMetric(TruePositivesConfig c) : MetricOf(std::move(c)) {
  set([](const Confusion& now) { return now.true_positives; }, config.thresholds);
}

void register_true_positives(Catalog& c) {
  c.add<TruePositivesMetric>("keras.metrics.TruePositives");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::TruePositivesMetric, metrics::TruePositivesConfig,
                        metrics::ConfusionCount>;
}
