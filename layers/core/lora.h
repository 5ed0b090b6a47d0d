// LoRA: a weight that stays as it is, plus the product of two small matrices that are trained.
#pragma once
#include <memory>

#include "../layer_options.h"

namespace cornu::layers {

/// Options of enable_lora, beside the rank.
struct LoraOptions {
  std::optional<double> lora_alpha = {};  ///< the update counts alpha / rank times; default: rank
  /// Initial values of the first factor.
  Choice<Initializer> a_initializer = "he_uniform";
  /// Initial values of the second factor; zeros: no update at first.
  Choice<Initializer> b_initializer = "zeros";
};

/// A low-rank update of a weight (..., n): a (..., rank) times b (rank, n).
/// https://arxiv.org/abs/2106.09685.
class Lora {
 public:
  /// Adds the two weights to the layer and freezes `frozen`. Throws StateError for a layer that is
  /// not built, ValueError for a rank below 1 or a weight with a constraint.
  Lora(Layer& layer, const std::string& name, const Shape& shape, Variable& frozen, int64_t rank,
       const LoraOptions& options, const Choice<Regularizer>& regularizer,
       const Choice<Constraint>& constraint);

  /// alpha / rank * a b.
  Tensor update() const;
  /// The same of some rows of a, at `indices`.
  Tensor rows(const Tensor& indices) const;
  /// The weight with its update as a variable of its own, in the weight's dtype, for files.
  Variable merged(const Variable& weight) const;
  void reset();  ///< puts zeros into both factors: no update

  Variable a,    ///< (..., rank), float32
      b;         ///< (rank, n), float32
  int64_t rank;  ///< size of the axis that a and b share
  double alpha;  ///< numerator of the update's scale alpha / rank
};

/// The weight with its update, in the compute dtype.
Tensor adapted_kernel(const Lora& lora, const Variable& kernel, DType compute_dtype);

/// Throws StateError, for a second call of enable_lora, when there is one already.
void check_no_lora(const std::unique_ptr<Lora>& lora);

/// A layer's config in files, which names LoRA's options only when they have a value.
Value::Dict without_empty_lora(Value::Dict config);

/// Throws StateError: `method` needs the weights of a layer that is not built.
[[noreturn]] void throw_not_built(const Layer& layer, const char* method);

}  // namespace cornu::layers
