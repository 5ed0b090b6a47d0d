// The loss that MeanSquaredLogarithmicError averages.
#include "mean_squared_logarithmic_error.h"

#include "../losses/mean_squared_logarithmic_error.h"

namespace cornu::metrics {

MeanSquaredLogarithmicErrorMetric::MeanSquaredLogarithmicErrorMetric(
    MeanSquaredLogarithmicErrorConfig c)
    : MetricOf(std::move(c)) {
  loss_ = losses::MeanSquaredLogarithmicError({.reduction = "none", .dtype = dtype()}).shared();
}

void register_mean_squared_logarithmic_error(Catalog& c) {
  c.add<MeanSquaredLogarithmicErrorMetric>("keras.metrics.MeanSquaredLogarithmicError");
  c.add_alias("keras.metrics", "msle", "MeanSquaredLogarithmicError");
  c.add_alias("keras.metrics", "MSLE", "MeanSquaredLogarithmicError");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::MeanSquaredLogarithmicErrorMetric,
                        metrics::MeanSquaredLogarithmicErrorConfig, metrics::LossMean>;
}
