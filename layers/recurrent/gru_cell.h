// GRUCell: one step of a gated recurrent unit.
#pragma once
#include "recurrent_cell.h"

namespace cornu::layers {

/// Options of GRUCell, as in Keras.
struct GRUCellConfig {
  Required<int64_t> units;                             ///< size of the state and of the output
  cornu::Activation activation = "tanh";               ///< applied to the candidate state
  cornu::Activation recurrent_activation = "sigmoid";  ///< applied to the gates
  bool use_bias = true;                                ///< add a bias
  CORNU_RECURRENT_INITIALIZERS;
  CORNU_RECURRENT_REGULARIZERS;
  CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT;
  bool reset_after = true;           ///< reset the state's product, not the state itself
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// {x (batch, features), h (batch, units)} -> {h, h}; or x with the argument "states". Cho et al.,
/// Learning Phrase Representations using RNN Encoder-Decoder (2014):
///   z, r = recurrent_activation(x kernel + bias + h recurrent_kernel)
///   g = activation(x kernel + bias + (r h) recurrent_kernel),  h' = z h + (1 - z) g
/// With reset_after g has r (h recurrent_kernel + a second bias) instead. Weights hold the gates in
/// the order z, r, g. Throws ShapeError for another number of features than it was built for.
class GRUCellLayer : public CellLayer<GRUCellLayer, GRUCellConfig> {
 public:
  /// Throws ValueError unless units is positive; dropout rates out of [0, 1] become 0 or 1.
  explicit GRUCellLayer(GRUCellConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Nest initial_states(int64_t batch) override;
  Recurrence recurrence(const Call& call) override;
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<GRUCellLayer> from_config(const Value::Dict& dict);

  /// What is the same for all steps of a sequence.
  struct Sequence {
    std::vector<Tensor> input_masks;  ///< of dropout: none, one for all gates or one for each
    std::vector<Tensor> state_masks;  ///< none, or one for each gate
    std::vector<Tensor> kernels;      ///< sections of the recurrent kernel that are used alone
    Tensor input_bias;                ///< (3 units); none without use_bias
    Tensor state_bias;                ///< (3 units); none without reset_after
  };
  /// Begins a sequence with inputs of this shape (batch, features) and dtype. The seed moves on
  /// also when not training.
  Sequence begin(const Shape& input, DType dtype, bool training);
  /// What the inputs add to the gates, at all steps at once: x (batch[, steps], features) ->
  /// (batch[, steps], 3 units).
  Tensor input_projection(const Tensor& x, const Sequence& sequence) const;
  /// All steps of x (batch, steps, features) in one kernel; nothing where activations, the form of
  /// the cell or dropped states do not allow that.
  std::optional<ops::RnnResult> fused_sequence(const Tensor& x, const States& first,
                                               const Sequence& sequence, bool backwards) const;
  /// The state after a step with the inputs' contribution `projected` (batch, 3 units). Where
  /// `valid` (batch, 1) is false the state stays; an empty one is true everywhere.
  Tensor step(const Tensor& projected, const Tensor& before, const Sequence& sequence,
              const Tensor& valid) const;

  Variable kernel;            ///< (features, 3 units)
  Variable recurrent_kernel;  ///< (units, 3 units)
  Variable bias;              ///< (2, 3 units), inputs' and states'; else (3 units)

 private:
  std::vector<Tensor> state_products(const Tensor& before, const Sequence& sequence) const;
  Tensor blend(const std::vector<Tensor>& x, const std::vector<Tensor>& h, const Tensor& before,
               const Tensor& valid) const;

  SeedGenerator& seeds_;
  bool usual_activations_;
};

using GRUCell = Ref<GRUCellLayer>;  ///< a shared GRUCellLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GRUCellLayer, layers::GRUCellConfig>;
}
