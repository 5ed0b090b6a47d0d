// ConvLSTM1D, ConvLSTM2D, ConvLSTM3D: convolutional long short-term memory.
#pragma once
#include "conv_lstm_cell.h"
#include "recurrent_layer.h"

namespace cornu::layers {

/// Options of a convolutional recurrent layer over `rank` spatial axes. Sizes are one number for
/// all axes or one for each.
template <size_t rank>
struct ConvLSTMConfig {
  Required<int64_t> filters;    ///< channels of the output
  Dims<rank> kernel_size = {};  ///< must be given
  Dims<rank> strides = 1;
  std::string padding = "valid";  ///< "valid" or "same"
  std::string data_format = "channels_last";
  Dims<rank> dilation_rate = 1;
  cornu::Activation activation = "tanh";
  cornu::Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> recurrent_initializer = "orthogonal";
  Choice<Initializer> bias_initializer = "zeros";
  bool unit_forget_bias = true;  ///< the forget gate's bias starts at 1
  Choice<Regularizer> kernel_regularizer = {};
  Choice<Regularizer> recurrent_regularizer = {};
  Choice<Regularizer> bias_regularizer = {};
  Choice<Regularizer> activity_regularizer = {};
  Choice<Constraint> kernel_constraint = {};
  Choice<Constraint> recurrent_constraint = {};
  Choice<Constraint> bias_constraint = {};
  double dropout = 0.0;
  double recurrent_dropout = 0.0;
  std::optional<int64_t> seed = {};
  bool return_sequences = false;  ///< the output of each step instead of the last
  bool return_state = false;      ///< also h and c after the last step
  bool go_backwards = false;      ///< from the last step to the first; outputs stay in that order
  bool stateful = false;          ///< a call begins with the states in which the last one ended
  bool unroll = false;            ///< masked first steps give zeros
  bool zero_output_for_mask =
      false;  ///< outputs of masked steps are zeros instead of the last valid one's
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, spatial..., channels) -> (batch, new spatial..., filters), with
/// return_sequences (batch, steps, new spatial..., filters), with return_state {output, h, c}; with
/// data_format "channels_first" the channels stand before the spatial axes. See ConvLSTMCell.
template <class Self, size_t rank>
class ConvLSTMLayer : public RecurrentLayer<Self, ConvLSTMConfig<rank>> {
 public:
  using Config = ConvLSTMConfig<rank>;
  explicit ConvLSTMLayer(Config c) : RecurrentLayer<Self, Config>(std::move(c)) {
    const Config& o = this->config;
    auto options = cell_config<ConvLSTMCellConfig>(o, "conv_lstm_cell", this->dtype_policy());
    options.kernel_size = o.kernel_size.vec();
    options.strides = o.strides.vec();
    options.dilation_rate = o.dilation_rate.vec();
    cell = this->track("cell", ConvLSTMCell(std::move(options)));
  }

  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return LayerOf<Self, Config>::from_config(
        without_nulls(drop_execution_options(dict), {"data_format"}));
  }

  ConvLSTMCell cell = nullptr;
};

using ConvLSTM1DConfig = ConvLSTMConfig<1>;

class ConvLSTM1DLayer : public ConvLSTMLayer<ConvLSTM1DLayer, 1> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;
};

using ConvLSTM1D = Ref<ConvLSTM1DLayer>;

using ConvLSTM2DConfig = ConvLSTMConfig<2>;

class ConvLSTM2DLayer : public ConvLSTMLayer<ConvLSTM2DLayer, 2> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;
};

using ConvLSTM2D = Ref<ConvLSTM2DLayer>;

using ConvLSTM3DConfig = ConvLSTMConfig<3>;

class ConvLSTM3DLayer : public ConvLSTMLayer<ConvLSTM3DLayer, 3> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;
};

using ConvLSTM3D = Ref<ConvLSTM3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTM1DLayer, layers::ConvLSTM1DConfig>;
extern template class LayerOf<layers::ConvLSTM2DLayer, layers::ConvLSTM2DConfig>;
extern template class LayerOf<layers::ConvLSTM3DLayer, layers::ConvLSTM3DConfig>;
}  // namespace cornu
