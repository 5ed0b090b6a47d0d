// CategoricalGeneralizedCrossEntropy: between crossentropy and absolute error, for noisy labels.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of CategoricalGeneralizedCrossEntropy, as in Keras.
struct CategoricalGeneralizedCrossEntropyConfig {
  double q = 0.5;  ///< in (0, 1): near 0 as crossentropy, near 1 as absolute error
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  /// Name of the loss in logs and errors.
  std::string name = "categorical_generalized_cross_entropy";
  OptionalDType dtype = {};  ///< dtype to compute in; none: float32
};

/// (1 - p^q) / q of the probability p that y_pred (..., classes) has at the class y_true (...); a
/// number that is no class counts as probability 0. Throws ValueError unless q is in (0, 1). Zhang
/// and Sabuncu 2018, https://arxiv.org/abs/1805.07836.
class CategoricalGeneralizedCrossEntropyLoss
    : public LossOf<CategoricalGeneralizedCrossEntropyLoss,
                    CategoricalGeneralizedCrossEntropyConfig> {
 public:
  /// Throws ValueError for an unknown reduction or a q outside (0, 1).
  explicit CategoricalGeneralizedCrossEntropyLoss(CategoricalGeneralizedCrossEntropyConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
};

/// A shared CategoricalGeneralizedCrossEntropyLoss, made from its options.
using CategoricalGeneralizedCrossEntropy = Ref<CategoricalGeneralizedCrossEntropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CategoricalGeneralizedCrossEntropyLoss,
                             losses::CategoricalGeneralizedCrossEntropyConfig>;
}
