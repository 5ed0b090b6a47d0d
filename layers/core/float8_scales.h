// Training in 8-bit floats: https://arxiv.org/abs/2209.05433.
#pragma once
#include "kernel_product.h"

namespace cornu::layers {

/// The scales of training in 8-bit floats, which follow the largest numbers of the last steps.
class Float8Scales {
 public:
  /// Adds to the layer, for the inputs, the kernel and the output's gradient each, a scale () and a
  /// history of maxima (amax_history_length of the policy).
  explicit Float8Scales(Layer& layer);
  /// The product of rounded operands, whose gradient is rounded too: of 8-bit floats where x's
  /// device multiplies these, else of the numbers that they stand for.
  Tensor product(const Tensor& x, const Tensor& kernel, bool training,
                 const KernelProduct& product) const;
  std::vector<Variable> variables() const;  ///< scale and history of each, in this order

 private:
  struct Tracked {
    Variable scale, amax_history;
  };
  static Tensor rounded(const Tensor& x, const Tracked& state, bool training);
  Tensor narrow_product(const Tensor& x, const Tensor& kernel, bool training,
                        const KernelProduct& product) const;
  Tracked inputs_, kernel_, outputs_grad_;
};

}  // namespace cornu::layers
