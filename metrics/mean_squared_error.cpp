// The loss that MeanSquaredError averages.
#include "mean_squared_error.h"

#include "../losses/mean_squared_error.h"

namespace cornu::metrics {

MeanSquaredErrorMetric::MeanSquaredErrorMetric(MeanSquaredErrorConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::MeanSquaredError({.reduction = "none", .dtype = dtype()}).shared();
}

void register_mean_squared_error(Catalog& c) {
  c.add<MeanSquaredErrorMetric>("keras.metrics.MeanSquaredError");
  c.add_alias("keras.metrics", "mse", "MeanSquaredError");
  c.add_alias("keras.metrics", "MSE", "MeanSquaredError");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::MeanSquaredErrorMetric, metrics::MeanSquaredErrorConfig,
                        metrics::LossMean>;
}
