// Places of windows.
#include "windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::detail {

AxisSizes per_axis(const std::vector<int64_t>& values, int spatial, const char* op,
                   const char* what) {
  if (values.size() == 1) return AxisSizes(static_cast<size_t>(spatial), values[0]);
  if (static_cast<int>(values.size()) != spatial)
    throw ValueError(fmt::format("{}: {} has {} numbers for {} spatial axes.", op, what,
                                 values.size(), spatial));
  return AxisSizes(values.begin(), values.end());
}

Window window_of(const Shape& x, AxisSizes sizes, AxisSizes strides, AxisSizes dilation,
                 Padding padding, const char* op) {
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
  return ops::transpose(f(ops::transpose(x, to_channels_last(x.rank()))),
                        to_channels_first(x.rank()));
}

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

}  // namespace cornu::detail
