// PReLU: the rectifier whose slope where x is negative is learned.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of PReLU.
struct PReLUConfig {
  Choice<Initializer> alpha_initializer = "Zeros";  ///< initial values of the slopes
  Choice<Regularizer> alpha_regularizer = {};       ///< penalty on the slopes, added to the losses
  Choice<Constraint> alpha_constraint = {};         ///< applied to the slopes after each update
  /// Axes along which one slope serves all, counted from 1.
  OptionalList<std::vector<int64_t>> shared_axes = {};
  CORNU_LAYER_OPTIONS;
};

/// x where positive, else alpha * x, https://arxiv.org/abs/1502.01852. Throws ValueError for a
/// shared axis that the input does not have.
class PReLULayer : public LayerOf<PReLULayer, PReLUConfig> {
 public:
  /// A mask passes through; `build` checks shared_axes.
  explicit PReLULayer(PReLUConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }

  Variable alpha;  ///< (axes of the input without the batch), 1 on shared axes
};

using PReLU = Ref<PReLULayer>;  ///< a shared PReLULayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::PReLULayer, layers::PReLUConfig>;
}
