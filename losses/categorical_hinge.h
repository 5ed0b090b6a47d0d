// CategoricalHinge: the best wrong class against the right one.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of CategoricalHinge, as in Keras.
struct CategoricalHingeConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_hinge";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                ///< dtype to compute in; none: float32
};

/// max(neg - pos + 1, 0) along the last axis, with pos = sum(y_true * y_pred) and neg = max((1 -
/// y_true) * y_pred).
class CategoricalHingeLoss : public LossOf<CategoricalHingeLoss, CategoricalHingeConfig, Loss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit CategoricalHingeLoss(CategoricalHingeConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared CategoricalHingeLoss, made from its options.
using CategoricalHinge = Ref<CategoricalHingeLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CategoricalHingeLoss, losses::CategoricalHingeConfig, Loss>;
}
