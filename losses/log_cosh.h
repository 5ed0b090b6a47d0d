// LogCosh: mean of log(cosh(y_pred - y_true)).
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of LogCosh, as in Keras.
struct LogCoshConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "log_cosh";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};       ///< dtype to compute in; none: float32
};

/// The mean of log(cosh(y_pred - y_true)) over the last axis: about x^2 / 2 for small x and |x| -
/// log(2) for large.
class LogCoshLoss : public LossOf<LogCoshLoss, LogCoshConfig, PairwiseLoss> {
 public:
  explicit LogCoshLoss(LogCoshConfig c);  ///< throws ValueError for an unknown reduction
};

using LogCosh = Ref<LogCoshLoss>;  ///< a shared LogCoshLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::LogCoshLoss, losses::LogCoshConfig, losses::PairwiseLoss>;
}
