// Data in another range.
#include "rescaling.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"

namespace cornu::layers {

RescalingLayer::RescalingLayer(RescalingConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
}

Tensor RescalingLayer::call(const Tensor& x, const Call&) {
  const DType dtype = compute_dtype();
  return fused([](Expr x, Expr scale, Expr offset) { return x * scale + offset; },
               ops::cast(x, dtype), config.scale->tensor(dtype), config.offset.tensor(dtype));
}

void register_rescaling(Catalog& c) { c.add<RescalingLayer>("keras.layers.Rescaling"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RescalingLayer, cornu::layers::RescalingConfig>;
