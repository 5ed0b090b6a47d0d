// Convolutions: sizes of windows, then one Conv kernel.
#include "convolution.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/windows.h"
#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

void check_kernel_rank(const Tensor& x, const Tensor& kernel, const char* op) {
  if (kernel.rank() == x.rank()) return;
  throw ShapeError(
      fmt::format("{}: an input of shape {} needs a kernel of rank {}, found shape {}.", op,
                  x.shape().str(), x.rank(), kernel.shape().str()));
}

// x and the result have their channels last.
Tensor convolve(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                detail::Padding padding, const std::vector<int64_t>& dilation_rate,
                const char* op) {
  check_kernel_rank(x, kernel, op);
  const int spatial = x.rank() - 2;
  const int64_t in = x.shape().back(), per_group = kernel.shape()[spatial],
                out = kernel.shape().back();
  if (per_group == 0 || in % per_group != 0 || out % std::max<int64_t>(in / per_group, 1) != 0)
    throw ShapeError(
        fmt::format("{}: {} input channels and kernel {} do not fit: the kernel's second-to-last "
                    "axis must divide the channels into groups that divide its last.",
                    op, in, kernel.shape().str()));
  detail::AxisSizes sizes;
  for (int i = 0; i < spatial; ++i) sizes.push_back(kernel.shape()[i]);
  const detail::Window w =
      detail::window_of(x.shape(), sizes, detail::per_axis(strides, spatial, op, "strides"),
                        detail::per_axis(dilation_rate, spatial, op, "dilation_rate"), padding, op);
  const DType dtype = result_type(x, kernel);
  backend::Conv description{.pass = backend::ConvPass::forward,
                            .strides = w.strides,
                            .dilation = w.dilation,
                            .pad_low = w.low,
                            .pad_high = w.high,
                            .groups = in / per_group};
  return apply(description, {cast(x, dtype), cast(kernel, dtype)},
               TensorSpec{concat(concat({x.shape()[0]}, w.out), {out}), dtype});
}

// Every channel is a group of its own.
Tensor convolve_channels(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                         detail::Padding padding, const std::vector<int64_t>& dilation_rate,
                         const char* op) {
  check_kernel_rank(x, kernel, op);
  const int spatial = x.rank() - 2;
  const int64_t channels = x.shape().back();
  if (kernel.shape()[spatial] != channels)
    throw ShapeError(
        fmt::format("{}: the kernel's second-to-last axis must be the {} channels of the input {}, "
                    "found kernel {}.",
                    op, channels, x.shape().str(), kernel.shape().str()));
  const Shape grouped =
      concat(kernel.shape().slice(0, spatial), {1, channels * kernel.shape().back()});
  return convolve(x, reshape(kernel, grouped), strides, padding, dilation_rate, op);
}

// How one axis of a transposed convolution lies in its result.
struct Spreading {
  int64_t size, low, high;
};

Spreading spreading(int64_t size, int64_t reach, int64_t stride, detail::Padding padding,
                    std::optional<int64_t> extra) {
  Spreading s{};
  if (padding == detail::Padding::valid) {
    s.size = (size - 1) * stride + reach + extra.value_or(std::max(reach, stride) - reach);
  } else {
    s.size = extra ? (size - 1) * stride + reach % 2 + *extra : size * stride;
    // What the input, spread out and surrounded by reach - 1 places, keeps of these; the odd one
    // stays in front.
    const int64_t kept = extra ? reach + reach % 2 - 2 + *extra : stride + reach - 2;
    s.low = reach - 1 - std::min((kept + 1) / 2, reach - 1);
  }
  s.high = (size - 1) * stride + reach - s.size - s.low;
  return s;
}

