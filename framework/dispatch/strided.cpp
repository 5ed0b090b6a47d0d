// Strides of dense tensors, and copies between boxes in them.
#include "strided.h"

#include "apply.h"

namespace cornu {
namespace detail {

InlineVector<int64_t, 6> dense_strides(const Shape& shape) {
  InlineVector<int64_t, 6> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int i = shape.rank(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

backend::View box(const Shape& shape, std::span<const int64_t> starts,
                  std::span<const int64_t> steps) {
  backend::View view{0, dense_strides(shape)};
  for (int i = 0; i < shape.rank(); ++i) {
    view.offset += starts[i] * view.strides[i];
    view.strides[i] *= steps[i];
  }
  return view;
}

Tensor copy_box(const Tensor& x, const Shape& sizes, const backend::View& from,
                const backend::View& to, const Shape& shape, bool covers, double fill) {
  backend::Copy kernel;
  kernel.parts.push_back({sizes, from, to});
  kernel.shape = shape;
  kernel.covers = covers;
  kernel.fill = fill;
  return apply(kernel, {x}, TensorSpec{shape, x.dtype()});
}

Tensor copy_section(const Tensor& x, int axis, int64_t start, int64_t size) {
  Shape sizes = x.shape();
  sizes[axis] = size;
  InlineVector<int64_t, 6> starts(static_cast<size_t>(x.rank()), 0),
      steps(static_cast<size_t>(x.rank()), 1);
  starts[axis] = start;
  return copy_box(x, sizes, box(x.shape(), starts, steps), {0, dense_strides(sizes)}, sizes, true);
}

}  // namespace detail

}  // namespace cornu
