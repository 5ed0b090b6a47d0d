// Shares that sum to 1.
#include "softmax.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/math/special.h"
#include "../../framework/ops/nn/softmax.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

SoftmaxLayer::SoftmaxLayer(SoftmaxConfig c) : LayerOf(std::move(c)) { supports_masking_ = true; }

Tensor SoftmaxLayer::call(const Tensor& x, const Call& call) {
  Tensor real;
  Tensor logits = x;
  if (call.mask) {
    real = call.mask.dtype() == DType::boolean ? call.mask : call.mask > Tensor(0.5);
    // Far below any other value, and finite in 16 bits as well.
    logits = ops::where(real, x, Tensor(x.dtype() == DType::float16 ? -3e4 : -1e9));
  }
  const auto axes = config.axis.resolve(x.rank());
  const Tensor y = axes.size() == 1 ? ops::softmax(logits, axes[0])
                                    : ops::exp(logits - ops::logsumexp(logits, config.axis, true));
  // Where everything is masked the results would be equal instead of 0.
  return real ? ops::where(real, y, Tensor(0.0)) : y;
}

void register_softmax(Catalog& c) { c.add<SoftmaxLayer>("keras.layers.Softmax"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SoftmaxLayer, cornu::layers::SoftmaxConfig>;
