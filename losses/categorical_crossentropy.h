// CategoricalCrossentropy: of targets that are probabilities of classes.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of CategoricalCrossentropy, as in Keras.
struct CategoricalCrossentropyConfig {
  bool from_logits = false;      ///< y_pred are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]: how far targets move toward equal probabilities
  int64_t axis = -1;             ///< axis of the classes
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_crossentropy";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                       ///< dtype to compute in; none: float32
};

/// -sum(y_true * log(p)) along `axis`, where p are y_pred divided by their sum and limited to
/// [1e-7, 1 - 1e-7] or, with from_logits, softmax(y_pred). Label smoothing moves targets toward
/// equal probabilities. y_true and y_pred have the same shape. Throws ShapeError for other shapes.
class CategoricalCrossentropyLoss
    : public LossOf<CategoricalCrossentropyLoss, CategoricalCrossentropyConfig, Loss> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit CategoricalCrossentropyLoss(CategoricalCrossentropyConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  Tensor total(const Tensor& y_true, const Tensor& y_pred, bool mean) override;

 private:
  Tensor run(const Tensor& y_true, const Tensor& y_pred, bool whole, bool mean);
};

/// A shared CategoricalCrossentropyLoss, made from its options.
using CategoricalCrossentropy = Ref<CategoricalCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CategoricalCrossentropyLoss,
                             losses::CategoricalCrossentropyConfig, Loss>;
}
