// The mean over all spatial axes; of sequences, over the steps that the mask keeps.
#include "global_average_pooling.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

GlobalAveragePooling1DLayer::GlobalAveragePooling1DLayer(GlobalPoolingConfig c)
    : LayerOf(std::move(c)) {
  supports_masking_ = true;
}

Tensor GlobalAveragePooling1DLayer::call(const Tensor& x, const Call& call) {
  if (!call.mask) return pool_globally(x, Pooling::average, 1, config);
  const bool first = channels_first(config.data_format);
  const int steps = first ? 2 : 1;
  const Tensor real = ops::cast(ops::expand_dims(call.mask, {first ? 1 : 2}), DType::boolean);
  const Tensor sum = ops::sum(ops::where(real, x, Tensor(0.0)), steps, config.keepdims);
  return sum / ops::sum(ops::cast(real, x.dtype()), steps, config.keepdims);
}

void register_global_average_pooling(Catalog& c) {
  c.add<GlobalAveragePooling1DLayer>("keras.layers.GlobalAveragePooling1D");
  c.add<GlobalAveragePooling2DLayer>("keras.layers.GlobalAveragePooling2D");
  c.add<GlobalAveragePooling3DLayer>("keras.layers.GlobalAveragePooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalAveragePooling1DLayer,
                              cornu::layers::GlobalPoolingConfig>;
template class cornu::LayerOf<cornu::layers::GlobalAveragePooling2DLayer,
                              cornu::layers::GlobalPoolingConfig>;
template class cornu::LayerOf<cornu::layers::GlobalAveragePooling3DLayer,
                              cornu::layers::GlobalPoolingConfig>;
