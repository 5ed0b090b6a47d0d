// CosineSimilarity: the cosine of the angle between vectors.
#pragma once
#include "mean_of.h"

namespace cornu::metrics {

/// Options of CosineSimilarity, as in Keras.
struct CosineSimilarityConfig {
  std::string name = "cosine_similarity";  ///< name of the metric in logs
  OptionalDType dtype = {};                ///< dtype of the state and of the result; none: float32
  int64_t axis = -1;                       ///< axis of the vectors' elements
};

/// The mean over samples of sum(y_true * y_pred) / (|y_true| |y_pred|) along `axis`: 1 for equal
/// directions (of which the loss of that name is the negative).
class CosineSimilarityMetric
    : public MetricOf<CosineSimilarityMetric, CosineSimilarityConfig, MeanOf> {
 public:
  /// Makes the loss; `values` checks the axis.
  explicit CosineSimilarityMetric(CosineSimilarityConfig c = {});
  /// The cosines along `axis`, which is gone.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
  /// As Keras, without `axis` unless it is not -1.
  Value::Dict get_config() const override;

 private:
  std::shared_ptr<Loss> loss_;
};

/// A shared CosineSimilarityMetric, made from its options.
using CosineSimilarity = Ref<CosineSimilarityMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::CosineSimilarityMetric, metrics::CosineSimilarityConfig,
                               metrics::MeanOf>;
}
