// GRU: gated recurrent units over a sequence.
#pragma once
#include "gru_cell.h"
#include "recurrent_layer.h"

namespace cornu::layers {

struct GRUConfig {
  Required<int64_t> units;
  cornu::Activation activation = "tanh";
  cornu::Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> recurrent_initializer = "orthogonal";
  Choice<Initializer> bias_initializer = "zeros";
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
  bool return_state = false;      ///< also the state after the last step
  bool go_backwards = false;      ///< from the last step to the first; outputs stay in that order
  bool stateful = false;          ///< a call begins with the state in which the last one ended
  bool unroll = false;      ///< composes every step of operations; masked first steps give zeros
  bool reset_after = true;  ///< see GRUCell
  bool zero_output_for_mask =
      false;  ///< outputs of masked steps are zeros instead of the last valid one's
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, features) -> (batch, units), with return_sequences (batch, steps, units), with
/// return_state {output, h}. The state begins with zeros, or with the argument "initial_state".
/// Steps that the mask (batch, steps) excludes leave the state as it is; beside "initial_state"
/// only a mask that is given by name is read. See GRUCell for the formula.
class GRULayer : public RecurrentLayer<GRULayer, GRUConfig> {
 public:
  explicit GRULayer(GRUConfig config);
  static std::shared_ptr<GRULayer> from_config(const Value::Dict& dict);

  GRUCell cell = nullptr;
};

using GRU = Ref<GRULayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GRULayer, layers::GRUConfig>;
}
