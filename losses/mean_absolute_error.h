// MeanAbsoluteError: mean of |y_true - y_pred|.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of MeanAbsoluteError, as in Keras.
struct MeanAbsoluteErrorConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "mean_absolute_error";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                  ///< dtype to compute in; none: float32
};

/// The mean of |y_true - y_pred| over the last axis.
class MeanAbsoluteErrorLoss
    : public LossOf<MeanAbsoluteErrorLoss, MeanAbsoluteErrorConfig, PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit MeanAbsoluteErrorLoss(MeanAbsoluteErrorConfig c);
};

/// A shared MeanAbsoluteErrorLoss, made from its options.
using MeanAbsoluteError = Ref<MeanAbsoluteErrorLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::MeanAbsoluteErrorLoss, losses::MeanAbsoluteErrorConfig,
                             losses::PairwiseLoss>;
}
