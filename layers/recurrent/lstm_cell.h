// LSTMCell: one step of a long short-term memory.
#pragma once
#include "recurrent_cell.h"

namespace cornu::layers {

/// Options of LSTMCell, as in Keras.
struct LSTMCellConfig {
  Required<int64_t> units;                ///< size of the state and of the output
  cornu::Activation activation = "tanh";  ///< applied to the candidate and to the carry
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

/// Output h and carry c of a step, each (batch, units).
struct LSTMState {
  Tensor h,  ///< output
      c;     ///< carry
};

/// What the four gates' sums z make of the state, where `valid` holds; see LSTMCell. `usual` is
/// whether `gate` is a sigmoid and `squash` is tanh.
LSTMState lstm_gates(const std::vector<Tensor>& z, const LSTMState& before, const Tensor& valid,
                     const cornu::Activation& gate, const cornu::Activation& squash, bool usual);
/// Ones for the second quarter of a bias, the forget gate's, and `others` for the rest.
std::shared_ptr<Initializer> unit_forget_initializer(Choice<Initializer> others);

/// {x (batch, features), {h, c}} -> {h, {h, c}}; or x with the argument "states". Hochreiter and
/// Schmidhuber, Neural Computation 9 (1997), with forget gates:
///   i, f, o = recurrent_activation(x kernel + h recurrent_kernel + bias)
///   g = activation(x kernel + h recurrent_kernel + bias)
///   c' = f c + i g,  h' = o activation(c')
/// Weights hold the gates in the order i, f, g, o. Throws ShapeError for another number of features
/// than it was built for.
class LSTMCellLayer : public CellLayer<LSTMCellLayer, LSTMCellConfig> {
 public:
  /// Throws ValueError unless units is positive; dropout rates out of [0, 1] become 0 or 1.
  explicit LSTMCellLayer(LSTMCellConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Nest initial_states(int64_t batch) override;
  Recurrence recurrence(const Call& call) override;
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<LSTMCellLayer> from_config(const Value::Dict& dict);

  /// The masks of dropout for one sequence. Empty ones drop nothing.
  struct DropoutMasks {
    std::vector<Tensor> input;  ///< one for all gates or one for each, (batch, features)
    std::vector<Tensor> state;  ///< one for each gate, (batch, units)
  };
  /// Draws masks for inputs of this shape (batch, features) and dtype; the seed moves on also when
  /// not training.
  DropoutMasks draw(const Shape& input, DType dtype, bool training);
  /// What the inputs add to the gates, at all steps at once: x (batch[, steps], features) ->
  /// (batch[, steps], 4 units).
  Tensor input_projection(const Tensor& x, const DropoutMasks& masks) const;
  /// All steps of x (batch, steps, features) in one kernel; nothing where activations, the form of
  /// the cell or dropped states do not allow that.
  std::optional<ops::RnnResult> fused_sequence(const Tensor& x, const States& first,
                                               const DropoutMasks& masks, bool backwards) const;
  /// The state after a step with the inputs' contribution `projected` (batch, 4 units). Where
  /// `valid` (batch, 1) is false the state stays; an empty one is true everywhere.
  LSTMState step(const Tensor& projected, const LSTMState& before, const DropoutMasks& masks,
                 const Tensor& valid) const;

  Variable kernel;            ///< (features, 4 units)
  Variable recurrent_kernel;  ///< (units, 4 units)
  Variable bias;              ///< (4 units); none without use_bias

 private:
  SeedGenerator& seeds_;
  bool usual_activations_;
};

using LSTMCell = Ref<LSTMCellLayer>;  ///< a shared LSTMCellLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LSTMCellLayer, layers::LSTMCellConfig>;
}
