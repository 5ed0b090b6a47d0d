// KLDivergence: sum of y_true * log(y_true / y_pred).
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of KLDivergence, as in Keras.
struct KLDivergenceConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "kl_divergence";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};            ///< dtype to compute in; none: float32
};

/// The sum of y_true * log(y_true / y_pred) over the last axis, with both limited to [1e-7, 1].
class KLDivergenceLoss : public LossOf<KLDivergenceLoss, KLDivergenceConfig, PairwiseLoss> {
 public:
  explicit KLDivergenceLoss(KLDivergenceConfig c);  ///< throws ValueError for an unknown reduction
};

using KLDivergence = Ref<KLDivergenceLoss>;  ///< a shared KLDivergenceLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::KLDivergenceLoss, losses::KLDivergenceConfig,
                             losses::PairwiseLoss>;
}
