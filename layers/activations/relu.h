// ReLU: the rectifier, with an optional ceiling, slope and threshold.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of ReLU.
struct ReLUConfig {
  std::optional<double> max_value = {};  ///< upper limit of the output; none: no limit
  double negative_slope = 0.0;           ///< slope below the threshold
  double threshold = 0.0;                ///< where the positive branch begins
  CORNU_LAYER_OPTIONS;
};

/// x where x > threshold, limited to max_value; else negative_slope * (x - threshold). Throws
/// ValueError for a negative option.
class ReLULayer : public LayerOf<ReLULayer, ReLUConfig> {
 public:
  /// Throws ValueError for a negative max_value, negative_slope or threshold. A mask passes
  /// through.
  explicit ReLULayer(ReLUConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  bool acts_per_row() const override { return true; }
};

using ReLU = Ref<ReLULayer>;  ///< a shared ReLULayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ReLULayer, layers::ReLUConfig>;
}
