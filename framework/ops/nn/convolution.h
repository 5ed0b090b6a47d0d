// Convolutions of one to three spatial axes.
#pragma once
#include "../integers.h"
#include "../op.h"

namespace cornu::ops {

/// inputs (n, spatial..., ci), kernel (spatial..., ci / groups, co) -> (n, spatial..., co), 1 to 3
/// spatial axes. With data_format "channels_first" inputs and the result are (n, c, spatial...).
Tensor conv(const Tensor& inputs, const Tensor& kernel, const IntegerList& strides = {1},
            const std::string& padding = "valid",
            const std::string& data_format = config::image_data_format(),
            const IntegerList& dilation_rate = {1});
/// The gradient of `conv` with respect to its input, as a forward operation: inputs (n, spatial...,
/// ci), kernel (spatial..., co, ci) -> (n, spatial..., co), 1 to 3 spatial axes. With padding
/// "valid" an axis of size s becomes (s - 1) * stride + reach + output_padding, where reach =
/// (kernel - 1) * dilation + 1; with "same" (s - 1) * stride + reach % 2 + output_padding. Without
/// output_padding these are (s - 1) * stride + max(reach, stride) and s * stride. Throws ShapeError
/// when ranks or channels do not fit.
Tensor conv_transpose(const Tensor& inputs, const Tensor& kernel, const IntegerList& strides = {1},
                      const std::string& padding = "valid",
                      const OptionalIntegers& output_padding = {},
                      const std::string& data_format = config::image_data_format(),
                      const IntegerList& dilation_rate = {1});
/// Each channel convolved apart: inputs (n, spatial..., c), kernel (spatial..., c, m) -> (n,
/// spatial..., c * m); channel i of x gives the channels i * m to i * m + m - 1. Sizes as in
/// `conv`.
Tensor depthwise_conv(const Tensor& inputs, const Tensor& kernel, const IntegerList& strides = {1},
                      const std::string& padding = "valid",
                      const std::string& data_format = config::image_data_format(),
                      const IntegerList& dilation_rate = {1});
/// `depthwise_conv`, then a convolution of its channels with pointwise_kernel (1..., c * m, co).
Tensor separable_conv(const Tensor& inputs, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, const IntegerList& strides = {1},
                      const std::string& padding = "valid",
                      const std::string& data_format = config::image_data_format(),
                      const IntegerList& dilation_rate = {1});

}  // namespace cornu::ops
