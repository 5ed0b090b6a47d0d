// The loss that LogCoshError averages.
#include "log_cosh_error.h"

#include "../losses/log_cosh.h"

namespace cornu::metrics {

LogCoshErrorMetric::LogCoshErrorMetric(LogCoshErrorConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::LogCosh({.reduction = "none", .dtype = dtype()}).shared();
}

void register_log_cosh_error(Catalog& c) {
  c.add<LogCoshErrorMetric>("keras.metrics.LogCoshError");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::LogCoshErrorMetric, metrics::LogCoshErrorConfig,
                        metrics::LossMean>;
}
