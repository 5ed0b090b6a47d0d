// ConvLSTMCell: one step of a long short-term memory whose products are convolutions.
#pragma once
#include "../convolutional/conv_layer.h"
#include "lstm_cell.h"

namespace cornu::layers {

struct ConvLSTMCellConfig {
  Required<int64_t> filters;
  std::vector<int64_t> kernel_size = {};  ///< one for each spatial axis
  std::vector<int64_t> strides = {};      ///< of the inputs' convolution
  std::string padding = "valid";          ///< of the inputs' convolution
  std::string data_format = "channels_last";
  std::vector<int64_t> dilation_rate = {};  ///< of the inputs' convolution
  cornu::Activation activation = "tanh";
  cornu::Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> recurrent_initializer = "orthogonal";
  Choice<Initializer> bias_initializer = "zeros";
  bool unit_forget_bias = true;
  Choice<Regularizer> kernel_regularizer = {};
  Choice<Regularizer> recurrent_regularizer = {};
  Choice<Regularizer> bias_regularizer = {};
  Choice<Constraint> kernel_constraint = {};
  Choice<Constraint> recurrent_constraint = {};
  Choice<Constraint> bias_constraint = {};
  double dropout = 0.0;            ///< share of the inputs to drop while training
  double recurrent_dropout = 0.0;  ///< share of the states to drop while training
  std::optional<int64_t> seed = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// {x (batch, spatial..., channels), {h, c}} -> {h, {h, c}}: LSTMCell with convolutions in the
/// place of products. That of the states keeps their size. With data_format "channels_first" the
/// channels stand behind the batch. Shi et al., https://arxiv.org/abs/1506.04214, without
/// peepholes.
class ConvLSTMCellLayer : public CellLayer<ConvLSTMCellLayer, ConvLSTMCellConfig> {
 public:
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

using ConvLSTMCell = Ref<ConvLSTMCellLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTMCellLayer, layers::ConvLSTMCellConfig>;
}
