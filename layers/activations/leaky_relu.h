// LeakyReLU: the rectifier with a slope where x is negative.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of LeakyReLU.
struct LeakyReLUConfig {
  double negative_slope = 0.3;  ///< slope where x is negative
  CORNU_LAYER_OPTIONS;
};

/// x where positive, else negative_slope * x. Throws ValueError for a negative slope. Maas et al.,
/// Rectifier Nonlinearities Improve Neural Network Acoustic Models (2013).
class LeakyReLULayer : public LayerOf<LeakyReLULayer, LeakyReLUConfig> {
 public:
  /// Throws ValueError for a negative slope. A mask passes through.
  explicit LeakyReLULayer(LeakyReLUConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  bool acts_per_row() const override { return true; }
};

using LeakyReLU = Ref<LeakyReLULayer>;  ///< a shared LeakyReLULayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LeakyReLULayer, layers::LeakyReLUConfig>;
}
