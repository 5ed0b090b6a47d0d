// GaussianDropout: multiplies by noise around 1 while training.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of GaussianDropout.
struct GaussianDropoutConfig {
  Required<double> rate;  ///< sets the noise's deviation to sqrt(rate / (1 - rate)), in [0, 1]
  /// Seed of the random draws; none: one is chosen.
  std::optional<int64_t> seed = {};
  CORNU_LAYER_OPTIONS;
};

/// While training, x times normal noise of mean 1 and standard deviation sqrt(rate / (1 - rate));
/// else x. Srivastava et al., Dropout, JMLR 15 (2014). Throws ValueError for a rate outside of [0,
/// 1], and for rate 1 when training.
class GaussianDropoutLayer : public LayerOf<GaussianDropoutLayer, GaussianDropoutConfig> {
 public:
  /// Throws ValueError for a rate outside of [0, 1]. With rate 0 nothing is ever drawn.
  explicit GaussianDropoutLayer(GaussianDropoutConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

/// A shared GaussianDropoutLayer, made from its options.
using GaussianDropout = Ref<GaussianDropoutLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GaussianDropoutLayer, layers::GaussianDropoutConfig>;
}
