// Cropping1D: sequences without their borders.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct Cropping1DConfig {
  Dims<2> cropping = 1;  ///< steps to take off the beginning and the end
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, channels) -> the same without `cropping` places at the ends of the spatial
/// axes. Throws ShapeError when nothing would be left.
class Cropping1DLayer : public LayerOf<Cropping1DLayer, Cropping1DConfig> {
 public:
  explicit Cropping1DLayer(Cropping1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using Cropping1D = Ref<Cropping1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Cropping1DLayer, layers::Cropping1DConfig>;
}
