// The loss that MeanAbsoluteError averages.
#include "mean_absolute_error.h"

#include "../losses/mean_absolute_error.h"

namespace cornu::metrics {

MeanAbsoluteErrorMetric::MeanAbsoluteErrorMetric(MeanAbsoluteErrorConfig c)
    : MetricOf(std::move(c)) {
  loss_ = losses::MeanAbsoluteError({.reduction = "none", .dtype = dtype()}).shared();
}

void register_mean_absolute_error(Catalog& c) {
  c.add<MeanAbsoluteErrorMetric>("keras.metrics.MeanAbsoluteError");
  c.add_alias("keras.metrics", "mae", "MeanAbsoluteError");
  c.add_alias("keras.metrics", "MAE", "MeanAbsoluteError");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::MeanAbsoluteErrorMetric, metrics::MeanAbsoluteErrorConfig,
                        metrics::LossMean>;
}
