// CategoricalCrossentropy: of targets that are probabilities of classes.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

struct CategoricalCrossentropyConfig {
  bool from_logits = false;
  double label_smoothing = 0.0;
  int64_t axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_crossentropy";
  std::optional<DType> dtype = {};
};

/// -sum(y_true * log(p)) along `axis`, where p are y_pred divided by their sum and limited to
/// [1e-7, 1 - 1e-7] or, with from_logits, softmax(y_pred). Label smoothing moves targets toward
/// equal probabilities. y_true and y_pred have the same shape.
class CategoricalCrossentropyLoss
    : public LossOf<CategoricalCrossentropyLoss, CategoricalCrossentropyConfig, Loss> {
 public:
  explicit CategoricalCrossentropyLoss(CategoricalCrossentropyConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  Tensor total(const Tensor& y_true, const Tensor& y_pred, bool mean) override;

 private:
  Tensor run(const Tensor& y_true, const Tensor& y_pred, bool whole, bool mean);
};

using CategoricalCrossentropy = Ref<CategoricalCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CategoricalCrossentropyLoss,
                             losses::CategoricalCrossentropyConfig, Loss>;
}
