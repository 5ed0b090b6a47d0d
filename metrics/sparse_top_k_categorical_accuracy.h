// SparseTopKCategoricalAccuracy: how often the right class is among the k most probable.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of SparseTopKCategoricalAccuracy, as in Keras.
struct SparseTopKCategoricalAccuracyConfig {
  int64_t k = 5;  ///< number of largest predictions that count
  /// Name of the metric in logs.
  std::string name = "sparse_top_k_categorical_accuracy";
  OptionalDType dtype = {};      ///< dtype of the state and of the result; none: float32
  bool from_sorted_ids = false;  ///< y_pred are class numbers, best first
};

/// The fraction of samples whose class y_true is among the k largest of y_pred or, with
/// from_sorted_ids, among the first k of y_pred, which then are class numbers.
class SparseTopKCategoricalAccuracyMetric
    : public MetricOf<SparseTopKCategoricalAccuracyMetric, SparseTopKCategoricalAccuracyConfig,
                      MeanOf> {
 public:
  /// Begins with no data; k is not checked.
  explicit SparseTopKCategoricalAccuracyMetric(SparseTopKCategoricalAccuracyConfig c = {});
  /// As Keras, without `from_sorted_ids` unless it is true.
  Value::Dict get_config() const override;

 protected:
  /// Whether the class is among the k: the shape of y_pred without its last axis.
  Tensor values(const Tensor& targets, const Tensor& y_pred) override;
};

/// A shared SparseTopKCategoricalAccuracyMetric, made from its options.
using SparseTopKCategoricalAccuracy = Ref<SparseTopKCategoricalAccuracyMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::SparseTopKCategoricalAccuracyMetric,
                               metrics::SparseTopKCategoricalAccuracyConfig, metrics::MeanOf>;
}
