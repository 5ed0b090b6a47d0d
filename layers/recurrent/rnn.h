// RNN: any cell over a sequence.
#pragma once
#include "recurrent_layer.h"
#include "stacked_rnn_cells.h"

namespace cornu::layers {

/// The cell of an RNN: `.cell = LSTMCell({.units = 4})`, or several on top of each other:
/// `.cell = {LSTMCell({.units = 4}), GRUCell({.units = 2})}`.
class Cells : public AnyLayer {
 public:
  using value_type = AnyLayer;  ///< of a list
  /// One cell, by its handle.
  template <class T>
  requires std::derived_from<T, Layer> Cells(const Ref<T>& cell) : AnyLayer(cell) {}
  /// One cell, by a shared pointer.
  template <std::derived_from<Layer> T>
  Cells(std::shared_ptr<T> cell) : AnyLayer(std::move(cell)) {}
  Cells(AnyLayer cell) : AnyLayer(std::move(cell)) {}  ///< one cell

  /// A list is StackedRNNCells.
  Cells(std::vector<AnyLayer> cells);
  /// The same.
  Cells(std::initializer_list<AnyLayer> cells) : Cells(std::vector<AnyLayer>(cells)) {}
};

}  // namespace cornu::layers

namespace cornu::detail {

template <>
struct OptionCodec<layers::Cells> {
  static Value encode(const layers::Cells& v) { return OptionCodec<AnyLayer>::encode(v); }
  static layers::Cells decode(const Value& v);
};

}  // namespace cornu::detail

namespace cornu::layers {

/// Options of RNN, as in Keras.
struct RNNConfig {
  Required<Cells> cell;           ///< a cell, or several that are stacked
  bool return_sequences = false;  ///< the output of each step instead of the last
  bool return_state = false;      ///< also the states after the last step
  bool go_backwards = false;      ///< from the last step to the first; outputs stay in that order
  bool stateful = false;          ///< a call begins with the states in which the last one ended
  /// Composes every step of operations; masked first steps give zeros.
  bool unroll = false;
  /// Outputs of masked steps are 0, not those of the last valid step.
  bool zero_output_for_mask = false;
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, ...) -> the cell's last output, with return_sequences (batch, steps, ...), with
/// return_state {output, states...}, where those of a stack's cell are a list. The states begin as
/// the cell says, or with the argument "initial_state". Steps that the mask (batch, steps) excludes
/// leave the states as they are; beside "initial_state" only a mask that is given by name is read.
class RNNLayer : public RecurrentLayer<RNNLayer, RNNConfig> {
 public:
  explicit RNNLayer(RNNConfig config);  ///< throws ValueError for a layer that is no cell
  Value::Dict get_config() const override;
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<RNNLayer> from_config(const Value::Dict& dict);

  std::shared_ptr<Layer> cell;  ///< the cell, or the stack
};

using RNN = Ref<RNNLayer>;  ///< a shared RNNLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RNNLayer, layers::RNNConfig>;
}
