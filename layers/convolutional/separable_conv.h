// SeparableConv1D, SeparableConv2D: each channel is convolved alone, then the channels are mixed.
#pragma once
#include "depthwise_conv.h"

namespace cornu::layers {

/// Options of a separable convolution over `rank` spatial axes. Sizes are one number for all axes
/// or one for each.
template <size_t rank>
struct SeparableConvConfig {
  Required<int64_t> filters;      ///< channels of the output
  Dims<rank> kernel_size = {};    ///< size of the kernel along each axis; must be given
  Dims<rank> strides = 1;         ///< step of the kernel along each axis
  std::string padding = "valid";  ///< "valid" or "same"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Distance between elements of the kernel along each axis.
  Dims<rank> dilation_rate = 1;
  int64_t depth_multiplier = 1;  ///< channels between the two convolutions for each of the input
  /// Activation of the output; none: linear.
  cornu::Activation activation = {};
  bool use_bias = true;  ///< add a bias
  /// Initial values of the depthwise kernel.
  Choice<Initializer> depthwise_initializer = "glorot_uniform";
  /// Initial values of the pointwise kernel.
  Choice<Initializer> pointwise_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";  ///< initial values of the bias
  Choice<Regularizer> depthwise_regularizer = {};  ///< penalty on the depthwise kernel
  Choice<Regularizer> pointwise_regularizer = {};  ///< penalty on the pointwise kernel
  Choice<Regularizer> bias_regularizer = {};       ///< penalty on the bias, added to the losses
  Choice<Regularizer> activity_regularizer = {};   ///< penalty on the output, added to the losses
  /// Applied to the depthwise kernel after each update.
  Choice<Constraint> depthwise_constraint = {};
  /// Applied to the pointwise kernel after each update.
  Choice<Constraint> pointwise_constraint = {};
  Choice<Constraint> bias_constraint = {};  ///< applied to the bias after each update
  CORNU_LAYER_OPTIONS;
};

/// x (batch, spatial..., channels) -> (batch, new spatial..., filters): every channel is convolved
/// apart, then a convolution of size 1 mixes them. Sizes as in ConvLayer; with data_format
/// "channels_first" the channels follow the batch. Throws ValueError for options out of range,
/// ShapeError for another rank or other channels than it was built for.
template <class Self, size_t rank>
class SeparableConvLayer : public LayerOf<Self, SeparableConvConfig<rank>> {
 public:
  using Base = LayerOf<Self, SeparableConvConfig<rank>>;  ///< the layer with options

  /// Throws ValueError for options out of range.
  explicit SeparableConvLayer(SeparableConvConfig<rank> c) : Base(std::move(c)) {
    auto& o = this->config;
    o.padding = lower_case(o.padding);
    geometry_ = {.kernel_size = o.kernel_size.vec(),
                 .strides = o.strides.vec(),
                 .padding = o.padding,
                 .depth_multiplier = o.depth_multiplier,
                 .channels_first = channels_first(o.data_format),
                 .dilation_rate = o.dilation_rate.vec()};
    check_positive("filters", o.filters);
    geometry_.check();
  }

  /// Makes both kernels and the bias; throws ShapeError for another rank.
  void build(const Shape& input) override {
    const auto& o = this->config;
    depthwise_kernel = this->add_weight({.name = "depthwise_kernel",
                                         .shape = geometry_.kernel_shape(input),
                                         .initializer = o.depthwise_initializer,
                                         .regularizer = o.depthwise_regularizer,
                                         .constraint = o.depthwise_constraint});
    const int64_t between = geometry_.channels(input) * o.depth_multiplier;
    pointwise_kernel = this->add_weight(
        {.name = "pointwise_kernel",
         .shape = concat(Shape(std::vector<int64_t>(rank, 1)), {between, *o.filters}),
         .initializer = o.pointwise_initializer,
         .regularizer = o.pointwise_regularizer,
         .constraint = o.pointwise_constraint});
    if (o.use_bias)
      bias = this->add_weight({.name = "bias",
                               .shape = {*o.filters},
                               .initializer = o.bias_initializer,
                               .regularizer = o.bias_regularizer,
                               .constraint = o.bias_constraint});
  }

  /// activation(both convolutions + bias).
  Tensor call(const Tensor& x, const Call&) override {
    return this->config.activation(
        geometry_.apply(x, depthwise_kernel, pointwise_kernel, bias ? Tensor(bias) : Tensor()));
  }

  /// As LayerOf's, but takes groups = 1, which files of Keras 2 hold.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return Base::from_config(without_one_group(dict));
  }

  Variable depthwise_kernel;  ///< (spatial..., channels, depth_multiplier)
  Variable pointwise_kernel;  ///< (1..., channels * depth_multiplier, filters)
  Variable bias;              ///< (filters); none without use_bias

 private:
  DepthwiseGeometry geometry_;
};

using SeparableConv1DConfig = SeparableConvConfig<1>;  ///< options of SeparableConv1D, as in Keras

/// x (batch, steps, channels) -> (batch, new steps, filters); see SeparableConvLayer.
class SeparableConv1DLayer : public SeparableConvLayer<SeparableConv1DLayer, 1> {
 public:
  using SeparableConvLayer::SeparableConvLayer;  ///< from the options; see SeparableConvLayer
};

/// A shared SeparableConv1DLayer, made from its options.
using SeparableConv1D = Ref<SeparableConv1DLayer>;
using SeparableConvolution1D = SeparableConv1D;  ///< SeparableConv1D by its other name

using SeparableConv2DConfig = SeparableConvConfig<2>;  ///< options of SeparableConv2D, as in Keras

/// x (batch, height, width, channels) -> (batch, new height, new width, filters); see
/// SeparableConvLayer.
class SeparableConv2DLayer : public SeparableConvLayer<SeparableConv2DLayer, 2> {
 public:
  using SeparableConvLayer::SeparableConvLayer;  ///< from the options; see SeparableConvLayer
};

/// A shared SeparableConv2DLayer, made from its options.
using SeparableConv2D = Ref<SeparableConv2DLayer>;
using SeparableConvolution2D = SeparableConv2D;  ///< SeparableConv2D by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SeparableConv1DLayer, layers::SeparableConv1DConfig>;
extern template class layers::SeparableConvLayer<layers::SeparableConv1DLayer, 1>;
extern template class LayerOf<layers::SeparableConv2DLayer, layers::SeparableConv2DConfig>;
extern template class layers::SeparableConvLayer<layers::SeparableConv2DLayer, 2>;
}  // namespace cornu
