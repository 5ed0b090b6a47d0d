// PReLU: the rectifier whose slope where x is negative is learned.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct PReLUConfig {
  Choice<Initializer> alpha_initializer = "Zeros";
  Choice<Regularizer> alpha_regularizer = {};
  Choice<Constraint> alpha_constraint = {};
  std::optional<std::vector<int64_t>> shared_axes =
      {};  ///< axes along which one slope serves all, from 1
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x where positive, else alpha * x, https://arxiv.org/abs/1502.01852.
class PReLULayer : public LayerOf<PReLULayer, PReLUConfig> {
 public:
  explicit PReLULayer(PReLUConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  Variable alpha;  ///< (axes of the input without the batch), 1 on shared axes
};

using PReLU = Ref<PReLULayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::PReLULayer, layers::PReLUConfig>;
}
