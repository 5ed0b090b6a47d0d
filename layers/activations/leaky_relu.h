// LeakyReLU: the rectifier with a slope where x is negative.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct LeakyReLUConfig {
  double negative_slope = 0.3;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x where positive, else negative_slope * x.
class LeakyReLULayer : public LayerOf<LeakyReLULayer, LeakyReLUConfig> {
 public:
  explicit LeakyReLULayer(LeakyReLUConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
};

using LeakyReLU = Ref<LeakyReLULayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LeakyReLULayer, layers::LeakyReLUConfig>;
}
