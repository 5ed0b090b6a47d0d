// The rates of SensitivityAtSpecificity.
#include "sensitivity_at_specificity.h"

namespace cornu::metrics {

SensitivityAtSpecificityMetric::SensitivityAtSpecificityMetric(SensitivityAtSpecificityConfig c)
    : MetricOf(std::move(c)) {
  set(Rate::sensitivity, Rate::specificity, "specificity", *config.specificity,
      config.num_thresholds, config.class_id);
}

void register_sensitivity_at_specificity(Catalog& c) {
  c.add<SensitivityAtSpecificityMetric>("keras.metrics.SensitivityAtSpecificity");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SensitivityAtSpecificityMetric,
                        metrics::SensitivityAtSpecificityConfig, metrics::BestAt>;
}
