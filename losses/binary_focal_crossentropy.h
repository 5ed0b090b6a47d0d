// BinaryFocalCrossentropy: crossentropy of yes-or-no targets that leaves easy ones aside.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of BinaryFocalCrossentropy, as in Keras.
struct BinaryFocalCrossentropyConfig {
  bool apply_class_balancing = false;  ///< weight elements by alpha
  /// Weight of elements with target 1; 1 - alpha: of those with target 0.
  double alpha = 0.25;
  double gamma = 2.0;            ///< exponent: how little easy elements count; 0: as much as others
  bool from_logits = false;      ///< y_pred are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]: how far targets move toward 1/2
  int64_t axis = -1;             ///< axis over which the mean is taken
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "binary_focal_crossentropy";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                        ///< dtype to compute in; none: float32
};

/// The mean over `axis` of (1 - q)^gamma times the binary crossentropy, where p are y_pred or, with
/// from_logits, sigmoid(y_pred), and q = t p + (1 - t)(1 - p) is the probability of the target.
/// With apply_class_balancing each element weighs alpha where the target is 1, else 1 - alpha.
/// Label smoothing moves targets toward 1/2. Shapes must be equal. Lin et al. 2018,
/// https://arxiv.org/abs/1708.02002.
class BinaryFocalCrossentropyLoss
    : public LossOf<BinaryFocalCrossentropyLoss, BinaryFocalCrossentropyConfig, PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit BinaryFocalCrossentropyLoss(BinaryFocalCrossentropyConfig c);
};

/// A shared BinaryFocalCrossentropyLoss, made from its options.
using BinaryFocalCrossentropy = Ref<BinaryFocalCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::BinaryFocalCrossentropyLoss,
                             losses::BinaryFocalCrossentropyConfig, losses::PairwiseLoss>;
}
