// What Conv1D, Conv2D and Conv3D share: their options, and the convolution itself.
#pragma once
#include "../../framework/base/serialization.h"
#include "../core/lora.h"

namespace cornu::layers {

/// Options of a convolution over `rank` spatial axes. Sizes are one number for all axes or one for
/// each.
template <size_t rank>
struct ConvConfig {
  Required<int64_t> filters;      ///< channels of the output
  Dims<rank> kernel_size = {};    ///< size of the kernel along each axis; must be given
  Dims<rank> strides = 1;         ///< step of the kernel along each axis
  std::string padding = "valid";  ///< "valid", "same", or for Conv1D "causal"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Distance between elements of the kernel along each axis.
  Dims<rank> dilation_rate = 1;
  int64_t groups = 1;  ///< number of groups of channels that are convolved separately
  /// Activation of the output; none: linear.
  cornu::Activation activation = {};
  bool use_bias = true;  ///< add a bias
  CORNU_KERNEL_OPTIONS;
  /// Rank of a trained low-rank update; none: no update.
  std::optional<int64_t> lora_rank = {};
  /// Numerator of the update's scale alpha / rank; none: the rank.
  std::optional<double> lora_alpha = {};
  CORNU_LAYER_OPTIONS;
};

/// `text` in lower case, as Keras reads names of paddings.
std::string lower_case(std::string text);
/// Throws ShapeError unless the shape has the batch, the channels and `spatial` axes.
void check_conv_rank(const Shape& shape, int spatial, bool channels_first);
/// y plus `bias` (channels), unless that is empty.
Tensor add_to_channels(const Tensor& y, const Tensor& bias, bool channels_first);
/// `dict` without "groups" if that is 1, which files of Keras 2 hold for layers that have no such
/// option.
Value::Dict without_one_group(const Value::Dict& dict);

/// A convolution without its weights.
struct ConvGeometry {
  int64_t filters;                     ///< channels of the output
  std::vector<int64_t> kernel_size,    ///< along each spatial axis
      strides;                         ///< step of the kernel along each axis
  std::string padding;                 ///< "valid", "same", or for one axis "causal"
  bool channels_first;                 ///< whether the channels follow the batch
  std::vector<int64_t> dilation_rate;  ///< distance between elements of the kernel
  int64_t groups;                      ///< groups of channels, convolved separately

  /// Throws ValueError for options that contradict each other.
  void check() const;
  /// (spatial..., channels / groups, filters). Throws ShapeError for a wrong rank or number of
  /// channels.
  Shape kernel_shape(const Shape& input) const;
  /// Convolution and, if there is one, bias. Throws ShapeError when the kernel was made for other
  /// channels.
  Tensor apply(const Tensor& x, const Tensor& kernel, const Tensor& bias) const;
};

/// x (batch, spatial..., channels) -> (batch, new spatial..., filters); with data_format
/// "channels_first" the channels follow the batch. "same" gives ceil(size / stride) places along an
/// axis, "valid" only those where the kernel fits; "causal" pads only before the first step. Throws
/// ValueError for options that contradict each other, ShapeError for another rank or other channels
/// than it was built for.
template <class Self, size_t rank>
class ConvLayer : public LayerOf<Self, ConvConfig<rank>>, public CustomSerialization {
 public:
  using Base = LayerOf<Self, ConvConfig<rank>>;  ///< the layer with options

  /// Throws ValueError for options out of range or that contradict each other.
  explicit ConvLayer(ConvConfig<rank> c) : Base(std::move(c)) {
    auto& o = this->config;
    o.padding = lower_case(o.padding);
    geometry_ = {o.filters, o.kernel_size.vec(),           o.strides.vec(),
                 o.padding, channels_first(o.data_format), o.dilation_rate.vec(),
                 o.groups};
    geometry_.check();
  }

  /// Makes the kernel, the bias and with lora_rank the update. Throws ShapeError for another rank,
  /// or channels that do not divide into the groups.
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
    if (o.lora_rank) enable_lora(*o.lora_rank, {.lora_alpha = o.lora_alpha});
  }

  /// False for an activation of one's own, which may mix rows.
  bool acts_per_row() const override { return this->config.activation.is_builtin(); }
  /// activation(convolution + bias), by the kernel with its update.
  Tensor call(const Tensor& x, const Call&) override {
    const Tensor y = geometry_.apply(
        x, lora_ ? adapted_kernel(*lora_, kernel, this->compute_dtype()) : Tensor(kernel),
        bias ? Tensor(bias) : Tensor());
    return this->config.activation(y);
  }

  /// Freezes the kernel and adds a low-rank update that is trained. Throws StateError for a layer
  /// that is not built or has one, ValueError for a kernel with a constraint.
  void enable_lora(int64_t lora_rank, const LoraOptions& options = {}) {
    auto& o = this->config;
    check_no_lora(lora_);
    lora_ = std::make_unique<Lora>(*this, "kernel", kernel ? kernel.shape() : Shape{1}, kernel,
                                   lora_rank, options, o.kernel_regularizer, o.kernel_constraint);
    o.lora_rank = lora_rank;
    o.lora_alpha = options.lora_alpha.value_or(static_cast<double>(lora_rank));
  }
  /// Kernel and bias, with the low-rank update merged in.
  std::vector<Variable> weights_to_write() const override {
    return lora_ ? with_bias(lora_->merged(kernel)) : this->own_weights();
  }
  /// Kernel and bias, without the update.
  std::vector<Variable> weights_to_read() const override {
    return lora_ ? with_bias(kernel) : this->own_weights();
  }
  /// Sets the low-rank update to zeros: the kernel that was read has it in it.
  void weights_were_read() override {
    if (lora_) lora_->reset();
  }

  /// The options; LoRA's only where they have a value.
  Value::Dict get_config() const override { return without_empty_lora(Base::get_config()); }
  /// As LayerOf's; throws UnsupportedError where quantization_config has a value.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return Base::from_config(without_unused(dict, {"quantization_config"}));
  }

  Variable kernel;  ///< (spatial..., channels / groups, filters)
  Variable bias;    ///< (filters); none without use_bias

 private:
  std::vector<Variable> with_bias(const Variable& first) const {
    return bias ? std::vector<Variable>{first, bias} : std::vector<Variable>{first};
  }

  ConvGeometry geometry_;
  std::unique_ptr<Lora> lora_;
};

}  // namespace cornu::layers
