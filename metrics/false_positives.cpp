// What FalsePositives counts.
#include "false_positives.h"

#include "../framework/ops/operators.h"

namespace cornu::metrics {

FalsePositivesMetric::FalsePositivesMetric(FalsePositivesConfig c) : MetricOf(std::move(c)) {
  set([](const Confusion& now) { return now.false_positives; }, config.thresholds);
}

void register_false_positives(Catalog& c) {
  c.add<FalsePositivesMetric>("keras.metrics.FalsePositives");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::FalsePositivesMetric, metrics::FalsePositivesConfig,
                        metrics::ConfusionCount>;
}
