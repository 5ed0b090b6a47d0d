// CosineSimilarity: minus the cosine of the angle between vectors.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of CosineSimilarity, as in Keras.
struct CosineSimilarityConfig {
  int64_t axis = -1;  ///< axis of the vectors' elements
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "cosine_similarity";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                ///< dtype to compute in; none: float32
};

/// -sum(y_true * y_pred) / (|y_true| |y_pred|) along `axis`: -1 for equal directions, 1 for
/// opposite ones, 0 where a vector is zero.
class CosineSimilarityLoss : public LossOf<CosineSimilarityLoss, CosineSimilarityConfig, Loss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit CosineSimilarityLoss(CosineSimilarityConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  /// As Keras, without `axis` unless it is not -1.
  Value::Dict get_config() const override;
};

/// A shared CosineSimilarityLoss, made from its options.
using CosineSimilarity = Ref<CosineSimilarityLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CosineSimilarityLoss, losses::CosineSimilarityConfig, Loss>;
}
