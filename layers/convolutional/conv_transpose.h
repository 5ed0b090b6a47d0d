// Conv1DTranspose, Conv2DTranspose, Conv3DTranspose: transposed convolution.
#pragma once
#include "conv_layer.h"

namespace cornu::layers {

/// Options of a transposed convolution over `rank` spatial axes. Sizes are one number for all axes
/// or one for each.
template <size_t rank>
struct ConvTransposeConfig {
  Required<int64_t> filters;      ///< channels of the output
  Dims<rank> kernel_size = {};    ///< size of the kernel along each axis; must be given
  Dims<rank> strides = 1;         ///< factor by which the axes grow
  std::string padding = "valid";  ///< "valid" or "same"
  /// Positions added at the end of each axis; less than strides.
  OptionalList<Dims<rank>> output_padding = {};
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Distance between elements of the kernel along each axis.
  Dims<rank> dilation_rate = 1;
  cornu::Activation activation = {};  ///< applied to the output; none: linear
  bool use_bias = true;               ///< add a bias
  CORNU_KERNEL_OPTIONS;
  CORNU_LAYER_OPTIONS;
};

/// Keras has data_format before output_padding here.
template <>
struct ConvTransposeConfig<3> {
  Required<int64_t> filters;      ///< channels of the output
  Dims<3> kernel_size = {};       ///< size of the kernel along each axis; must be given
  Dims<3> strides = 1;            ///< factor by which the axes grow
  std::string padding = "valid";  ///< "valid" or "same"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Positions added at the end of each axis; less than strides.
  OptionalList<Dims<3>> output_padding = {};
  Dims<3> dilation_rate = 1;          ///< distance between elements of the kernel along each axis
  cornu::Activation activation = {};  ///< applied to the output; none: linear
  bool use_bias = true;               ///< add a bias
  CORNU_KERNEL_OPTIONS;
  CORNU_LAYER_OPTIONS;
};

/// A transposed convolution without its weights.
struct ConvTransposeGeometry {
  int64_t filters;                                     ///< channels of the output
  std::vector<int64_t> kernel_size,                    ///< along each spatial axis
      strides;                                         ///< factor by which each axis grows
  std::string padding;                                 ///< "valid" or "same"
  std::optional<std::vector<int64_t>> output_padding;  ///< added at the end of each axis
  bool channels_first;                                 ///< whether the channels follow the batch
  std::vector<int64_t> dilation_rate;                  ///< distance between elements of the kernel

  /// Throws ValueError for options that contradict each other.
  void check() const;
  /// (spatial..., filters, channels). Throws ShapeError for a wrong rank.
  Shape kernel_shape(const Shape& input) const;
  /// Transposed convolution and, if there is one, bias. Throws ShapeError when the kernel was made
  /// for other channels.
  Tensor apply(const Tensor& x, const Tensor& kernel, const Tensor& bias) const;
};

/// x (batch, spatial..., channels) -> (batch, new spatial..., filters), where an axis of size s
/// becomes s * stride with padding "same" and (s - 1) * stride + max(reach, stride) with "valid",
/// reach being what the dilated kernel spans; for output_padding see ops::conv_transpose. With
/// data_format "channels_first" the channels follow the batch. Throws ValueError for options that
/// contradict each other, ShapeError for another rank or other channels than it was built for.
template <class Self, size_t rank>
class ConvTransposeLayer : public LayerOf<Self, ConvTransposeConfig<rank>> {
 public:
  using Base = LayerOf<Self, ConvTransposeConfig<rank>>;  ///< the layer with options

  /// Throws ValueError for options out of range or that contradict each other.
  explicit ConvTransposeLayer(ConvTransposeConfig<rank> c) : Base(std::move(c)) {
    auto& o = this->config;
    o.padding = lower_case(o.padding);
    geometry_ = {.filters = o.filters,
                 .kernel_size = o.kernel_size.vec(),
                 .strides = o.strides.vec(),
                 .padding = o.padding,
                 .output_padding = {},
                 .channels_first = channels_first(o.data_format),
                 .dilation_rate = o.dilation_rate.vec()};
    if (o.output_padding) geometry_.output_padding = o.output_padding->vec();
    geometry_.check();
  }

