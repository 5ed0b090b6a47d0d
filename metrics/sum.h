// Sum: the weighted sum of values.
#pragma once
#include "../framework/base/metric.h"

namespace cornu::metrics {

/// Options of Sum, as in Keras.
struct SumConfig {
  std::string name = "sum";  ///< name of the metric in logs
  OptionalDType dtype = {};  ///< dtype of the state and of the result; none: float32
};

/// The sum of values, weighted where weights are given: update_state(values) or
/// update_state(values, sample_weight).
class SumMetric : public MetricOf<SumMetric, SumConfig, Metric> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  explicit SumMetric(SumConfig c = {});  ///< the sum begins at 0; there is nothing to check
  void update_state(const Tensor& values, const Tensor& sample_weight = {},
                    const Tensor& weight = {}) override;
  Tensor result() override { return total_.value(); }

 private:
  Variable total_;
};

using Sum = Ref<SumMetric>;  ///< a shared SumMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SumMetric, metrics::SumConfig, Metric>;
}
