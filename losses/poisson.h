// Poisson: mean of y_pred - y_true * log(y_pred).
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of Poisson, as in Keras.
struct PoissonConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "poisson";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};      ///< dtype to compute in; none: float32
};

/// The mean of y_pred - y_true * log(y_pred + 1e-7) over the last axis.
class PoissonLoss : public LossOf<PoissonLoss, PoissonConfig, PairwiseLoss> {
 public:
  explicit PoissonLoss(PoissonConfig c);  ///< throws ValueError for an unknown reduction
};

using Poisson = Ref<PoissonLoss>;  ///< a shared PoissonLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::PoissonLoss, losses::PoissonConfig, losses::PairwiseLoss>;
}
