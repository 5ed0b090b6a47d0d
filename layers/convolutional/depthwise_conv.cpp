// Convolution of each channel alone.
#include "depthwise_conv.h"

#include "../../framework/ops/detail/windows.h"
#include "../../framework/ops/nn/convolution.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

void DepthwiseGeometry::check() const {
  check_positive("depth_multiplier", depth_multiplier);
  check_positive("kernel_size", kernel_size);
  check_positive("strides", strides);
  check_positive("dilation_rate", dilation_rate);
  detail::padding_of(padding);
}

Shape DepthwiseGeometry::kernel_shape(const Shape& input) const {
  check_conv_rank(input, static_cast<int>(kernel_size.size()), channels_first);
  return concat(Shape(kernel_size), {channels(input), depth_multiplier});
}

Tensor DepthwiseGeometry::apply(const Tensor& x, const Tensor& kernel, const Tensor& pointwise,
                                const Tensor& bias) const {
  const int rank = static_cast<int>(kernel_size.size());
  check_conv_rank(x.shape(), rank, channels_first);
  check_axis(x.shape(), channels_first ? 1 : -1, kernel.shape()[rank]);
  const std::string format = channels_first ? "channels_first" : "channels_last";
  const Tensor y =
      pointwise ? ops::separable_conv(x, kernel, pointwise, strides, padding, format, dilation_rate)
                : ops::depthwise_conv(x, kernel, strides, padding, format, dilation_rate);
  return add_to_channels(y, bias, channels_first);
}

void register_depthwise_conv(Catalog& c) {
  c.add<DepthwiseConv1DLayer>("keras.layers.DepthwiseConv1D");
  c.add<DepthwiseConv2DLayer>("keras.layers.DepthwiseConv2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DepthwiseConv1DLayer,
                              cornu::layers::DepthwiseConv1DConfig>;
template class cornu::layers::DepthwiseConvLayer<cornu::layers::DepthwiseConv1DLayer, 1>;
template class cornu::LayerOf<cornu::layers::DepthwiseConv2DLayer,
                              cornu::layers::DepthwiseConv2DConfig>;
template class cornu::layers::DepthwiseConvLayer<cornu::layers::DepthwiseConv2DLayer, 2>;
