// Convolution: what its options must fulfill, and how it is composed.
#include "conv_layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../../framework/ops/detail/windows.h"
#include "../../framework/ops/nn/convolution.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void check_conv_rank(const Shape& shape, int spatial, bool channels_first) {
  check_rank(shape, spatial + 2,
             channels_first ? "(batch, channels, spatial...)" : "(batch, spatial..., channels)");
}

Tensor add_to_channels(const Tensor& y, const Tensor& bias, bool channels_first) {
  if (!bias) return y;
  if (!channels_first) return y + bias;
  Shape along_channels = bias.shape();
  for (int i = 2; i < y.rank(); ++i) along_channels.push_back(1);
  return y + ops::reshape(bias, along_channels);
}

Value::Dict without_one_group(const Value::Dict& dict) {
  Value::Dict rest;
  for (const auto& [key, value] : dict)
    if (key != "groups" || !value.is<int64_t>() || value.get<int64_t>() != 1)
      rest.emplace_back(key, value);
  return rest;
}

void ConvGeometry::check() const {
  check_positive("filters", filters);
  check_positive("groups", groups);
  check_positive("kernel_size", kernel_size);
  check_positive("strides", strides);
  check_positive("dilation_rate", dilation_rate);
  if (filters % groups != 0)
    throw ValueError(fmt::format(
        "option 'filters' must be a multiple of 'groups', found {} filters and {} groups.", filters,
        groups));
  if (std::ranges::max(strides) > 1 && std::ranges::max(dilation_rate) > 1)
    throw ValueError(
        "options 'strides' and 'dilation_rate' cannot both exceed 1. Set one of them to 1.");
  if (padding == "causal") {
    if (kernel_size.size() != 1)
      throw ValueError(
          "option 'padding' is 'causal', which only Conv1D has. Use 'valid' or 'same'.");
  } else {
    detail::padding_of(padding);
  }
}

Shape ConvGeometry::kernel_shape(const Shape& input) const {
  check_conv_rank(input, static_cast<int>(kernel_size.size()), channels_first);
  const int64_t channels = channels_first ? input[1] : input.back();
  if (channels != Shape::unknown && channels % groups != 0)
    throw ShapeError(fmt::format(
        "expected a number of input channels that divides into {} groups, found {} in input "
        "{}.",
        groups, channels, input.str()));
  const int64_t per_group = channels == Shape::unknown ? channels : channels / groups;
  return concat(Shape(kernel_size), {per_group, filters});
}

Tensor ConvGeometry::apply(const Tensor& x, const Tensor& kernel, const Tensor& bias) const {
  const int rank = static_cast<int>(kernel_size.size());
  check_conv_rank(x.shape(), rank, channels_first);
  check_axis(x.shape(), channels_first ? 1 : -1, kernel.shape()[rank] * groups);
  const std::string format = channels_first ? "channels_first" : "channels_last";
  Tensor y;
  if (padding == "causal") {
    const int64_t before = dilation_rate[0] * (kernel_size[0] - 1);
    std::vector<std::vector<int64_t>> pads(3, {0, 0});
    pads[channels_first ? 2 : 1][0] = before;
    y = ops::conv(ops::pad(x, pads), kernel, strides, "valid", format, dilation_rate);
  } else {
    y = ops::conv(x, kernel, strides, padding, format, dilation_rate);
  }
  return add_to_channels(y, bias, channels_first);
}

}  // namespace cornu::layers
