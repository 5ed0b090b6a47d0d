// Hinge: mean of max(1 - y_true * y_pred, 0).
#pragma once
#include "signed_targets.h"

namespace cornu::losses {

/// Options of Hinge, as in Keras.
struct HingeConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "hinge";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};    ///< dtype to compute in; none: float32
};

/// The mean of max(1 - y_true * y_pred, 0) over the last axis. Targets are -1 and 1; when all of
/// them are 0 or 1, a 0 counts as -1.
class HingeLoss : public LossOf<HingeLoss, HingeConfig, PairwiseLoss> {
 public:
  explicit HingeLoss(HingeConfig c);  ///< throws ValueError for an unknown reduction

 private:
  Tensor targets(const Tensor& y_true) override { return signed_targets(y_true); }
};

using Hinge = Ref<HingeLoss>;  ///< a shared HingeLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::HingeLoss, losses::HingeConfig, losses::PairwiseLoss>;
}
