// Huber: squares near zero, absolute values beyond.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of Huber, as in Keras.
struct HuberConfig {
  double delta = 1.0;  ///< error at which squares turn into absolute values
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "huber_loss";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};         ///< dtype to compute in; none: float32
};

/// With x = y_pred - y_true the mean over the last axis of x^2 / 2 where |x| <= delta, else delta
/// |x| - delta^2 / 2.
class HuberLoss : public LossOf<HuberLoss, HuberConfig, PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit HuberLoss(HuberConfig c);
  /// As Keras, without `delta` unless it is not 1.
  Value::Dict get_config() const override;
};

using Huber = Ref<HuberLoss>;  ///< a shared HuberLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::HuberLoss, losses::HuberConfig, losses::PairwiseLoss>;
}
