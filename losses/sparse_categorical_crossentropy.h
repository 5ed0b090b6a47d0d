// SparseCategoricalCrossentropy: of targets that are numbers of classes.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// Options of SparseCategoricalCrossentropy, as in Keras.
struct SparseCategoricalCrossentropyConfig {
  bool from_logits = false;  ///< y_pred are logits, not probabilities
  /// Label of samples that do not count; none: all count.
  std::optional<int64_t> ignore_class = {};
  /// "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or "none".
  std::string reduction = "sum_over_batch_size";
  int64_t axis = -1;                                     ///< axis of the classes
  std::string name = "sparse_categorical_crossentropy";  ///< name of the loss in logs and errors
  OptionalDType dtype = {};                              ///< dtype to compute in; none: float32
};

/// -log(p) of the class that y_true names, where p are y_pred divided by their sum along `axis` and
/// limited to [1e-7, 1 - 1e-7] or, with from_logits, softmax(y_pred). y_true has y_pred's shape
/// without `axis` (or with size 1 there). Samples of class ignore_class (which may be out of range)
/// have no part in loss or mean. Throws ValueError for a label that is not a class, also when a
/// recorded step is replayed. With from_logits nothing as large as y_pred is written but its
/// gradient.
class SparseCategoricalCrossentropyLoss
    : public LossOf<SparseCategoricalCrossentropyLoss, SparseCategoricalCrossentropyConfig> {
 public:
  /// Throws ValueError for an unknown reduction.
  explicit SparseCategoricalCrossentropyLoss(SparseCategoricalCrossentropyConfig c);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  Tensor total(const Tensor& y_true, const Tensor& y_pred, bool mean) override;
  /// As Keras, without `axis` unless it is not -1.
  Value::Dict get_config() const override;

 private:
  Tensor run(const Tensor& y_true, const Tensor& y_pred, bool whole, double scale);
};

/// A shared SparseCategoricalCrossentropyLoss, made from its options.
using SparseCategoricalCrossentropy = Ref<SparseCategoricalCrossentropyLoss>;

}  // namespace cornu::losses

namespace cornu {
extern template class LossOf<losses::SparseCategoricalCrossentropyLoss,
                             losses::SparseCategoricalCrossentropyConfig>;
}
