// ELU: the exponential linear unit.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of ELU.
struct ELUConfig {
  double alpha = 1.0;  ///< the output goes to -alpha for large negative x
  CORNU_LAYER_OPTIONS;
};

/// x where positive, else alpha * (exp(x) - 1), https://arxiv.org/abs/1511.07289.
class ELULayer : public LayerOf<ELULayer, ELUConfig> {
 public:
  /// Takes any alpha; a mask passes through.
  explicit ELULayer(ELUConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  bool acts_per_row() const override { return true; }
};

using ELU = Ref<ELULayer>;  ///< a shared ELULayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ELULayer, layers::ELUConfig>;
}
