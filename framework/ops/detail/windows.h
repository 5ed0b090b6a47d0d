// Windows over spatial axes: padding, places, data formats.
#pragma once
#include <functional>

#include "../op.h"

namespace cornu::detail {

/// "valid": none; "same": as many outputs as inputs / stride, rounded up.
enum class Padding : uint8_t { valid, same };
/// By Keras's name. Throws ValueError for an unknown one.
Padding padding_of(const std::string& name);
/// Sizes of padding before and after each spatial axis for "same".
std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride,
                                         int64_t dilation);

using AxisSizes = InlineVector<int64_t, 3>;
/// One number for all spatial axes, or one for each.
AxisSizes per_axis(const std::vector<int64_t>& values, int spatial, const char* op,
                   const char* what);
/// Places of windows along spatial axes.
struct Window {
  AxisSizes sizes, strides, dilation, low, high;
  Shape out;  // spatial sizes of the result
};
/// The windows of x (n, spatial..., c). Throws ShapeError where none fits.
Window window_of(const Shape& x, AxisSizes sizes, AxisSizes strides, AxisSizes dilation,
                 Padding padding, const char* op);
/// The order of axes that moves channels.
std::vector<int64_t> to_channels_last(int rank);
std::vector<int64_t> to_channels_first(int rank);
/// f of x with channels last, in x's data format.
Tensor in_channels_last(const Tensor& x, const std::string& data_format, const char* op,
                        const std::function<Tensor(const Tensor&)>& f);

}  // namespace cornu::detail