Tensor convolve_back(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                     detail::Padding padding,
                     const std::optional<std::vector<int64_t>>& output_padding,
                     const std::vector<int64_t>& dilation_rate) {
  const char* const op = "conv_transpose";
  check_kernel_rank(x, kernel, op);
  const int spatial = x.rank() - 2;
  if (kernel.shape().back() != x.shape().back())
    throw ShapeError(fmt::format(
        "{}: the kernel's last axis must be the {} channels of the input {}, found kernel "
        "{}.",
        op, x.shape().back(), x.shape().str(), kernel.shape().str()));
  backend::Conv description{
      .pass = backend::ConvPass::backward_data,
      .strides = detail::per_axis(strides, spatial, op, "strides"),
      .dilation = detail::per_axis(dilation_rate, spatial, op, "dilation_rate"),
      .pad_low = {},
      .pad_high = {}};
  const detail::AxisSizes extra =
      output_padding ? detail::per_axis(*output_padding, spatial, op, "output_padding")
                     : detail::AxisSizes();
  Shape shape = {x.shape()[0]};
  for (int i = 0; i < spatial; ++i) {
    const size_t at = static_cast<size_t>(i);
    const int64_t stride = description.strides[at], dilation = description.dilation[at];
    if (kernel.shape()[i] <= 0 || stride <= 0 || dilation <= 0)
      throw ValueError(fmt::format("{}: kernel, strides and dilation must be positive.", op));
    const Spreading s =
        spreading(x.shape()[i + 1], (kernel.shape()[i] - 1) * dilation + 1, stride, padding,
                  output_padding ? std::optional(extra[at]) : std::nullopt);
    if (s.size <= 0)
      throw ShapeError(
          fmt::format("{}: axis {} of input {} (channels last) would become {} places.", op, i + 1,
                      x.shape().str(), s.size));
    description.pad_low.push_back(s.low);
    description.pad_high.push_back(s.high);
    shape.push_back(s.size);
  }
  shape.push_back(kernel.shape()[spatial]);
  const DType dtype = result_type(x, kernel);
  return apply(description, {cast(x, dtype), cast(kernel, dtype)}, TensorSpec{shape, dtype});
}

}  // namespace

Tensor conv(const Tensor& x, const Tensor& kernel, const IntegerList& strides,
            const std::string& padding, const std::string& data_format,
            const IntegerList& dilation_rate) {
  if (is_symbolic(x, kernel))
    return symbolic_call(&conv, x, kernel, strides, padding, data_format, dilation_rate);
  return detail::in_channels_last(x, data_format, "conv", [&](const Tensor& t) {
    return convolve(t, kernel, strides, detail::padding_of(padding), dilation_rate, "conv");
  });
}

Tensor conv_transpose(const Tensor& x, const Tensor& kernel, const IntegerList& strides,
                      const std::string& padding, const OptionalIntegers& output_padding,
                      const std::string& data_format, const IntegerList& dilation_rate) {
  if (is_symbolic(x, kernel))
    return symbolic_call(&conv_transpose, x, kernel, strides, padding, output_padding, data_format,
                         dilation_rate);
  const detail::Padding pad = detail::padding_of(padding);
  return detail::in_channels_last(x, data_format, "conv_transpose", [&](const Tensor& t) {
    return convolve_back(t, kernel, strides, pad, output_padding, dilation_rate);
  });
}

Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, const IntegerList& strides,
                      const std::string& padding, const std::string& data_format,
                      const IntegerList& dilation_rate) {
  if (is_symbolic(x, kernel))
    return symbolic_call(&depthwise_conv, x, kernel, strides, padding, data_format, dilation_rate);
  return detail::in_channels_last(x, data_format, "depthwise_conv", [&](const Tensor& t) {
    return convolve_channels(t, kernel, strides, detail::padding_of(padding), dilation_rate,
                             "depthwise_conv");
  });
}

Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, const IntegerList& strides,
                      const std::string& padding, const std::string& data_format,
                      const IntegerList& dilation_rate) {
  if (is_symbolic(x, depthwise_kernel, pointwise_kernel))
    return symbolic_call(&separable_conv, x, depthwise_kernel, pointwise_kernel, strides, padding,
                         data_format, dilation_rate);
  return detail::in_channels_last(x, data_format, "separable_conv", [&](const Tensor& t) {
    const Tensor y = convolve_channels(t, depthwise_kernel, strides, detail::padding_of(padding),
                                       dilation_rate, "separable_conv");
    return convolve(y, pointwise_kernel, {1}, detail::Padding::valid, {1}, "separable_conv");
  });
}

void list_nn_convolution(OpCatalog& catalog) {
  catalog.add("nn.Conv",
              {"inputs", "kernel", "strides=1", "padding='valid'", "data_format='channels_last'",
               "dilation_rate=1"},
              &conv);
  catalog.add("nn.ConvTranspose",
              {"inputs", "kernel", "strides=1", "padding='valid'", "output_padding=None",
               "data_format='channels_last'", "dilation_rate=1"},
              &conv_transpose);
  catalog.add("nn.DepthwiseConv",
              {"inputs", "kernel", "strides=1", "padding='valid'", "data_format='channels_last'",
               "dilation_rate=1"},
              &depthwise_conv);
  catalog.add("nn.SeparableConv",
              {"inputs", "depthwise_kernel", "pointwise_kernel", "strides=1", "padding='valid'",
               "data_format='channels_last'", "dilation_rate=1"},
              &separable_conv);
}

}  // namespace cornu::ops
