// LSTM: long short-term memory over a sequence.
#pragma once
#include "lstm_cell.h"
#include "recurrent_layer.h"

namespace cornu::layers {

struct LSTMConfig {
  Required<int64_t> units;
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
  bool unroll = false;  ///< composes every step of operations; masked first steps give zeros
  bool zero_output_for_mask =
      false;  ///< outputs of masked steps are zeros instead of the last valid one's
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, features) -> (batch, units), with return_sequences (batch, steps, units), with
/// return_state {output, h, c}. The states begin with zeros, or with the argument "initial_state" =
/// {h, c}. Steps that the mask (batch, steps) excludes leave the states as they are; beside
/// "initial_state" only a mask that is given by name is read. See LSTMCell for the formula.
class LSTMLayer : public RecurrentLayer<LSTMLayer, LSTMConfig> {
 public:
  explicit LSTMLayer(LSTMConfig config);
  static std::shared_ptr<LSTMLayer> from_config(const Value::Dict& dict);

  LSTMCell cell = nullptr;
};

using LSTM = Ref<LSTMLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LSTMLayer, layers::LSTMConfig>;
}
