// ConvLSTM1D, ConvLSTM2D, ConvLSTM3D: convolutional long short-term memory.
#pragma once
#include "conv_lstm_cell.h"
#include "recurrent_layer.h"

namespace cornu::layers {

/// Options of a convolutional recurrent layer over `rank` spatial axes. Sizes are one number for
/// all axes or one for each.
template <size_t rank>
struct ConvLSTMConfig {
  Required<int64_t> filters;      ///< channels of the states and of the output
  Dims<rank> kernel_size = {};    ///< size of the kernel along each axis; must be given
  Dims<rank> strides = 1;         ///< step of the kernel along each axis
  std::string padding = "valid";  ///< "valid" or "same"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Distance between elements of the kernel along each axis.
  Dims<rank> dilation_rate = 1;
  cornu::Activation activation = "tanh";  ///< applied to the candidate and to the carry
  /// Activation of the gates.
  cornu::Activation recurrent_activation = "sigmoid";
  bool use_bias = true;  ///< add a bias
  CORNU_RECURRENT_INITIALIZERS;
  bool unit_forget_bias = true;  ///< the forget gate's bias starts at 1
  CORNU_RECURRENT_REGULARIZERS;
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT;
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  bool return_sequences = false;     ///< the output of each step instead of the last
  bool return_state = false;         ///< also h and c after the last step
  /// From the last step to the first; outputs stay in that order.
  bool go_backwards = false;
  bool stateful = false;  ///< a call begins with the states in which the last one ended
  bool unroll = false;    ///< masked first steps give zeros
  /// Outputs of masked steps are 0, not those of the last valid step.
  bool zero_output_for_mask = false;
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, spatial..., channels) -> (batch, new spatial..., filters), with
/// return_sequences (batch, steps, new spatial..., filters), with return_state {output, h, c}; with
/// data_format "channels_first" the channels come before the spatial axes. See ConvLSTMCell.
template <class Self, size_t rank>
class ConvLSTMLayer : public RecurrentLayer<Self, ConvLSTMConfig<rank>> {
 public:
  using Config = ConvLSTMConfig<rank>;  ///< the options

  /// Makes the cell; throws ValueError for options that ConvLSTMCell refuses.
  explicit ConvLSTMLayer(Config c) : RecurrentLayer<Self, Config>(std::move(c)) {
    const Config& o = this->config;
    auto options = cell_config<ConvLSTMCellConfig>(o, "conv_lstm_cell", this->dtype_policy());
    options.kernel_size = o.kernel_size.vec();
    options.strides = o.strides.vec();
    options.dilation_rate = o.dilation_rate.vec();
    cell = this->track("cell", ConvLSTMCell(std::move(options)));
  }

  /// As LayerOf's, but takes a null data_format for the default and passes over options of how
  /// Keras computes; see drop_execution_options.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return LayerOf<Self, Config>::from_config(
        without_nulls(drop_execution_options(dict), {"data_format"}));
  }

  ConvLSTMCell cell = nullptr;  ///< has the weights
};

using ConvLSTM1DConfig = ConvLSTMConfig<1>;  ///< options of ConvLSTM1D, as in Keras

/// x (batch, steps, positions, channels); see ConvLSTMLayer.
class ConvLSTM1DLayer : public ConvLSTMLayer<ConvLSTM1DLayer, 1> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;  ///< from the options; see ConvLSTMLayer
};

using ConvLSTM1D = Ref<ConvLSTM1DLayer>;  ///< a shared ConvLSTM1DLayer, made from its options

using ConvLSTM2DConfig = ConvLSTMConfig<2>;  ///< options of ConvLSTM2D, as in Keras

/// x (batch, steps, height, width, channels); see ConvLSTMLayer.
class ConvLSTM2DLayer : public ConvLSTMLayer<ConvLSTM2DLayer, 2> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;  ///< from the options; see ConvLSTMLayer
};

using ConvLSTM2D = Ref<ConvLSTM2DLayer>;  ///< a shared ConvLSTM2DLayer, made from its options

using ConvLSTM3DConfig = ConvLSTMConfig<3>;  ///< options of ConvLSTM3D, as in Keras

/// x (batch, steps, depth, height, width, channels); see ConvLSTMLayer.
class ConvLSTM3DLayer : public ConvLSTMLayer<ConvLSTM3DLayer, 3> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;  ///< from the options; see ConvLSTMLayer
};

using ConvLSTM3D = Ref<ConvLSTM3DLayer>;  ///< a shared ConvLSTM3DLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTM1DLayer, layers::ConvLSTM1DConfig>;
extern template class LayerOf<layers::ConvLSTM2DLayer, layers::ConvLSTM2DConfig>;
extern template class LayerOf<layers::ConvLSTM3DLayer, layers::ConvLSTM3DConfig>;
}  // namespace cornu
