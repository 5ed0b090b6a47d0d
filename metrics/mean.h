// Mean: the weighted mean of values.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of Mean, as in Keras.
struct MeanConfig {
  std::string name = "mean";  ///< name of the metric in logs
  OptionalDType dtype = {};   ///< dtype of the state and of the result; none: float32
};

/// The mean of values, weighted where weights are given: update_state(values) or
/// update_state(values, sample_weight). 0 before any data.
class MeanMetric : public MetricOf<MeanMetric, MeanConfig, MeanOf> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  explicit MeanMetric(MeanConfig c = {});  ///< begins with no data; there is nothing to check

  /// Weighs the values by sample_weight or, without it, by weight, which has their shape or their
  /// first axes.
  void update_state(const Tensor& values, const Tensor& sample_weight = {},
                    const Tensor& weight = {}) override;

 protected:
  Tensor values(const Tensor& values, const Tensor&) override { return values; }  ///< the values
};

using Mean = Ref<MeanMetric>;  ///< a shared MeanMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanMetric, metrics::MeanConfig, metrics::MeanOf>;
}
