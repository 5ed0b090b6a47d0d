// Convolution and pooling: windows over spatial axes.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../catalog.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "convolution.h"

namespace cornu::ops {
namespace {

using Sizes = InlineVector<int64_t, 3>;

// One number for all spatial axes, or one for each.
Sizes spread(const std::vector<int64_t>& values, int spatial, const char* op, const char* what) {
  if (values.size() == 1) return Sizes(static_cast<size_t>(spatial), values[0]);
  if (static_cast<int>(values.size()) != spatial)
    throw ValueError(fmt::format("{}: {} has {} numbers for {} spatial axes.", op, what,
                                 values.size(), spatial));
  return Sizes(values.begin(), values.end());
}

struct Window {
  Sizes sizes, strides, dilation, low, high;
  Shape out;  // spatial sizes of the result
};

Window window(const Shape& x, Sizes sizes, Sizes strides, Sizes dilation, Padding padding,
              const char* op) {
  Window w{std::move(sizes), std::move(strides), std::move(dilation), {}, {}, {}};
  for (size_t i = 0; i < w.sizes.size(); ++i) {
    const int64_t size = x[static_cast<int>(i) + 1], reach = (w.sizes[i] - 1) * w.dilation[i] + 1;
    if (w.sizes[i] <= 0 || w.strides[i] <= 0 || w.dilation[i] <= 0)
      throw ValueError(fmt::format("{}: window, strides and dilation must be positive.", op));
    const auto [low, high] = padding == Padding::same
                                 ? same_padding(size, w.sizes[i], w.strides[i], w.dilation[i])
                                 : std::pair<int64_t, int64_t>{0, 0};
    if (size + low + high < reach)
      throw ShapeError(
          fmt::format("{}: a window that spans {} does not fit axis {} of size {} in shape {} "
                      "(channels last). Use padding \"same\" or a smaller window.",
                      op, reach, i + 1, size, x.str()));
    w.low.push_back(low);
    w.high.push_back(high);
    w.out.push_back((size + low + high - reach) / w.strides[i] + 1);
  }
  return w;
}

std::vector<int64_t> to_channels_last(int rank) {
  std::vector<int64_t> order = {0};
  for (int i = 2; i < rank; ++i) order.push_back(i);
  order.push_back(1);
  return order;
}

std::vector<int64_t> to_channels_first(int rank) {
  std::vector<int64_t> order = {0, rank - 1};
  for (int i = 1; i < rank - 1; ++i) order.push_back(i);
  return order;
}

Tensor in_channels_last(const Tensor& x, const std::string& data_format, const char* op,
                        const std::function<Tensor(const Tensor&)>& f) {
  if (x.rank() < 3 || x.rank() > 5)
    throw ShapeError(fmt::format("{}: expected an input of rank 3, 4 or 5, found shape {}.", op,
                                 x.shape().str()));
  if (data_format == "channels_last") return f(x);
  if (data_format != "channels_first")
    throw ValueError(fmt::format(
        "{}: data_format '{}' is neither 'channels_last' nor 'channels_first'.", op, data_format));
  return transpose(f(transpose(x, to_channels_last(x.rank()))), to_channels_first(x.rank()));
}

Tensor pool(const Tensor& x, bool maximum, const std::vector<int64_t>& pool_size,
            const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
            const std::string& data_format, const char* op) {
  const Padding pad = padding_of(padding);
  return in_channels_last(x, data_format, op, [&](const Tensor& t) {
    const int spatial = t.rank() - 2;
    const Sizes sizes = spread(pool_size, spatial, op, "pool_size");
    const Window w =
        window(t.shape(), sizes, strides ? spread(*strides, spatial, op, "strides") : sizes,
               Sizes(static_cast<size_t>(spatial), 1), pad, op);
    const Shape shape = concat(concat({t.shape()[0]}, w.out), {t.shape().back()});
    return apply(backend::Pool{maximum, false, w.sizes, w.strides, w.low, w.high}, {t},
                 TensorSpec{shape, t.dtype()});
  });
}

void check_kernel_rank(const Tensor& x, const Tensor& kernel, const char* op) {
  if (kernel.rank() == x.rank()) return;
  throw ShapeError(
      fmt::format("{}: an input of shape {} needs a kernel of rank {}, found shape {}.", op,
                  x.shape().str(), x.rank(), kernel.shape().str()));
}

// x and the result have their channels last.
Tensor convolve(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                Padding padding, const std::vector<int64_t>& dilation_rate, const char* op) {
  check_kernel_rank(x, kernel, op);
  const int spatial = x.rank() - 2;
  const int64_t in = x.shape().back(), per_group = kernel.shape()[spatial],
                out = kernel.shape().back();
  if (per_group == 0 || in % per_group != 0 || out % std::max<int64_t>(in / per_group, 1) != 0)
    throw ShapeError(
        fmt::format("{}: {} input channels and kernel {} do not fit: the kernel's second-to-last "
                    "axis must divide the channels into groups that divide its last.",
                    op, in, kernel.shape().str()));
  Sizes sizes;
  for (int i = 0; i < spatial; ++i) sizes.push_back(kernel.shape()[i]);
  const Window w = window(x.shape(), sizes, spread(strides, spatial, op, "strides"),
                          spread(dilation_rate, spatial, op, "dilation_rate"), padding, op);
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
                         Padding padding, const std::vector<int64_t>& dilation_rate,
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

Spreading spreading(int64_t size, int64_t reach, int64_t stride, Padding padding,
                    std::optional<int64_t> extra) {
  Spreading s{};
  if (padding == Padding::valid) {
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
                     Padding padding, const std::optional<std::vector<int64_t>>& output_padding,
                     const std::vector<int64_t>& dilation_rate) {
  const char* const op = "conv_transpose";
  check_kernel_rank(x, kernel, op);
  const int spatial = x.rank() - 2;
  if (kernel.shape().back() != x.shape().back())
    throw ShapeError(fmt::format(
        "{}: the kernel's last axis must be the {} channels of the input {}, found kernel "
        "{}.",
        op, x.shape().back(), x.shape().str(), kernel.shape().str()));
  backend::Conv description{.pass = backend::ConvPass::backward_data,
                            .strides = spread(strides, spatial, op, "strides"),
                            .dilation = spread(dilation_rate, spatial, op, "dilation_rate"),
                            .pad_low = {},
                            .pad_high = {}};
  const Sizes extra =
      output_padding ? spread(*output_padding, spatial, op, "output_padding") : Sizes();
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

// Windows of one size along one axis, all others being 1.
Tensor pool_axis(const Tensor& x, bool maximum, int axis, int64_t size, int64_t stride) {
  Sizes sizes(static_cast<size_t>(x.rank() - 2), 1), strides = sizes, none(sizes.size(), 0);
  sizes[static_cast<size_t>(axis - 1)] = size;
  strides[static_cast<size_t>(axis - 1)] = stride;
  Shape shape = x.shape();
  shape[axis] = (shape[axis] - size) / stride + 1;
  return apply(backend::Pool{maximum, false, sizes, strides, none, none}, {x},
               TensorSpec{shape, x.dtype()});
}

// A window of an axis has one of two sizes; those of each size are computed at all places, then
// picked.
Tensor adapt_axis(const Tensor& x, bool maximum, int axis, int64_t count) {
  const int64_t size = x.shape()[axis], small = (size + count - 1) / count;
  if (size == count) return x;
  if (size % count == 0) return pool_axis(x, maximum, axis, small, small);
  std::vector<int32_t> picks;
  bool any_big = false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * size / count, end = ((i + 1) * size + count - 1) / count;
    const bool big = end - begin > small;
    any_big |= big;
    picks.push_back(static_cast<int32_t>(big ? begin + size - small + 1 : begin));
  }
  Tensor pooled = small == 1 ? x : pool_axis(x, maximum, axis, small, 1);
  if (any_big) pooled = concatenate({pooled, pool_axis(x, maximum, axis, small + 1, 1)}, axis);
  return take(pooled, Tensor(picks), axis);
}

Tensor adapt(const Tensor& x, bool maximum, const std::vector<int64_t>& output_size,
             const std::string& data_format, const char* op) {
  return in_channels_last(x, data_format, op, [&](const Tensor& t) {
    const Sizes counts = spread(output_size, t.rank() - 2, op, "output_size");
    Tensor y = t;
    for (int axis = 1; axis < t.rank() - 1; ++axis) {
      const int64_t count = counts[static_cast<size_t>(axis - 1)];
      if (count <= 0 || t.shape()[axis] <= 0)
        throw ValueError(fmt::format(
            "{}: output_size and the spatial axes of the input must be positive, found {} "
            "places for axis {} of shape {} (channels last).",
            op, count, axis, t.shape().str()));
      y = adapt_axis(y, maximum, axis, count);
    }
    return y;
  });
}

}  // namespace

Padding padding_of(const std::string& name) {
  // Keras takes "SAME" for "same".
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "valid") return Padding::valid;
  if (lower == "same") return Padding::same;
  throw ValueError(fmt::format("padding '{}' is not known.{} Known are 'valid' and 'same'.", name,
                               did_you_mean(lower, {"valid", "same"})));
}

std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride,
                                         int64_t dilation) {
  const int64_t out = (size + stride - 1) / stride;
  const int64_t total =
      std::max<int64_t>(0, (out - 1) * stride + (window - 1) * dilation + 1 - size);
  return {total / 2, total - total / 2};
}

Tensor conv(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
            const std::string& padding, const std::string& data_format,
            const std::vector<int64_t>& dilation_rate) {
  return op(
      &conv,
      [](const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
         const std::string& padding, const std::string& data_format,
         const std::vector<int64_t>& dilation_rate) {
        return in_channels_last(x, data_format, "conv", [&](const Tensor& t) {
          return convolve(t, kernel, strides, padding_of(padding), dilation_rate, "conv");
        });
      },
      x, kernel, strides, padding, data_format, dilation_rate);
}

Tensor conv_transpose(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                      const std::string& padding,
                      const std::optional<std::vector<int64_t>>& output_padding,
                      const std::string& data_format, const std::vector<int64_t>& dilation_rate) {
  return op(
      &conv_transpose,
      [](const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
         const std::string& padding, const std::optional<std::vector<int64_t>>& output_padding,
         const std::string& data_format, const std::vector<int64_t>& dilation_rate) {
        const Padding pad = padding_of(padding);
        return in_channels_last(x, data_format, "conv_transpose", [&](const Tensor& t) {
          return convolve_back(t, kernel, strides, pad, output_padding, dilation_rate);
        });
      },
      x, kernel, strides, padding, output_padding, data_format, dilation_rate);
}

Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                      const std::string& padding, const std::string& data_format,
                      const std::vector<int64_t>& dilation_rate) {
  return op(
      &depthwise_conv,
      [](const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
         const std::string& padding, const std::string& data_format,
         const std::vector<int64_t>& dilation_rate) {
        return in_channels_last(x, data_format, "depthwise_conv", [&](const Tensor& t) {
          return convolve_channels(t, kernel, strides, padding_of(padding), dilation_rate,
                                   "depthwise_conv");
        });
      },
      x, kernel, strides, padding, data_format, dilation_rate);
}

Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, const std::vector<int64_t>& strides,
                      const std::string& padding, const std::string& data_format,
                      const std::vector<int64_t>& dilation_rate) {
  return op(
      &separable_conv,
      [](const Tensor& x, const Tensor& depthwise_kernel, const Tensor& pointwise_kernel,
         const std::vector<int64_t>& strides, const std::string& padding,
         const std::string& data_format, const std::vector<int64_t>& dilation_rate) {
        return in_channels_last(x, data_format, "separable_conv", [&](const Tensor& t) {
          const Tensor y = convolve_channels(t, depthwise_kernel, strides, padding_of(padding),
                                             dilation_rate, "separable_conv");
          return convolve(y, pointwise_kernel, {1}, Padding::valid, {1}, "separable_conv");
        });
      },
      x, depthwise_kernel, pointwise_kernel, strides, padding, data_format, dilation_rate);
}

