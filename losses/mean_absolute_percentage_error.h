// MeanAbsolutePercentageError: mean of 100 |y_true - y_pred| / |y_true|.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of MeanAbsolutePercentageError, as in Keras.
struct MeanAbsolutePercentageErrorConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "mean_absolute_percentage_error";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                             ///< dtype to compute in; none: float32
};

/// The mean of 100 |y_true - y_pred| / max(|y_true|, 1e-7) over the last axis.
class MeanAbsolutePercentageErrorLoss
    : public LossOf<MeanAbsolutePercentageErrorLoss, MeanAbsolutePercentageErrorConfig,
                    PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit MeanAbsolutePercentageErrorLoss(MeanAbsolutePercentageErrorConfig c);
};

/// A shared MeanAbsolutePercentageErrorLoss, made from its options.
using MeanAbsolutePercentageError = Ref<MeanAbsolutePercentageErrorLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::MeanAbsolutePercentageErrorLoss,
                             losses::MeanAbsolutePercentageErrorConfig, losses::PairwiseLoss>;
}
