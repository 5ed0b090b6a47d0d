// What layers that go through the steps of a sequence share: LSTM, GRU, SimpleRNN, RNN and
// ConvLSTM.
#pragma once
#include "recurrent_cell.h"

namespace cornu::layers {

/// What a recurrent layer is told besides its input, by Keras's names:
/// `lstm(x, {.initial_state = {h, c}})`.
struct RecurrentCall {
  Nest initial_state = {};            ///< the states before the first step; default: see the layer
  std::optional<bool> training = {};  ///< see Call
  Tensor mask = {};                   ///< (batch, steps), false where a step is padding
  Value::Dict extra = {};             ///< further arguments by name

  operator Call() const;  ///< with the states by name, where there are any
};

/// How a layer goes through the steps; the options of these names.
struct SequenceOptions {
  bool return_sequences = false;  ///< the output of each step instead of the last
  bool return_state = false;      ///< also the states after the last step
  bool go_backwards = false;      ///< from the last step to the first; outputs stay in that order
  bool stateful = false;          ///< a call begins with the states in which the last one ended
  bool unroll = false;            ///< composes every step of operations
  /// Outputs of masked steps are 0, not those of the last valid step.
  bool zero_output_for_mask = false;
};

/// The states in which a stateful layer's last call ended. Files do not keep them.
class KeptStates {
 public:
  /// Keeps these, as `dtype`.
  void make(const States& first, DType dtype);
  explicit operator bool() const { return !variables_.empty(); }         ///< whether there are any
  States values() const;                                                 ///< as they are now
  const std::vector<Variable>& variables() const { return variables_; }  ///< none, or one each
  void assign(const States& states);  ///< takes these over; nothing without kept ones

  /// Zeros again; nothing where there are none.
  void reset();

 private:
  std::vector<Variable> variables_;
};

/// The cell's options out of those of its layer: the members of the same names. The name and the
/// dtype are the arguments.
template <class CellConfig, class Config>
CellConfig cell_config(const Config& config, const char* name, const DTypePolicy& dtype) {
  const auto size = [&] {
    if constexpr (requires { config.units; })
      return config.units;
    else
      return config.filters;
  };
  CellConfig cell = [&] {
    // The initializers of the cell's defaults are replaced below: they are to take no seeds.
    const random::StillScope still;
    return CellConfig{size()};
  }();
  reflect::for_each_member(cell, [&](std::string_view to, auto& member) {
    reflect::for_each_member(config, [&](std::string_view from, const auto& option) {
      if constexpr (std::is_same_v<decltype(member), std::remove_cvref_t<decltype(option)>&>)
        if (from == to) member = option;
    });
  });
  cell.name = name;
  cell.dtype = dtype;
  return cell;
}

/// A recurrent layer, of whatever cell. Bidirectional takes any of them.
class RecurrentBase {
 public:
  virtual ~RecurrentBase() = default;
  virtual SequenceOptions sequence_options() const = 0;  ///< the layer's options
  virtual void set_zero_output_for_mask(bool zero) = 0;  ///< sets this option

  /// The states in which a stateful layer's last call ended and the next one begins, in the order
  /// of return_state (those of stacked cells in one list); zeros at first, and to be assigned to.
  /// Empty before the layer is built, and where it is not stateful.
  const std::vector<Variable>& states() const { return kept_.variables(); }
  /// Makes a stateful layer forget.
  void reset_state() { kept_.reset(); }
  void reset_states() { reset_state(); }  ///< Keras's other name of it

 protected:
  /// Builds the cell for inputs of shape (batch, steps, ...), and the kept states.
  void build_cell(Layer& layer, Layer& cell, const Shape& input);
  /// The layer's call. `inputs` are x (batch, steps, ...) and perhaps the first states, which the
  /// argument "initial_state" gives as well; else the layer begins with those kept, or with zeros.
  /// Throws ShapeError when a shape does not fit.
  Nest call_cell(const Layer& layer, Layer& cell, const Nest& inputs, const Call& call);

 private:
  KeptStates kept_;  // of a stateful layer
};

/// Whether a call is given states to begin with. Then a mask that x carries is not read, as in
/// Keras, which hands on the mask of a tensor that is the only one; a mask that is given by name
/// is.
bool has_initial_state(const Nest& inputs, const Call& call);

/// Takes the states out of {x, states...} and names them, as files do.
Nest name_initial_state(const Nest& inputs, Call& call);

/// Base of the recurrent layers. Self has a member `cell`, and the config those options of
/// SequenceOptions.
template <class Self, class C>
class RecurrentLayer : public LayerOf<Self, C>, public RecurrentBase {
 public:
  using Base = LayerOf<Self, C>;      ///< the layer with options
  using CallOptions = RecurrentCall;  ///< what a call may be told

  /// Accepts inputs with a mask.
  explicit RecurrentLayer(C c) : Base(std::move(c)) { this->supports_masking_ = true; }

  /// In a graph the states become an argument of their own, as in files of Keras.
  void bind(Nest& inputs, Call& call, CallForm form) const override {
    if (form == CallForm::graph) inputs = name_initial_state(inputs, call);
  }
  /// "initial_state", which may be given by name.
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"initial_state"};
  }
  /// Those of Keras's call.
  std::vector<std::string> positional_arguments() const override {
    return {"", "mask", "training"};
  }

  /// Builds the cell, and a stateful layer's states. Throws ShapeError below rank 3, and for a
  /// stateful layer without a known batch size.
  void build_many(const Nest& inputs) override {
    build_cell(*this, *self().cell, inputs.flatten().at(0).shape());
  }
  /// Goes through the steps; see RecurrentBase::call_cell.
  Nest call_many(const Nest& inputs, const Call& call) override {
    return call_cell(*this, *self().cell, inputs, call);
  }
  /// The steps' with return_sequences, else none.
  Tensor compute_mask(const Nest&, const Tensor& mask) override {
    return this->config.return_sequences ? mask : Tensor();
  }
  bool uses_mask() const override { return true; }  ///< masked steps leave the states

  /// Not beside first states; see has_initial_state.
  bool takes_carried_mask(const Nest& inputs, const Call& call) const override {
    return !has_initial_state(inputs, call);
  }

  /// The shape of x alone; see sequence_build_config.
  Value::Dict get_build_config() const override {
    return sequence_build_config(Base::get_build_config());
  }
  /// Builds for x's shape, without those of the states.
  void build_from_config(const Value::Dict& config) override {
    Base::build_from_config(sequence_build_config(config));
  }

  /// The options of these names.
  SequenceOptions sequence_options() const override {
    const C& c = this->config;
    return {c.return_sequences, c.return_state, c.go_backwards,
            c.stateful,         c.unroll,       c.zero_output_for_mask};
  }
  /// Sets this option.
  void set_zero_output_for_mask(bool zero) override { this->config.zero_output_for_mask = zero; }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace cornu::layers
