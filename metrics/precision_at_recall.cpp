// The rates of PrecisionAtRecall.
#include "precision_at_recall.h"

namespace cornu::metrics {

PrecisionAtRecallMetric::PrecisionAtRecallMetric(PrecisionAtRecallConfig c)
    : MetricOf(std::move(c)) {
  set(Rate::precision, Rate::sensitivity, "recall", *config.recall, config.num_thresholds,
      config.class_id);
}

void register_precision_at_recall(Catalog& c) {
  c.add<PrecisionAtRecallMetric>("keras.metrics.PrecisionAtRecall");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::PrecisionAtRecallMetric, metrics::PrecisionAtRecallConfig,
                        metrics::BestAt>;
}
