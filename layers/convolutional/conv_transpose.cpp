// Transposed convolution over sequences, images and volumes.
#include "conv_transpose.h"

#include <fmt/core.h>
#include <algorithm>

#include "../../framework/ops/detail/windows.h"
#include "../../framework/ops/nn/convolution.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

void ConvTransposeGeometry::check() const {
  check_positive("filters", filters);
  check_positive("kernel_size", kernel_size);
  check_positive("strides", strides);
  check_positive("dilation_rate", dilation_rate);
  detail::padding_of(padding);
  if (std::ranges::max(strides) > 1 && std::ranges::max(dilation_rate) > 1)
    throw ValueError(
        "options 'strides' and 'dilation_rate' cannot both exceed 1. Set one of them to 1.");
  for (size_t i = 0; output_padding && i < strides.size(); ++i)
    if ((*output_padding)[i] < 0 || (*output_padding)[i] >= strides[i])
      throw ValueError(
          fmt::format("option 'output_padding' must be at least 0 and less than 'strides' along "
                      "every axis, found "
                      "{} for strides {}.",
                      Shape(*output_padding).str(), Shape(strides).str()));
}

Shape ConvTransposeGeometry::kernel_shape(const Shape& input) const {
  check_conv_rank(input, static_cast<int>(kernel_size.size()), channels_first);
  return concat(Shape(kernel_size), {filters, channels_first ? input[1] : input.back()});
}

Tensor ConvTransposeGeometry::apply(const Tensor& x, const Tensor& kernel,
                                    const Tensor& bias) const {
  check_conv_rank(x.shape(), static_cast<int>(kernel_size.size()), channels_first);
  check_axis(x.shape(), channels_first ? 1 : -1, kernel.shape().back());
  const Tensor y =
      ops::conv_transpose(x, kernel, strides, padding, output_padding,
                          channels_first ? "channels_first" : "channels_last", dilation_rate);
  return add_to_channels(y, bias, channels_first);
}

void register_conv_transpose(Catalog& c) {
  c.add<Conv1DTransposeLayer>("keras.layers.Conv1DTranspose");
  c.add<Conv2DTransposeLayer>("keras.layers.Conv2DTranspose");
  c.add<Conv3DTransposeLayer>("keras.layers.Conv3DTranspose");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv1DTransposeLayer,
                              cornu::layers::Conv1DTransposeConfig>;
template class cornu::layers::ConvTransposeLayer<cornu::layers::Conv1DTransposeLayer, 1>;
template class cornu::LayerOf<cornu::layers::Conv2DTransposeLayer,
                              cornu::layers::Conv2DTransposeConfig>;
template class cornu::layers::ConvTransposeLayer<cornu::layers::Conv2DTransposeLayer, 2>;
template class cornu::LayerOf<cornu::layers::Conv3DTransposeLayer,
                              cornu::layers::Conv3DTransposeConfig>;
template class cornu::layers::ConvTransposeLayer<cornu::layers::Conv3DTransposeLayer, 3>;
