// Softmax: probabilities, with masked elements left out.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Softmax.
struct SoftmaxConfig {
  Axes axis = -1;  ///< axis along which the sum is 1, or several
  CORNU_LAYER_OPTIONS;
};

/// exp(x) / sum(exp(x)) along the axes; elements where the mask is false get 0.
class SoftmaxLayer : public LayerOf<SoftmaxLayer, SoftmaxConfig> {
 public:
  /// Takes any axes, which the call checks; a mask passes through.
  explicit SoftmaxLayer(SoftmaxConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  bool uses_mask() const override { return true; }
  std::vector<std::string> positional_arguments() const override { return {"mask"}; }
};

using Softmax = Ref<SoftmaxLayer>;  ///< a shared SoftmaxLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SoftmaxLayer, layers::SoftmaxConfig>;
}
