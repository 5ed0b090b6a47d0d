// MeanSquaredLogarithmicError: mean of (log(y_true + 1) - log(y_pred + 1))^2.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of MeanSquaredLogarithmicError, as in Keras.
struct MeanSquaredLogarithmicErrorConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "mean_squared_logarithmic_error";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                             ///< dtype to compute in; none: float32
};

/// The mean of (log(y_true + 1) - log(y_pred + 1))^2 over the last axis; values below 1e-7 count as
/// 1e-7.
class MeanSquaredLogarithmicErrorLoss
    : public LossOf<MeanSquaredLogarithmicErrorLoss, MeanSquaredLogarithmicErrorConfig,
                    PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit MeanSquaredLogarithmicErrorLoss(MeanSquaredLogarithmicErrorConfig c);
};

/// A shared MeanSquaredLogarithmicErrorLoss, made from its options.
using MeanSquaredLogarithmicError = Ref<MeanSquaredLogarithmicErrorLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::MeanSquaredLogarithmicErrorLoss,
                             losses::MeanSquaredLogarithmicErrorConfig, losses::PairwiseLoss>;
}
