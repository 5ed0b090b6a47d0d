// RMSNormalization: keeps each sample's features near a mean square of 1.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of RMSNormalization, as in Keras.
struct RMSNormalizationConfig {
  Axes axis = -1;         ///< one axis or several, the last ones: what is normalized together
  double epsilon = 1e-6;  ///< added to the mean square, against division by 0
  CORNU_LAYER_OPTIONS;
};

/// scale x / sqrt(mean(x^2) + epsilon), https://arxiv.org/abs/1910.07467. 16-bit inputs are
/// computed in float32. As in Keras, scale broadcasts to x from the right, so axes other than the
/// last fit only when their sizes do. Throws ShapeError for other sizes of the axes than those it
/// was built for.
class RMSNormalizationLayer : public LayerOf<RMSNormalizationLayer, RMSNormalizationConfig> {
 public:
  explicit RMSNormalizationLayer(RMSNormalizationConfig config);  ///< the output has no mask
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  Variable scale;  ///< sizes of the normalized axes
};

/// A shared RMSNormalizationLayer, made from its options.
using RMSNormalization = Ref<RMSNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RMSNormalizationLayer, layers::RMSNormalizationConfig>;
}
