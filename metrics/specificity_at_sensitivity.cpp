// The rates of SpecificityAtSensitivity.
#include "specificity_at_sensitivity.h"

namespace cornu::metrics {

SpecificityAtSensitivityMetric::SpecificityAtSensitivityMetric(SpecificityAtSensitivityConfig c)
    : MetricOf(std::move(c)) {
  set(Rate::specificity, Rate::sensitivity, "sensitivity", *config.sensitivity,
      config.num_thresholds, config.class_id);
}

void register_specificity_at_sensitivity(Catalog& c) {
  c.add<SpecificityAtSensitivityMetric>("keras.metrics.SpecificityAtSensitivity");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SpecificityAtSensitivityMetric,
                        metrics::SpecificityAtSensitivityConfig, metrics::BestAt>;
}
