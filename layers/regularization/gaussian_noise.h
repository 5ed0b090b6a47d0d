// GaussianNoise: adds noise while training.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of GaussianNoise.
struct GaussianNoiseConfig {
  Required<double> stddev;           ///< standard deviation of the noise, in [0, 1]
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// While training, x plus normal noise of mean 0; else x. Throws ValueError for a stddev outside of
/// [0, 1].
class GaussianNoiseLayer : public LayerOf<GaussianNoiseLayer, GaussianNoiseConfig> {
 public:
  /// Throws ValueError for a stddev outside of [0, 1]. With stddev 0 nothing is ever drawn.
  explicit GaussianNoiseLayer(GaussianNoiseConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

/// A shared GaussianNoiseLayer, made from its options.
using GaussianNoise = Ref<GaussianNoiseLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GaussianNoiseLayer, layers::GaussianNoiseConfig>;
}
