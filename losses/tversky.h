// Tversky: Dice with weights for what is missed and what is added.
#pragma once
#include "region_axes.h"

namespace cornu::losses {

/// Options of Tversky, as in Keras.
struct TverskyConfig {
  double alpha = 0.5;  ///< weight of targets that are not predicted
  double beta = 0.5;   ///< weight of predictions that are no targets
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "tversky";  ///< name of the loss in logs and errors
  RegionAxes axis = {};          ///< axes over which a region extends; none: all
  OptionalDType dtype = {};      ///< dtype to compute in; none: float32
};

/// 1 - i / (i + alpha a + beta b + 1e-7) with i = sum(y_true * y_pred), a = sum(y_true (1 -
/// y_pred)), b = sum(y_pred (1 - y_true)) over `axis` (all by default, which gives one number for
/// the batch). Salehi et al. 2017, https://arxiv.org/abs/1706.05721.
class TverskyLoss : public LossOf<TverskyLoss, TverskyConfig> {
 public:
  explicit TverskyLoss(TverskyConfig c);  ///< throws ValueError for an unknown reduction
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
};

using Tversky = Ref<TverskyLoss>;  ///< a shared TverskyLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::TverskyLoss, losses::TverskyConfig>;
}
