// CategoricalFocalCrossentropy: crossentropy of classes that leaves easy samples aside.
#pragma once
#include "../framework/base/loss.h"
#include "class_weights.h"

namespace cornu::losses {

/// Options of CategoricalFocalCrossentropy, as in Keras.
struct CategoricalFocalCrossentropyConfig {
  ClassWeights alpha = 0.25;     ///< weight of all classes, or a list with one for each
  double gamma = 2.0;            ///< exponent: how little easy samples count; 0: as much as others
  bool from_logits = false;      ///< y_pred are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]: how far targets move toward equal probabilities
  int64_t axis = -1;             ///< axis of the classes
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_focal_crossentropy";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                             ///< dtype to compute in; none: float32
};

/// -sum(alpha (1 - p)^gamma y_true log(p)) along `axis`, where p are y_pred (or softmax(y_pred)
/// with from_logits) divided by their sum and limited to [1e-7, 1 - 1e-7]. A list of alpha is along
/// the last axis. Label smoothing moves targets toward equal probabilities. Throws ShapeError
/// unless y_true and y_pred have the same shape. Lin et al. 2018, https://arxiv.org/abs/1708.02002.
class CategoricalFocalCrossentropyLoss
    : public LossOf<CategoricalFocalCrossentropyLoss, CategoricalFocalCrossentropyConfig> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit CategoricalFocalCrossentropyLoss(CategoricalFocalCrossentropyConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;

 private:
  backend::ProgramRef program_;
};

/// A shared CategoricalFocalCrossentropyLoss, made from its options.
using CategoricalFocalCrossentropy = Ref<CategoricalFocalCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CategoricalFocalCrossentropyLoss,
                             losses::CategoricalFocalCrossentropyConfig>;
}
