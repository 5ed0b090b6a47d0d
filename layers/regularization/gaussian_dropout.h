// GaussianDropout: multiplies by noise around 1 while training.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct GaussianDropoutConfig {
  Required<double> rate;  ///< the noise's deviation is that of dropout with this rate, in [0, 1]
  std::optional<int64_t> seed = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// While training, x times normal noise of mean 1 and standard deviation sqrt(rate / (1 - rate));
/// else x. Srivastava et al., Dropout, JMLR 15 (2014).
class GaussianDropoutLayer : public LayerOf<GaussianDropoutLayer, GaussianDropoutConfig> {
 public:
  explicit GaussianDropoutLayer(GaussianDropoutConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

using GaussianDropout = Ref<GaussianDropoutLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GaussianDropoutLayer, layers::GaussianDropoutConfig>;
}
