// The rates of RecallAtPrecision.
#include "recall_at_precision.h"

namespace cornu::metrics {

RecallAtPrecisionMetric::RecallAtPrecisionMetric(RecallAtPrecisionConfig c)
    : MetricOf(std::move(c)) {
  set(Rate::sensitivity, Rate::precision, "precision", *config.precision, config.num_thresholds,
      config.class_id);
}

void register_recall_at_precision(Catalog& c) {
  c.add<RecallAtPrecisionMetric>("keras.metrics.RecallAtPrecision");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::RecallAtPrecisionMetric, metrics::RecallAtPrecisionConfig,
                        metrics::BestAt>;
}
