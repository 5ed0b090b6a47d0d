// BinaryFocalCrossentropy: crossentropy of yes-or-no targets that leaves easy ones aside.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

struct BinaryFocalCrossentropyConfig {
  bool apply_class_balancing = false;
  double alpha = 0.25;
  double gamma = 2.0;
  bool from_logits = false;
  double label_smoothing = 0.0;
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "binary_focal_crossentropy";
  std::optional<DType> dtype = {};
};

/// The mean over `axis` of (1 - q)^gamma times the binary crossentropy, where p are y_pred or, with
/// from_logits, sigmoid(y_pred), and q = t p + (1 - t)(1 - p) is the probability of the target.
/// With apply_class_balancing each element weighs alpha where the target is 1, else 1 - alpha.
/// Label smoothing moves targets toward 1/2. Shapes must be equal. Lin et al. 2018,
/// https://arxiv.org/abs/1708.02002.
class BinaryFocalCrossentropyLoss
    : public LossOf<BinaryFocalCrossentropyLoss, BinaryFocalCrossentropyConfig, PairwiseLoss> {
 public:
  explicit BinaryFocalCrossentropyLoss(BinaryFocalCrossentropyConfig c);
};

using BinaryFocalCrossentropy = Ref<BinaryFocalCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::BinaryFocalCrossentropyLoss,
                             losses::BinaryFocalCrossentropyConfig, losses::PairwiseLoss>;
}
