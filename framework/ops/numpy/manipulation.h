// The shape and order of elements.
#pragma once
#include "../integers.h"
#include "../op.h"
#include "pad_width.h"

namespace cornu::ops {

/// The elements in row-major order under another shape; one size may be -1 (inferred).
Tensor reshape(const Tensor& x, const Shape& newshape);
/// Permutes the axes; without `axes` reverses them.
Tensor transpose(const Tensor& x, const OptionalIntegers& axes = {});
/// Exchanges two axes.
Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2);
/// Moves the axes `source` to the places `destination` of the result; the others keep their order.
Tensor moveaxis(const Tensor& x, const IntegerList& source, const IntegerList& destination);
/// Inserts axes of size 1 at the given places of the result.
Tensor expand_dims(const Tensor& x, const Integers& axis);
/// Removes axes of size 1: the given ones, or all.
Tensor squeeze(const Tensor& x, const Axes& axis = {});
/// x repeated along axes of size 1, and along new ones in front. Throws ShapeError when it does not
/// broadcast.
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// Reverses the order along axes; along all by default.
Tensor flip(const Tensor& x, const Axes& axis = {});
/// Repeats the whole tensor along each axis.
Tensor tile(const Tensor& x, const Integers& repeats);
/// Repeats each element along an axis (flattened without one); a list has a number for each.
Tensor repeat(const Tensor& x, const Integers& repeats, std::optional<int64_t> axis = {});
/// The elements as a vector, in row-major order.
Tensor ravel(const Tensor& x);
/// flip along the first axis.
Tensor flipud(const Tensor& x);
/// flip along the second axis.
Tensor fliplr(const Tensor& x);
/// Turns the plane of two axes by k quarters, from the first axis toward the second.
Tensor rot90(const Tensor& array, int64_t k = 1, const IntegerList& axes = {0, 1});
/// Moves elements by `shift` places along axes, those that leave come in on the other side; without
/// an axis as if flattened.
Tensor roll(const Tensor& x, const Integers& shift, const Axes& axis = {});
/// Adds `pad_width` = {before, after} elements around each axis, or one such pair around all (see
/// PadWidth):
/// `constant_values` (0). In mode "reflect" those on the other side of the border's element, in
/// "symmetric" those on the other side of the border, in "edge" the border's element, in "wrap"
/// those of the other end, in "linear_ramp" steps from 0 to the border's element; in "maximum",
/// "minimum", "mean" and "median" that of the axis; in "empty" 0. Throws ValueError for another
/// mode.
Tensor pad(const Tensor& x, const PadWidth& pad_width, const std::string& mode = "constant",
           std::optional<double> constant_values = {});
/// The bytes of x read as another dtype (x's own without one). The last axis shrinks or grows when
/// the sizes of the dtypes differ; ShapeError when it does not divide. No gradient passes.
Tensor view(const Tensor& x, OptionalDType dtype = {});
/// The number of x's elements as an int32 tensor, for graphs; x.size() is the number itself.
Tensor size(const Tensor& x);

/// The number of x's axes.
int64_t ndim(const Tensor& x);

}  // namespace cornu::ops
