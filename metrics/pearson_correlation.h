// PearsonCorrelation: how well predictions follow targets.
#pragma once
#include "../losses/region_axes.h"
#include "mean_of.h"

namespace cornu::metrics {

/// Options of PearsonCorrelation, as in Keras.
struct PearsonCorrelationConfig {
  std::string name = "pearson_correlation";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
  losses::RegionAxes axis = -1;  ///< axis, or axes, along which the correlation is taken
};

/// The mean over samples of the correlation of y_true and y_pred along `axis`: the mean product of
/// both after their mean is taken off and their standard deviation divided out. NaN where one of
/// them is constant.
class PearsonCorrelationMetric
    : public MetricOf<PearsonCorrelationMetric, PearsonCorrelationConfig, MeanOf> {
 public:
  /// Begins with no data; `values` checks the axis.
  explicit PearsonCorrelationMetric(PearsonCorrelationConfig c = {});
  /// The correlations along `axis`, which is gone.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared PearsonCorrelationMetric, made from its options.
using PearsonCorrelation = Ref<PearsonCorrelationMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::PearsonCorrelationMetric, metrics::PearsonCorrelationConfig,
                               metrics::MeanOf>;
}
