// Windows over spatial axes beyond conv and pooling of nn.h: transposed, depthwise and separable
// convolution, adaptive pooling, interpolation.
#pragma once
#include "losses.h"

namespace cornu::ops {

/// The gradient of `conv` with respect to its input, as a forward operation: x (n, spatial..., ci),
/// kernel (spatial..., co, ci) -> (n, spatial..., co), 1 to 3 spatial axes. With padding "valid" an
/// axis of size s becomes (s - 1) * stride + reach + output_padding, where reach = (kernel - 1) *
/// dilation + 1; with "same" (s - 1) * stride + reach % 2 + output_padding. Without output_padding
/// these are (s - 1) * stride + max(reach, stride) and s * stride. Throws ShapeError when ranks or
/// channels do not fit.
Tensor conv_transpose(const Tensor& x, const Tensor& kernel,
                      const std::vector<int64_t>& strides = {1},
                      const std::string& padding = "valid",
                      const std::optional<std::vector<int64_t>>& output_padding = {},
                      const std::string& data_format = "channels_last",
                      const std::vector<int64_t>& dilation_rate = {1});

/// Each channel convolved apart: x (n, spatial..., c), kernel (spatial..., c, m) -> (n, spatial...,
/// c * m); channel i of x gives the channels i * m to i * m + m - 1. Sizes as in `conv`.
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel,
                      const std::vector<int64_t>& strides = {1},
                      const std::string& padding = "valid",
                      const std::string& data_format = "channels_last",
                      const std::vector<int64_t>& dilation_rate = {1});

/// `depthwise_conv`, then a convolution of its channels with pointwise_kernel (1..., c * m, co).
Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, const std::vector<int64_t>& strides = {1},
                      const std::string& padding = "valid",
                      const std::string& data_format = "channels_last",
                      const std::vector<int64_t>& dilation_rate = {1});

/// Maximum (or mean) of as many windows as `output_size` says: along an axis of size s, window i of
/// o covers [floor(i * s / o), ceil((i + 1) * s / o)). x (n, spatial..., c) -> (n, output_size...,
/// c).
Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                         const std::string& data_format = "channels_last");
Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                             const std::string& data_format = "channels_last");

/// x resampled along `axis` to `size` places, whose centres are at (i + 0.5) * old size / size -
/// 0.5. `interpolation`: "nearest", "bilinear", "bicubic" (Keys, a = -0.5), "lanczos3" or
/// "lanczos5"; weights that fall outside are left out, and the others sum to 1. With `antialias`
/// the kernel widens when the axis shrinks. Integers and 16-bit floats are interpolated in float32;
/// the result has x's dtype.
Tensor resize_axis(const Tensor& x, int64_t axis, int64_t size,
                   const std::string& interpolation = "bilinear", bool antialias = false);

void list_spatial(OpCatalog& catalog);

}  // namespace cornu::ops
