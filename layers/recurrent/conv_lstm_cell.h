// ConvLSTMCell: one step of a long short-term memory whose products are convolutions.
#pragma once
#include "../convolutional/conv_layer.h"
#include "lstm_cell.h"

namespace cornu::layers {

/// Options of ConvLSTMCell.
struct ConvLSTMCellConfig {
  Required<int64_t> filters;              ///< channels of the states and of the output
  std::vector<int64_t> kernel_size = {};  ///< size of the kernel along each axis
  std::vector<int64_t> strides = {};      ///< step of the inputs' kernel along each axis
  std::string padding = "valid";          ///< of the inputs' convolution: "valid" or "same"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::vector<int64_t> dilation_rate = {};  ///< distance between elements of the inputs' kernel
  cornu::Activation activation = "tanh";    ///< applied to the candidate and to the carry
  /// Activation of the gates.
  cornu::Activation recurrent_activation = "sigmoid";
  bool use_bias = true;  ///< add a bias
  CORNU_RECURRENT_INITIALIZERS;
  bool unit_forget_bias = true;  ///< the forget gate's bias starts at 1
  CORNU_RECURRENT_REGULARIZERS;
  CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT;
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// {x (batch, spatial..., channels), {h, c}} -> {h, {h, c}}: LSTMCell with convolutions in the
/// place of products. That of the states keeps their size. With data_format "channels_first" the
/// channels follow the batch. Shi et al., https://arxiv.org/abs/1506.04214, without peepholes.
/// Throws ShapeError for steps of other shapes than it was built for, ValueError for padding
/// "causal".
class ConvLSTMCellLayer : public CellLayer<ConvLSTMCellLayer, ConvLSTMCellConfig> {
 public:
  /// Throws ValueError for options out of range or that contradict each other; dropout rates out of
  /// [0, 1] become 0 or 1.
  explicit ConvLSTMCellLayer(ConvLSTMCellConfig config);
  void build(const Shape& input) override;
  void build_many(const Nest& inputs) override { build(inputs.flatten().at(0).shape()); }
  Nest call_many(const Nest& inputs, const Call& call) override;
  Nest initial_states(int64_t batch) override;
  int64_t output_size() override { return config.filters; }
  Recurrence recurrence(const Call& call) override;

  Variable kernel;            ///< (spatial..., channels, 4 filters)
  Variable recurrent_kernel;  ///< (spatial..., filters, 4 filters)
  Variable bias;              ///< (4 filters); none without use_bias

 private:
  struct DropoutMasks {
    std::vector<Tensor> input, state;  ///< masks of a step's shape, one for each gate, or none
  };
  DropoutMasks draw(const Shape& step, DType dtype, bool training);
  Tensor input_projection(const Tensor& x, const DropoutMasks& masks) const;
  Tensor state_projection(const Tensor& h, const DropoutMasks& masks) const;
  LSTMState step(const Tensor& projected, const LSTMState& before, const DropoutMasks& masks,
                 const Tensor& valid) const;

  SeedGenerator& seeds_;
  bool usual_activations_;
  ConvGeometry input_conv_, state_conv_;  // of all gates at once
  int channel_axis_;                      // of a step
  Shape step_, state_;                    // shapes without the batch, of the build
};

using ConvLSTMCell = Ref<ConvLSTMCellLayer>;  ///< a shared ConvLSTMCellLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTMCellLayer, layers::ConvLSTMCellConfig>;
}
