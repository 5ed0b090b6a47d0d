// One Sort kernel along an axis.
#include "sorting.h"

namespace cornu::detail {

Tensors sorted_along(const Tensor& x, bool descending, int64_t count) {
  Shape shape = x.shape();
  shape[shape.rank() - 1] = count;
  const TensorSpec outputs[] = {{shape, x.dtype()}, {shape, DType::int32}};
  return apply(backend::Sort{descending, count}, {&x, 1}, outputs);
}

}  // namespace cornu::detail
