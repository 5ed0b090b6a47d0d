// Poisson: mean of y_pred - y_true * log(y_pred).
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

struct PoissonConfig {
  std::string reduction = "sum_over_batch_size";
  std::string name = "poisson";
  std::optional<DType> dtype = {};
};

/// The mean of y_pred - y_true * log(y_pred + 1e-7) over the last axis.
class PoissonLoss : public LossOf<PoissonLoss, PoissonConfig, PairwiseLoss> {
 public:
  explicit PoissonLoss(PoissonConfig c);
};

using Poisson = Ref<PoissonLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::PoissonLoss, losses::PoissonConfig, losses::PairwiseLoss>;
}
