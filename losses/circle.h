// Circle: draws embeddings of one class together and those of different classes apart.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of Circle, as in Keras.
struct CircleConfig {
  double gamma = 80.0;  ///< scale of the similarities
  double margin = 0.4;  ///< distance that pairs of one class may keep; other classes: 1 - margin
  /// Do not compare a sample with itself.
  bool remove_diagonal = true;
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  std::string name = "circle";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};     ///< dtype to compute in; none: float32
};

/// What a circle loss compares with, where that is not the batch itself.
struct CircleReference {
  Tensor labels = {};      ///< (references), class numbers
  Tensor embeddings = {};  ///< (references, size)
};

/// With y_true (n) class numbers, y_pred (n, size) embeddings of length 1, and d the cosine
/// distances max(1 - cos, 0) between them: softplus(logsumexp(-gamma a (margin - d)) +
/// logsumexp(gamma b (1 - margin - d))), where the first sum is over the others of the same class,
/// with a = max(margin + d, 0), the second over those of other classes, with b = max(1 + margin -
/// d, 0). Samples whose loss is 0 have no part in the mean. With remove_diagonal a sample is not
/// compared with itself. Sun et al. 2020, https://arxiv.org/abs/2002.10857. Throws ShapeError when
/// labels and embeddings do not fit.
class CircleLoss : public LossOf<CircleLoss, CircleConfig> {
 public:
  explicit CircleLoss(CircleConfig c);  ///< throws ValueError for an unknown reduction
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
};

using Circle = Ref<CircleLoss>;  ///< a shared CircleLoss, made from its options

/// The loss of each sample; see CircleLoss. It has y_pred's dtype; its mask leaves out those of 0.
Tensor circle(const Tensor& y_true, const Tensor& y_pred, const CircleConfig& options = {},
              const CircleReference& reference = {});
/// The same in Keras's order; an empty tensor stands for None.
template <std::same_as<Tensor> T>
Tensor circle(const Tensor& y_true, const Tensor& y_pred, const T& ref_labels,
              const Tensor& ref_embeddings = {}, bool remove_diagonal = true, double gamma = 80,
              double margin = 0.4) {
  return circle(y_true, y_pred, CircleConfig{gamma, margin, remove_diagonal},
                CircleReference{ref_labels, ref_embeddings});
}

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::CircleLoss, losses::CircleConfig>;
}
