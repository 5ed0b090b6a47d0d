// Copy kernels for boxes of dense tensors: how transposes, slices, pads and joins are expressed.
#pragma once
#include "../../backend/kernel.h"
#include "../tensor/tensor.h"

namespace cornu::detail {

/// Row-major strides in elements.
InlineVector<int64_t, 6> dense_strides(const Shape& shape);

/// A box of `sizes` that starts at `starts` and takes every `steps`-th element of a tensor of this
/// shape.
backend::View box(const Shape& shape, std::span<const int64_t> starts,
                  std::span<const int64_t> steps);

/// Moves box `from` of x to box `to` of an output of `shape`; the rest is `fill`.
Tensor copy_box(const Tensor& x, const Shape& sizes, const backend::View& from,
                const backend::View& to, const Shape& shape, bool covers, double fill = 0);

/// The `size` elements of x along `axis` from `start` on.
Tensor copy_section(const Tensor& x, int axis, int64_t start, int64_t size);

}  // namespace cornu::detail
