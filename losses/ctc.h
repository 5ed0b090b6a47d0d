// CTC: of sequences of labels whose places in time are not known.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of CTC, as in Keras.
struct CTCConfig {
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "ctc";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};  ///< dtype to compute in; none: float32
};

/// -log of the probability that a sequence of classes, without repetitions and then without class
/// 0, is the labels: y_true (batch, labels) class numbers filled up with 0 at the end, y_pred
/// (batch, time, classes) logits. Infinite where the labels do not fit into the time. Throws
/// ShapeError for other ranks. Graves et al. 2006.
class CTCLoss : public LossOf<CTCLoss, CTCConfig> {
 public:
  explicit CTCLoss(CTCConfig c);  ///< throws ValueError for an unknown reduction
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
};

using CTC = Ref<CTCLoss>;  ///< a shared CTCLoss, made from its options

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CTCLoss, losses::CTCConfig>;
}
