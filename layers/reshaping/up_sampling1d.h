// UpSampling1D: each step of a sequence several times.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct UpSampling1DConfig {
  int64_t size = 2;  ///< how often each step comes
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, channels) -> (batch, steps * size, channels).
class UpSampling1DLayer : public LayerOf<UpSampling1DLayer, UpSampling1DConfig> {
 public:
  explicit UpSampling1DLayer(UpSampling1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using UpSampling1D = Ref<UpSampling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::UpSampling1DLayer, layers::UpSampling1DConfig>;
}