Tensor max_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
                const std::string& data_format) {
  return op(
      &max_pool,
      [](const Tensor& x, const std::vector<int64_t>& pool_size,
         const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
         const std::string& data_format) {
        return pool(x, true, pool_size, strides, padding, data_format, "max_pool");
      },
      x, pool_size, strides, padding, data_format);
}

Tensor average_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                    const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
                    const std::string& data_format) {
  return op(
      &average_pool,
      [](const Tensor& x, const std::vector<int64_t>& pool_size,
         const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
         const std::string& data_format) {
        return pool(x, false, pool_size, strides, padding, data_format, "average_pool");
      },
      x, pool_size, strides, padding, data_format);
}

Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                         const std::string& data_format) {
  return op(
      &adaptive_max_pool,
      [](const Tensor& x, const std::vector<int64_t>& output_size, const std::string& data_format) {
        return adapt(x, true, output_size, data_format, "adaptive_max_pool");
      },
      x, output_size, data_format);
}

Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                             const std::string& data_format) {
  return op(
      &adaptive_average_pool,
      [](const Tensor& x, const std::vector<int64_t>& output_size, const std::string& data_format) {
        return adapt(x, false, output_size, data_format, "adaptive_average_pool");
      },
      x, output_size, data_format);
}

void list_spatial(OpCatalog& catalog) {
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
  catalog.add("nn.AdaptiveMaxPool", {"inputs", "output_size", "data_format='channels_last'"},
              &adaptive_max_pool);
  catalog.add("nn.AdaptiveAveragePool", {"inputs", "output_size", "data_format='channels_last'"},
              &adaptive_average_pool);
}

}  // namespace cornu::ops
