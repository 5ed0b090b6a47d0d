// What ConcordanceCorrelation averages.
#include "concordance_correlation.h"

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

ConcordanceCorrelationMetric::ConcordanceCorrelationMetric(ConcordanceCorrelationConfig c)
    : MetricOf(std::move(c)) {}

Tensor ConcordanceCorrelationMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  const auto [targets, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const Tensor t = targets.dtype() == p.dtype() ? targets : ops::cast(targets, p.dtype());
  const Tensor t_mean = ops::mean(t, config.axis, true), p_mean = ops::mean(p, config.axis, true);
  const Tensor ratio = fused(
      [](Expr t, Expr p, Expr t_mean, Expr p_mean, Expr t_var, Expr p_var) {
        Expr norm = t_var + p_var + expr::square(t_mean - p_mean);
        return 2.0 * (t - p_mean) * (p - p_mean) / (norm + 1e-7);
      },
      t, p, t_mean, p_mean, ops::var(t - t_mean, config.axis, true),
      ops::var(p - p_mean, config.axis, true));
  return ops::mean(ratio, config.axis);
}

void register_concordance_correlation(Catalog& c) {
  c.add<ConcordanceCorrelationMetric>("keras.metrics.ConcordanceCorrelation");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::ConcordanceCorrelationMetric,
                        metrics::ConcordanceCorrelationConfig, metrics::MeanOf>;
}
