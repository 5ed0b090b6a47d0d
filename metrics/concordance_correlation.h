// ConcordanceCorrelation: how well predictions follow targets.
#pragma once
#include "../losses/region_axes.h"
#include "mean_of.h"

namespace cornu::metrics {

/// Options of ConcordanceCorrelation, as in Keras.
struct ConcordanceCorrelationConfig {
  std::string name = "concordance_correlation";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
  losses::RegionAxes axis = -1;  ///< axis, or axes, along which the correlation is taken
};

/// The mean over samples of mean(2 (t - mean(p)) (p - mean(p))) / (var(t) + var(p) + (mean(t) -
/// mean(p))^2 + 1e-7) along `axis`: correlation that a shift or another scale lowers. Lin 1989.
class ConcordanceCorrelationMetric
    : public MetricOf<ConcordanceCorrelationMetric, ConcordanceCorrelationConfig, MeanOf> {
 public:
  /// Begins with no data; `values` checks the axis.
  explicit ConcordanceCorrelationMetric(ConcordanceCorrelationConfig c = {});
  /// The correlations along `axis`, which is gone.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared ConcordanceCorrelationMetric, made from its options.
using ConcordanceCorrelation = Ref<ConcordanceCorrelationMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::ConcordanceCorrelationMetric,
                               metrics::ConcordanceCorrelationConfig, metrics::MeanOf>;
}