  /// Makes the kernel and the bias; throws ShapeError for another rank.
  void build(const Shape& input) override {
    const auto& o = this->config;
    kernel = this->add_weight({.name = "kernel",
                               .shape = geometry_.kernel_shape(input),
                               .initializer = o.kernel_initializer,
                               .regularizer = o.kernel_regularizer,
                               .constraint = o.kernel_constraint});
    if (o.use_bias)
      bias = this->add_weight({.name = "bias",
                               .shape = {*o.filters},
                               .initializer = o.bias_initializer,
                               .regularizer = o.bias_regularizer,
                               .constraint = o.bias_constraint});
  }

  /// activation(transposed convolution + bias).
  Tensor call(const Tensor& x, const Call&) override {
    return this->config.activation(geometry_.apply(x, kernel, bias ? Tensor(bias) : Tensor()));
  }

  /// As LayerOf's, but takes groups = 1, which files of Keras 2 hold.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return Base::from_config(without_one_group(dict));
  }

  Variable kernel;  ///< (spatial..., filters, channels)
  Variable bias;    ///< (filters); none without use_bias

 private:
  ConvTransposeGeometry geometry_;
};

using Conv1DTransposeConfig = ConvTransposeConfig<1>;  ///< options of Conv1DTranspose, as in Keras

/// x (batch, steps, channels) -> (batch, new steps, filters); see ConvTransposeLayer.
class Conv1DTransposeLayer : public ConvTransposeLayer<Conv1DTransposeLayer, 1> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;  ///< from the options; see ConvTransposeLayer
};

/// A shared Conv1DTransposeLayer, made from its options.
using Conv1DTranspose = Ref<Conv1DTransposeLayer>;
using Convolution1DTranspose = Conv1DTranspose;  ///< Conv1DTranspose by its other name

using Conv2DTransposeConfig = ConvTransposeConfig<2>;  ///< options of Conv2DTranspose, as in Keras

/// x (batch, height, width, channels) -> (batch, new height, new width, filters); see
/// ConvTransposeLayer.
class Conv2DTransposeLayer : public ConvTransposeLayer<Conv2DTransposeLayer, 2> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;  ///< from the options; see ConvTransposeLayer
};

/// A shared Conv2DTransposeLayer, made from its options.
using Conv2DTranspose = Ref<Conv2DTransposeLayer>;
using Convolution2DTranspose = Conv2DTranspose;  ///< Conv2DTranspose by its other name

using Conv3DTransposeConfig = ConvTransposeConfig<3>;  ///< options of Conv3DTranspose, as in Keras

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., filters); see
/// ConvTransposeLayer.
class Conv3DTransposeLayer : public ConvTransposeLayer<Conv3DTransposeLayer, 3> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;  ///< from the options; see ConvTransposeLayer
};

/// A shared Conv3DTransposeLayer, made from its options.
using Conv3DTranspose = Ref<Conv3DTransposeLayer>;
using Convolution3DTranspose = Conv3DTranspose;  ///< Conv3DTranspose by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv1DTransposeLayer, layers::Conv1DTransposeConfig>;
extern template class layers::ConvTransposeLayer<layers::Conv1DTransposeLayer, 1>;
extern template class LayerOf<layers::Conv2DTransposeLayer, layers::Conv2DTransposeConfig>;
extern template class layers::ConvTransposeLayer<layers::Conv2DTransposeLayer, 2>;
extern template class LayerOf<layers::Conv3DTransposeLayer, layers::Conv3DTransposeConfig>;
extern template class layers::ConvTransposeLayer<layers::Conv3DTransposeLayer, 3>;
}  // namespace cornu
