// Softmax: shares that sum to 1, with masked places left out.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct SoftmaxConfig {
  Axes axis = -1;  ///< one, or several that share their sum
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// exp(x) / sum(exp(x)) along the axes; places where the mask is false get 0.
class SoftmaxLayer : public LayerOf<SoftmaxLayer, SoftmaxConfig> {
 public:
  explicit SoftmaxLayer(SoftmaxConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  bool uses_mask() const override { return true; }
};

using Softmax = Ref<SoftmaxLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SoftmaxLayer, layers::SoftmaxConfig>;
}
