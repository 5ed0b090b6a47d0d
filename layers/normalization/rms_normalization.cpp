// Normalization of features by their mean square.
#include "rms_normalization.h"

#include "../../framework/ops/nn/normalization.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

RMSNormalizationLayer::RMSNormalizationLayer(RMSNormalizationConfig c) : LayerOf(std::move(c)) {}

void RMSNormalizationLayer::build(const Shape& input) {
  Shape shape;
  for (int a : config.axis.resolve(input.rank())) shape.push_back(input[a]);
  scale = add_weight({.name = "scale", .shape = shape, .initializer = "ones"});
}

Tensor RMSNormalizationLayer::call(const Tensor& x, const Call&) {
  const auto axes = config.axis.resolve(x.rank());
  for (size_t i = 0; i < axes.size(); ++i)
    check_axis(x.shape(), axes[i] == x.rank() - 1 ? -1 : axes[i],
               scale.shape()[static_cast<int>(i)]);
  return ops::rms_normalization(x, Tensor(scale), config.axis, config.epsilon);
}

void register_rms_normalization(Catalog& c) {
  c.add<RMSNormalizationLayer>("keras.layers.RMSNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RMSNormalizationLayer,
                              cornu::layers::RMSNormalizationConfig>;
