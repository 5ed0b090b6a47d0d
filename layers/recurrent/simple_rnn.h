// SimpleRNN: a fully connected recurrent layer over a sequence.
#pragma once
#include "recurrent_layer.h"
#include "simple_rnn_cell.h"

namespace cornu::layers {

/// Options of SimpleRNN, as in Keras.
struct SimpleRNNConfig {
  Required<int64_t> units;                ///< size of the state and of the output
  cornu::Activation activation = "tanh";  ///< applied to the new state
  bool use_bias = true;                   ///< add a bias
  CORNU_RECURRENT_INITIALIZERS;
  CORNU_RECURRENT_REGULARIZERS;
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT;
  bool return_sequences = false;  ///< the output of each step instead of the last
  bool return_state = false;      ///< also the state after the last step
  bool go_backwards = false;      ///< from the last step to the first; outputs stay in that order
  bool stateful = false;          ///< a call begins with the state in which the last one ended
  /// Composes every step of operations; masked first steps give zeros.
  bool unroll = false;
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Outputs of masked steps are 0, not those of the last valid step.
  bool zero_output_for_mask = false;
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, features) -> (batch, units), with return_sequences (batch, steps, units), with
/// return_state {output, h}. The state begins with zeros, or with the argument "initial_state".
/// Steps that the mask (batch, steps) excludes leave the state as it is; beside "initial_state"
/// only a mask that is given by name is read. See SimpleRNNCell for the formula.
class SimpleRNNLayer : public RecurrentLayer<SimpleRNNLayer, SimpleRNNConfig> {
 public:
  /// Makes the cell. Throws ValueError unless units is positive.
  explicit SimpleRNNLayer(SimpleRNNConfig config);
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<SimpleRNNLayer> from_config(const Value::Dict& dict);

  SimpleRNNCell cell = nullptr;  ///< has the weights
};

using SimpleRNN = Ref<SimpleRNNLayer>;  ///< a shared SimpleRNNLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SimpleRNNLayer, layers::SimpleRNNConfig>;
}
