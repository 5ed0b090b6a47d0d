// The layers of ConvNeXt that Keras keeps beside the network: LayerScale and StochasticDepth.
#pragma once
#include "../layers/layer_options.h"

namespace cornu::layers {

/// Options of LayerScale.
struct LayerScaleConfig {
  Required<double> init_values;           ///< initial factor of every channel
  Required<int64_t> projection_dim;       ///< number of channels
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// x (..., channels) times a learned factor for each channel, https://arxiv.org/abs/2103.17239.
class LayerScaleLayer : public LayerOf<LayerScaleLayer, LayerScaleConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  Variable gamma;  ///< (channels)
};

using LayerScale = Ref<LayerScaleLayer>;  ///< a shared LayerScaleLayer, made from its options

/// Options of StochasticDepth.
struct StochasticDepthConfig {
  Required<double> drop_path_rate;        ///< probability that a sample is dropped
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// While training: whole samples of x (batch, ...) become zeros at random, the others are divided
/// by the probability to stay, https://arxiv.org/abs/1603.09382.
class StochasticDepthLayer : public LayerOf<StochasticDepthLayer, StochasticDepthConfig> {
 public:
  /// Throws ValueError for a drop_path_rate outside of [0, 1].
  explicit StochasticDepthLayer(StochasticDepthConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_;
};

/// A shared StochasticDepthLayer, made from its options.
using StochasticDepth = Ref<StochasticDepthLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LayerScaleLayer, layers::LayerScaleConfig>;
extern template class LayerOf<layers::StochasticDepthLayer, layers::StochasticDepthConfig>;
}  // namespace cornu
