// BinaryCrossentropy: of yes-or-no targets.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// Options of BinaryCrossentropy, as in Keras.
struct BinaryCrossentropyConfig {
  bool from_logits = false;      ///< y_pred are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]: how far targets move toward 1/2
  int64_t axis = -1;             ///< axis over which the mean is taken
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "binary_crossentropy";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                  ///< dtype to compute in; none: float32
};

/// The mean over `axis` of -(t log(p) + (1 - t) log(1 - p)), where p are y_pred limited to [1e-7, 1
/// - 1e-7] or, with from_logits, sigmoid(y_pred). Label smoothing moves targets toward 1/2. Shapes
/// must be equal.
class BinaryCrossentropyLoss
    : public LossOf<BinaryCrossentropyLoss, BinaryCrossentropyConfig, PairwiseLoss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit BinaryCrossentropyLoss(BinaryCrossentropyConfig c);
};

/// A shared BinaryCrossentropyLoss, made from its options.
using BinaryCrossentropy = Ref<BinaryCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::BinaryCrossentropyLoss, losses::BinaryCrossentropyConfig,
                             losses::PairwiseLoss>;
}
