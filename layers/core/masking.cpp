// Steps that are padding.
#include "masking.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"

namespace cornu::layers {

MaskingLayer::MaskingLayer(MaskingConfig c) : LayerOf(std::move(c)) { supports_masking_ = true; }

Tensor MaskingLayer::call(const Tensor& x, const Call&) {
  const Tensor real = ops::any(ops::not_equal(x, Tensor(config.mask_value)), -1, true);
  return ops::where(real, x, Tensor(0)).with_mask(ops::squeeze(real, -1));
}

Tensor MaskingLayer::compute_mask(const Nest& inputs, const Tensor&) {
  return ops::any(ops::not_equal(inputs.tensor(), Tensor(config.mask_value)), -1);
}

void register_masking(Catalog& c) { c.add<MaskingLayer>("keras.layers.Masking"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaskingLayer, cornu::layers::MaskingConfig>;
