// GRU: gated recurrent units over a sequence.
#pragma once
#include "gru_cell.h"
#include "recurrent_layer.h"

namespace cornu::layers {

/// Options of GRU, as in Keras.
struct GRUConfig {
  Required<int64_t> units;                             ///< size of the state and of the output
  cornu::Activation activation = "tanh";               ///< applied to the candidate state
  cornu::Activation recurrent_activation = "sigmoid";  ///< applied to the gates
  bool use_bias = true;                                ///< add a bias
  CORNU_RECURRENT_INITIALIZERS;
  CORNU_RECURRENT_REGULARIZERS;
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT;
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  bool return_sequences = false;     ///< the output of each step instead of the last
  bool return_state = false;         ///< also the state after the last step
  /// From the last step to the first; outputs stay in that order.
  bool go_backwards = false;
  bool stateful = false;    ///< a call begins with the state in which the last one ended
  bool unroll = false;      ///< composes every step of operations; masked first steps give zeros
  bool reset_after = true;  ///< see GRUCell
  /// Outputs of masked steps are 0, not those of the last valid step.
  bool zero_output_for_mask = false;
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, features) -> (batch, units), with return_sequences (batch, steps, units), with
/// return_state {output, h}. The state begins with zeros, or with the argument "initial_state".
/// Steps that the mask (batch, steps) excludes leave the state as it is; beside "initial_state"
/// only a mask that is given by name is read. See GRUCell for the formula.
class GRULayer : public RecurrentLayer<GRULayer, GRUConfig> {
 public:
  /// Makes the cell. Throws ValueError unless units is positive.
  explicit GRULayer(GRUConfig config);
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<GRULayer> from_config(const Value::Dict& dict);

  GRUCell cell = nullptr;  ///< has the weights
};

using GRU = Ref<GRULayer>;  ///< a shared GRULayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GRULayer, layers::GRUConfig>;
}
