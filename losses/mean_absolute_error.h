// MeanAbsoluteError: mean of |y_true - y_pred|.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

struct MeanAbsoluteErrorConfig {
  std::string reduction = "sum_over_batch_size";
  std::string name = "mean_absolute_error";
  std::optional<DType> dtype = {};
};

/// The mean of |y_true - y_pred| over the last axis.
class MeanAbsoluteErrorLoss
    : public LossOf<MeanAbsoluteErrorLoss, MeanAbsoluteErrorConfig, PairwiseLoss> {
 public:
  explicit MeanAbsoluteErrorLoss(MeanAbsoluteErrorConfig c);
};

using MeanAbsoluteError = Ref<MeanAbsoluteErrorLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::MeanAbsoluteErrorLoss, losses::MeanAbsoluteErrorConfig,
                             losses::PairwiseLoss>;
}
