// MeanSquaredError: mean of (y_true - y_pred)^2.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of MeanSquaredError, as in Keras.
struct MeanSquaredErrorConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "mean_squared_error";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                 ///< dtype to compute in; none: float32
};

/// The mean of (y_true - y_pred)^2 over the last axis.
class MeanSquaredErrorLoss
    : public LossOf<MeanSquaredErrorLoss, MeanSquaredErrorConfig, PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit MeanSquaredErrorLoss(MeanSquaredErrorConfig c);
};

/// A shared MeanSquaredErrorLoss, made from its options.
using MeanSquaredError = Ref<MeanSquaredErrorLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::MeanSquaredErrorLoss, losses::MeanSquaredErrorConfig,
                             losses::PairwiseLoss>;
}
