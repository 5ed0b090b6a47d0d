// TopKCategoricalAccuracy: how often the right class is among the k most probable.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of TopKCategoricalAccuracy, as in Keras.
struct TopKCategoricalAccuracyConfig {
  int64_t k = 5;                                    ///< number of largest predictions that count
  std::string name = "top_k_categorical_accuracy";  ///< name of the metric in logs
  /// Dtype of the state and of the result; none: float32.
  OptionalDType dtype = {};
};

/// The fraction of samples whose class, the largest of y_true, is among the k largest of y_pred.
class TopKCategoricalAccuracyMetric
    : public MetricOf<TopKCategoricalAccuracyMetric, TopKCategoricalAccuracyConfig, MeanOf> {
 public:
  /// Begins with no data; k is not checked.
  explicit TopKCategoricalAccuracyMetric(TopKCategoricalAccuracyConfig c = {});

 protected:
  /// Whether the class is among the k: the shape of y_pred without its last axis.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared TopKCategoricalAccuracyMetric, made from its options.
using TopKCategoricalAccuracy = Ref<TopKCategoricalAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::TopKCategoricalAccuracyMetric,
                               metrics::TopKCategoricalAccuracyConfig, metrics::MeanOf>;
}
