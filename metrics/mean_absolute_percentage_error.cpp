// The loss that MeanAbsolutePercentageError averages.
#include "mean_absolute_percentage_error.h"

#include "../losses/mean_absolute_percentage_error.h"

namespace cornu::metrics {

MeanAbsolutePercentageErrorMetric::MeanAbsolutePercentageErrorMetric(
    MeanAbsolutePercentageErrorConfig c)
    : MetricOf(std::move(c)) {
  loss_ = losses::MeanAbsolutePercentageError({.reduction = "none", .dtype = dtype()}).shared();
}

void register_mean_absolute_percentage_error(Catalog& c) {
  c.add<MeanAbsolutePercentageErrorMetric>("keras.metrics.MeanAbsolutePercentageError");
  c.add_alias("keras.metrics", "mape", "MeanAbsolutePercentageError");
  c.add_alias("keras.metrics", "MAPE", "MeanAbsolutePercentageError");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::MeanAbsolutePercentageErrorMetric,
                        metrics::MeanAbsolutePercentageErrorConfig, metrics::LossMean>;
}
