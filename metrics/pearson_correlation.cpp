// What PearsonCorrelation averages.
#include "pearson_correlation.h"

#include "../framework/ops/core/cast.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

PearsonCorrelationMetric::PearsonCorrelationMetric(PearsonCorrelationConfig c)
    : MetricOf(std::move(c)) {}

Tensor PearsonCorrelationMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  const auto [targets, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const Tensor t = targets.dtype() == p.dtype() ? targets : ops::cast(targets, p.dtype());
  const auto standard = [&](const Tensor& x) {
    const Tensor centered = x - ops::mean(x, config.axis, true);
    return centered / ops::std(centered, config.axis, true);
  };
  return ops::mean(standard(t) * standard(p), config.axis);
}

void register_pearson_correlation(Catalog& c) {
  c.add<PearsonCorrelationMetric>("keras.metrics.PearsonCorrelation");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::PearsonCorrelationMetric, metrics::PearsonCorrelationConfig,
                        metrics::MeanOf>;
}
