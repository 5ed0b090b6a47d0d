// Squares, and the root of their mean.
#include "root_mean_squared_error.h"

#include "../framework/ops/elementwise.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

RootMeanSquaredErrorMetric::RootMeanSquaredErrorMetric(RootMeanSquaredErrorConfig c)
    : MetricOf(std::move(c)) {}

Tensor RootMeanSquaredErrorMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  return fused([](Expr t, Expr p) { return expr::square(t - p); }, t, p);
}

MeanOf::Batch RootMeanSquaredErrorMetric::batch(const Tensor& y_true, const Tensor& y_pred) {
  static const backend::ProgramRef square = backend::Program::make(
      2, [](const std::vector<Expr>& x) { return std::vector<Expr>{expr::square(x[0] - x[1])}; });
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  if (t.shape() != p.shape() || p.size() == 0) return {};
  const Tensor inputs[] = {t, p};
  return {reduce_program(square, inputs, {}, 1.0 / static_cast<double>(p.size()), dtype(),
                         name().c_str()),
          p.rank() ? p.shape()[0] : 1};
}

Tensor RootMeanSquaredErrorMetric::result() { return ops::sqrt(MeanOf::result()); }

void register_root_mean_squared_error(Catalog& c) {
  c.add<RootMeanSquaredErrorMetric>("keras.metrics.RootMeanSquaredError");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::RootMeanSquaredErrorMetric, metrics::RootMeanSquaredErrorConfig,
                        metrics::MeanOf>;
}
