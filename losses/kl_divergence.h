// KLDivergence: sum of y_true * log(y_true / y_pred).
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

struct KLDivergenceConfig {
  std::string reduction = "sum_over_batch_size";
  std::string name = "kl_divergence";
  std::optional<DType> dtype = {};
};

/// The sum of y_true * log(y_true / y_pred) over the last axis, with both limited to [1e-7, 1].
class KLDivergenceLoss : public LossOf<KLDivergenceLoss, KLDivergenceConfig, PairwiseLoss> {
 public:
  explicit KLDivergenceLoss(KLDivergenceConfig c);
};

using KLDivergence = Ref<KLDivergenceLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::KLDivergenceLoss, losses::KLDivergenceConfig,
                             losses::PairwiseLoss>;
}
