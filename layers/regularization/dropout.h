// Dropout: sets a random fraction of the elements to zero while training.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Dropout.
struct DropoutConfig {
  Required<double> rate;  ///< fraction of elements to drop, in [0, 1]
  /// Shape of the draws: axes of size 1 share one; none: the input's shape.
  OptionalList<Shape> noise_shape = {};
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// While training, x with a fraction `rate` of its elements set to 0 and the others divided by 1 -
/// rate; else x. Srivastava et al., Dropout, JMLR 15 (2014). Throws ValueError for a rate outside
/// of [0, 1], ShapeError when noise_shape has another rank than x.
class DropoutLayer : public LayerOf<DropoutLayer, DropoutConfig> {
 public:
  /// Throws ValueError for a rate outside of [0, 1]. With rate 0 nothing is ever drawn.
  explicit DropoutLayer(DropoutConfig config);
  Tensor call(const Tensor& x, const Call& call) override;

 private:
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

using Dropout = Ref<DropoutLayer>;  ///< a shared DropoutLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DropoutLayer, layers::DropoutConfig>;
}
