// Mean: the weighted mean of values.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

struct MeanConfig {
  std::string name = "mean";        ///< name of the metric in logs
  std::optional<DType> dtype = {};  ///< dtype of the state and of the result; none: float32
};

/// The mean of values, weighted where weights are given: update_state(values) or
/// update_state(values, sample_weight). 0 before any data.
class MeanMetric : public MetricOf<MeanMetric, MeanConfig, MeanOf> {
 public:
  explicit MeanMetric(MeanConfig c = {});
  void update_state(const Tensor& values, const Tensor& sample_weight = {},
                    const Tensor& weight = {}) override;

 protected:
  Tensor values(const Tensor& values, const Tensor&) override { return values; }
};

using Mean = Ref<MeanMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanMetric, metrics::MeanConfig, metrics::MeanOf>;
}
