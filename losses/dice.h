// Dice: how far two regions are from covering each other.
#pragma once
#include "region_axes.h"

namespace cornu::losses {

/// Options of Dice, as in Keras.
struct DiceConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "dice";  ///< name of the loss in logs and errors
  RegionAxes axis = {};       ///< axes over which a region extends; none: all
  OptionalDType dtype = {};   ///< dtype to compute in; none: float32
};

/// 1 - 2 sum(y_true * y_pred) / (sum(y_true) + sum(y_pred) + 1e-7) over `axis` (all by default,
/// which gives one number for the batch).
class DiceLoss : public LossOf<DiceLoss, DiceConfig> {
 public:
  explicit DiceLoss(DiceConfig c);  ///< throws ValueError for an unknown reduction
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
};

using Dice = Ref<DiceLoss>;  ///< a shared DiceLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::DiceLoss, losses::DiceConfig>;
}
