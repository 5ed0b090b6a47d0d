// AlphaDropout: drops while training and keeps the mean and variance of SELU's outputs.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of AlphaDropout.
struct AlphaDropoutConfig {
  Required<double> rate;  ///< fraction of elements to drop, in [0, 1]
  /// Shape of the draws: axes of size 1 share one; none: the input's shape.
  OptionalList<Shape> noise_shape = {};
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// While training, a fraction `rate` of x set to SELU's lowest value, and the result scaled and
/// shifted so that inputs of mean 0 and variance 1 stay so; else x. Klambauer et al.,
/// https://arxiv.org/abs/1706.02515. Throws ValueError for a rate outside of [0, 1], and for rate 1
/// when training.
class AlphaDropoutLayer : public LayerOf<AlphaDropoutLayer, AlphaDropoutConfig> {
 public:
  /// Throws ValueError for a rate outside of [0, 1]. With rate 0 nothing is ever drawn.
  explicit AlphaDropoutLayer(AlphaDropoutConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

using AlphaDropout = Ref<AlphaDropoutLayer>;  ///< a shared AlphaDropoutLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AlphaDropoutLayer, layers::AlphaDropoutConfig>;
}
