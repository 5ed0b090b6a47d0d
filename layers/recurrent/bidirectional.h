// Bidirectional: a recurrent layer over a sequence from both ends.
#pragma once
#include "../core/wrapper.h"
#include "recurrent_layer.h"

namespace cornu::layers {

/// Options of Bidirectional, as in Keras.
struct BidirectionalConfig {
  Required<AnyLayer> layer;  ///< LSTM, GRU, SimpleRNN, RNN or ConvLSTM; a copy of it goes forward
  /// "concat", "sum", "mul", "ave"; std::nullopt gives both outputs.
  std::optional<std::string> merge_mode = "concat";
  /// The layer that goes backward; by default a copy of `layer` with go_backwards.
  std::optional<AnyLayer> backward_layer = {};
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_LAYER_OPTIONS;

  /// By their places: `Bidirectional(lstm, "sum")`.
  static BidirectionalConfig positional(const AnyLayer& layer,
                                        const std::optional<std::string>& merge_mode = "concat") {
    return {.layer = layer, .merge_mode = merge_mode};
  }
};

/// x (batch, steps, ...) -> the outputs of both directions merged, those of the backward one in the
/// order of the steps; with the layer's return_state {output, forward states..., backward
/// states...}. The argument "initial_state" is the states of the forward, then of the backward
/// layer, beside which only a mask that is given by name is read. With return_sequences masked
/// steps give zeros. Schuster and Paliwal, IEEE Transactions on Signal Processing 45 (1997). Throws
/// ValueError for a layer that is not recurrent, an unknown merge_mode, or a backward layer of the
/// same direction or with other options.
class BidirectionalLayer : public LayerOf<BidirectionalLayer, BidirectionalConfig> {
 public:
  using CallOptions = RecurrentCall;  ///< what a call may be told
  /// Copies the layer; throws ValueError for options that the class rules out.
  explicit BidirectionalLayer(BidirectionalConfig config);
  void bind(Nest& inputs, Call& call, CallForm form) const override;
  std::optional<std::vector<std::string>> argument_names() const override;
  std::vector<std::string> positional_arguments() const override {
    return {"", "mask", "training"};
  }
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  bool uses_mask() const override { return true; }
  bool takes_carried_mask(const Nest& inputs, const Call& call) const override {
    return !has_initial_state(inputs, call);
  }
  Value::Dict get_build_config() const override;
  void build_from_config(const Value::Dict& config) override;
  Value::Dict get_config() const override;
  /// As LayerOf's; throws UnsupportedError where `weights` has a value.
  static std::shared_ptr<BidirectionalLayer> from_config(const Value::Dict& dict);
  /// The states of stateful layers, those of the forward layer first; see RecurrentBase::states.
  std::vector<Variable> states() const;
  /// Makes stateful layers forget.
  void reset_state();
  void reset_states() { reset_state(); }  ///< Keras's other name of it

  std::shared_ptr<Layer> forward_layer,  ///< a copy of the option `layer`
      backward_layer;                    ///< of the other direction

 private:
  Tensor merge(const Tensor& forward, const Tensor& backward) const;

  SequenceOptions options_;
};

/// A shared BidirectionalLayer, made from its options.
using Bidirectional = Ref<BidirectionalLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::BidirectionalLayer, layers::BidirectionalConfig>;
}
