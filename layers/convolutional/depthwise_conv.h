// DepthwiseConv1D, DepthwiseConv2D: each channel is convolved alone.
#pragma once
#include "conv_layer.h"

namespace cornu::layers {

/// Options of a depthwise convolution over `rank` spatial axes. Sizes are one number for all axes
/// or one for each.
template <size_t rank>
struct DepthwiseConvConfig {
  Dims<rank> kernel_size = {};    ///< size of the kernel along each axis; must be given
  Dims<rank> strides = 1;         ///< step of the kernel along each axis
  std::string padding = "valid";  ///< "valid" or "same"
  int64_t depth_multiplier = 1;   ///< channels of the output for each of the input
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Distance between elements of the kernel along each axis.
  Dims<rank> dilation_rate = 1;
  cornu::Activation activation = {};  ///< applied to the output; none: linear
  bool use_bias = true;               ///< add a bias
  /// Initial values of the depthwise kernel.
  Choice<Initializer> depthwise_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";  ///< initial values of the bias
  Choice<Regularizer> depthwise_regularizer = {};  ///< penalty on the depthwise kernel
  Choice<Regularizer> bias_regularizer = {};       ///< penalty on the bias, added to the losses
  Choice<Regularizer> activity_regularizer = {};   ///< penalty on the output, added to the losses
  /// Applied to the depthwise kernel after each update.
  Choice<Constraint> depthwise_constraint = {};
  Choice<Constraint> bias_constraint = {};  ///< applied to the bias after each update
  CORNU_LAYER_OPTIONS;
};

/// A depthwise convolution without its weights.
struct DepthwiseGeometry {
  std::vector<int64_t> kernel_size,    ///< along each spatial axis
      strides;                         ///< step of the kernel along each axis
  std::string padding;                 ///< "valid" or "same"
  int64_t depth_multiplier;            ///< channels of the output for each of the input
  bool channels_first;                 ///< whether the channels follow the batch
  std::vector<int64_t> dilation_rate;  ///< distance between elements of the kernel

  /// Throws ValueError for options out of range.
  void check() const;
  /// (spatial..., channels, depth_multiplier). Throws ShapeError for a wrong rank.
  Shape kernel_shape(const Shape& input) const;
  /// How many the input has.
  int64_t channels(const Shape& input) const { return channels_first ? input[1] : input.back(); }
  /// Depthwise convolution; with a `pointwise` kernel a convolution of its channels; and, if there
  /// is one, bias. Throws ShapeError when the kernel was made for other channels.
  Tensor apply(const Tensor& x, const Tensor& kernel, const Tensor& pointwise,
               const Tensor& bias) const;
};

/// x (batch, spatial..., channels) -> (batch, new spatial..., channels * depth_multiplier): every
/// channel is convolved apart. Sizes as in ConvLayer; with data_format "channels_first" the
/// channels follow the batch. Throws ValueError for options out of range, ShapeError for another
/// rank or other channels than it was built for.
template <class Self, size_t rank>
class DepthwiseConvLayer : public LayerOf<Self, DepthwiseConvConfig<rank>> {
 public:
  using Base = LayerOf<Self, DepthwiseConvConfig<rank>>;  ///< the layer with options

  /// Throws ValueError for options out of range.
  explicit DepthwiseConvLayer(DepthwiseConvConfig<rank> c) : Base(std::move(c)) {
    auto& o = this->config;
    o.padding = lower_case(o.padding);
    geometry_ = {.kernel_size = o.kernel_size.vec(),
                 .strides = o.strides.vec(),
                 .padding = o.padding,
                 .depth_multiplier = o.depth_multiplier,
                 .channels_first = channels_first(o.data_format),
                 .dilation_rate = o.dilation_rate.vec()};
    geometry_.check();
  }

  /// Makes the kernel and the bias; throws ShapeError for another rank.
  void build(const Shape& input) override {
    const auto& o = this->config;
    kernel = this->add_weight({.name = "kernel",
                               .shape = geometry_.kernel_shape(input),
                               .initializer = o.depthwise_initializer,
                               .regularizer = o.depthwise_regularizer,
                               .constraint = o.depthwise_constraint});
    if (o.use_bias)
      bias = this->add_weight({.name = "bias",
                               .shape = {geometry_.channels(input) * o.depth_multiplier},
                               .initializer = o.bias_initializer,
                               .regularizer = o.bias_regularizer,
                               .constraint = o.bias_constraint});
  }

  /// activation(depthwise convolution + bias).
  Tensor call(const Tensor& x, const Call&) override {
    return this->config.activation(geometry_.apply(x, kernel, {}, bias ? Tensor(bias) : Tensor()));
  }

  /// As LayerOf's, but takes groups = 1, which files of Keras 2 hold.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return Base::from_config(without_one_group(dict));
  }

  Variable kernel;  ///< (spatial..., channels, depth_multiplier)
  Variable bias;    ///< (channels * depth_multiplier); none without use_bias

 private:
  DepthwiseGeometry geometry_;
};

using DepthwiseConv1DConfig = DepthwiseConvConfig<1>;  ///< options of DepthwiseConv1D, as in Keras

/// x (batch, steps, channels) -> (batch, new steps, channels * depth_multiplier); see
/// DepthwiseConvLayer.
class DepthwiseConv1DLayer : public DepthwiseConvLayer<DepthwiseConv1DLayer, 1> {
 public:
  using DepthwiseConvLayer::DepthwiseConvLayer;  ///< from the options; see DepthwiseConvLayer
};

/// A shared DepthwiseConv1DLayer, made from its options.
using DepthwiseConv1D = Ref<DepthwiseConv1DLayer>;

using DepthwiseConv2DConfig = DepthwiseConvConfig<2>;  ///< options of DepthwiseConv2D, as in Keras

/// x (batch, height, width, channels) -> (batch, new height, new width, channels *
/// depth_multiplier); see DepthwiseConvLayer.
class DepthwiseConv2DLayer : public DepthwiseConvLayer<DepthwiseConv2DLayer, 2> {
 public:
  using DepthwiseConvLayer::DepthwiseConvLayer;  ///< from the options; see DepthwiseConvLayer
};

/// A shared DepthwiseConv2DLayer, made from its options.
using DepthwiseConv2D = Ref<DepthwiseConv2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DepthwiseConv1DLayer, layers::DepthwiseConv1DConfig>;
extern template class layers::DepthwiseConvLayer<layers::DepthwiseConv1DLayer, 1>;
extern template class LayerOf<layers::DepthwiseConv2DLayer, layers::DepthwiseConv2DConfig>;
extern template class layers::DepthwiseConvLayer<layers::DepthwiseConv2DLayer, 2>;
}  // namespace cornu
