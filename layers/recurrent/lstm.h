// LSTM: long short-term memory over a sequence.
#pragma once
#include "lstm_cell.h"
#include "recurrent_layer.h"

namespace cornu::layers {

/// Options of LSTM, as in Keras.
struct LSTMConfig {
  Required<int64_t> units;                ///< size of the state and of the output
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
  bool unroll = false;    ///< composes every step of operations; masked first steps give zeros
  /// Outputs of masked steps are 0, not those of the last valid step.
  bool zero_output_for_mask = false;
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, features) -> (batch, units), with return_sequences (batch, steps, units), with
/// return_state {output, h, c}. The states begin with zeros, or with the argument "initial_state" =
/// {h, c}. Steps that the mask (batch, steps) excludes leave the states as they are; beside
/// "initial_state" only a mask that is given by name is read. See LSTMCell for the formula.
class LSTMLayer : public RecurrentLayer<LSTMLayer, LSTMConfig> {
 public:
  /// Makes the cell. Throws ValueError unless units is positive.
  explicit LSTMLayer(LSTMConfig config);
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<LSTMLayer> from_config(const Value::Dict& dict);

  LSTMCell cell = nullptr;  ///< has the weights
};

using LSTM = Ref<LSTMLayer>;  ///< a shared LSTMLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LSTMLayer, layers::LSTMConfig>;
}
