// Convolution and pooling: windows over spatial axes.
#include <fmt/core.h>

#include "nn.h"
#include "shaping.h"

namespace cornu::ops {
namespace {

using Sizes = InlineVector<int64_t, 3>;

// One number for all spatial axes, or one for each.
Sizes spread(const std::vector<int64_t>& values, int spatial, const char* op, const char* what) {
  if (values.size() == 1) return Sizes(static_cast<size_t>(spatial), values[0]);
  if (static_cast<int>(values.size()) != spatial)
    throw ValueError(fmt::format("{}: {} has {} numbers for {} spatial axes.", op, what, values.size(), spatial));
  return Sizes(values.begin(), values.end());
}

struct Window {
  Sizes sizes, strides, dilation, low, high;
  Shape out;  // spatial sizes of the result
};

Window window(const Shape& x, Sizes sizes, Sizes strides, Sizes dilation, Padding padding, const char* op) {
  Window w{std::move(sizes), std::move(strides), std::move(dilation), {}, {}, {}};
  for (size_t i = 0; i < w.sizes.size(); ++i) {
    const int64_t size = x[static_cast<int>(i) + 1], reach = (w.sizes[i] - 1) * w.dilation[i] + 1;
    if (w.sizes[i] <= 0 || w.strides[i] <= 0 || w.dilation[i] <= 0)
      throw ValueError(fmt::format("{}: window, strides and dilation must be positive.", op));
    const auto [low, high] = padding == Padding::same
                                 ? same_padding(size, w.sizes[i], w.strides[i], w.dilation[i])
                                 : std::pair<int64_t, int64_t>{0, 0};
    if (size + low + high < reach)
      throw ShapeError(fmt::format("{}: a window that spans {} does not fit axis {} of size {} in shape {} "
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

template <class F>
Tensor in_channels_last(const Tensor& x, const std::string& data_format, const char* op, F f) {
  if (x.rank() < 3 || x.rank() > 5)
    throw ShapeError(fmt::format("{}: expected an input of rank 3, 4 or 5, found shape {}.", op, x.shape().str()));
  if (data_format == "channels_last") return f(x);
  if (data_format != "channels_first")
    throw ValueError(fmt::format("{}: data_format '{}' is neither 'channels_last' nor 'channels_first'.", op,
                                 data_format));
  return transpose(f(transpose(x, to_channels_last(x.rank()))), to_channels_first(x.rank()));
}

Tensor pool(const Tensor& x, bool maximum, const std::vector<int64_t>& pool_size,
            const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
            const std::string& data_format, const char* op) {
  const Padding pad = padding_of(padding);
  return in_channels_last(x, data_format, op, [&](const Tensor& t) {
    const int spatial = t.rank() - 2;
    const Sizes sizes = spread(pool_size, spatial, op, "pool_size");
    const Window w = window(t.shape(), sizes, strides ? spread(*strides, spatial, op, "strides") : sizes,
                            Sizes(static_cast<size_t>(spatial), 1), pad, op);
    const Shape shape = concat(concat({t.shape()[0]}, w.out), {t.shape().back()});
    return apply(backend::Pool{maximum, false, w.sizes, w.strides, w.low, w.high}, {t},
                 TensorSpec{shape, t.dtype()});
  });
}

}  // namespace

Padding padding_of(const std::string& name) {
  if (name == "valid") return Padding::valid;
  if (name == "same") return Padding::same;
  throw ValueError(fmt::format("padding '{}' is not known.{} Known are 'valid' and 'same'.", name,
                               did_you_mean(name, {"valid", "same"})));
}

std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride, int64_t dilation) {
  const int64_t out = (size + stride - 1) / stride;
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + (window - 1) * dilation + 1 - size);
  return {total / 2, total - total / 2};
}

Tensor conv(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
            const std::string& padding, const std::string& data_format,
            const std::vector<int64_t>& dilation_rate) {
  return op(&conv, [](const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides,
                      const std::string& padding, const std::string& data_format,
                      const std::vector<int64_t>& dilation_rate) {
    const Padding pad = padding_of(padding);
    return in_channels_last(x, data_format, "conv", [&](const Tensor& t) {
      const int spatial = t.rank() - 2;
      if (kernel.rank() != t.rank())
        throw ShapeError(fmt::format("conv: an input of shape {} needs a kernel of rank {}, found shape {}.",
                                     t.shape().str(), t.rank(), kernel.shape().str()));
      const int64_t in = t.shape().back(), per_group = kernel.shape()[spatial], out = kernel.shape().back();
      if (per_group == 0 || in % per_group != 0 || out % std::max<int64_t>(in / per_group, 1) != 0)
        throw ShapeError(fmt::format("conv: {} input channels and kernel {} do not fit: the kernel's second-to-last "
                                     "axis must divide the channels into groups that divide its last.",
                                     in, kernel.shape().str()));
      Sizes sizes;
      for (int i = 0; i < spatial; ++i) sizes.push_back(kernel.shape()[i]);
      const Window w = window(t.shape(), sizes, spread(strides, spatial, "conv", "strides"),
                              spread(dilation_rate, spatial, "conv", "dilation_rate"), pad, "conv");
      const DType dtype = result_type(t, kernel);
      backend::Conv kernel_description{backend::ConvPass::forward, w.strides, w.dilation, w.low, w.high,
                                       in / per_group, false};
      return apply(kernel_description, {cast(t, dtype), cast(kernel, dtype)},
                   TensorSpec{concat(concat({t.shape()[0]}, w.out), {out}), dtype});
    });
  }, x, kernel, strides, padding, data_format, dilation_rate);
}

Tensor max_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
                const std::string& data_format) {
  return op(&max_pool, [](const Tensor& x, const std::vector<int64_t>& pool_size,
                          const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
                          const std::string& data_format) {
    return pool(x, true, pool_size, strides, padding, data_format, "max_pool");
  }, x, pool_size, strides, padding, data_format);
}

Tensor average_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                    const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
                    const std::string& data_format) {
  return op(&average_pool, [](const Tensor& x, const std::vector<int64_t>& pool_size,
                              const std::optional<std::vector<int64_t>>& strides, const std::string& padding,
                              const std::string& data_format) {
    return pool(x, false, pool_size, strides, padding, data_format, "average_pool");
  }, x, pool_size, strides, padding, data_format);
}

}  // namespace cornu::ops
