// SimpleRNNCell: one step of a fully connected recurrent layer.
#pragma once
#include "recurrent_cell.h"

namespace cornu::layers {

/// Options of SimpleRNNCell, as in Keras.
struct SimpleRNNCellConfig {
  Required<int64_t> units;                ///< size of the state and of the output
  cornu::Activation activation = "tanh";  ///< applied to the new state
  bool use_bias = true;                   ///< add a bias
  CORNU_RECURRENT_INITIALIZERS;
  CORNU_RECURRENT_REGULARIZERS;
  CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT;
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// {x (batch, features), h (batch, units)} -> {h, h}; or x with the argument "states". Elman,
/// Finding Structure in Time (1990): h' = activation(x kernel + h recurrent_kernel + bias). Throws
/// ShapeError for another number of features than it was built for.
class SimpleRNNCellLayer : public CellLayer<SimpleRNNCellLayer, SimpleRNNCellConfig> {
 public:
  /// Throws ValueError unless units is positive; dropout rates out of [0, 1] become 0 or 1.
  explicit SimpleRNNCellLayer(SimpleRNNCellConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Nest initial_states(int64_t batch) override;
  Recurrence recurrence(const Call& call) override;
  /// As LayerOf's, but passes over options of how Keras computes; see drop_execution_options.
  static std::shared_ptr<SimpleRNNCellLayer> from_config(const Value::Dict& dict);

  /// The masks of dropout for one sequence; none that drop nothing.
  struct DropoutMasks {
    Tensor input;  ///< (batch, features)
    Tensor state;  ///< (batch, units)
  };
  /// Draws masks for inputs of this shape (batch, features) and dtype; the seed moves on also when
  /// not training.
  DropoutMasks draw(const Shape& input, DType dtype, bool training);
  /// What the inputs add at all steps at once: x (batch[, steps], features) -> (batch[, steps],
  /// units).
  Tensor input_projection(const Tensor& x, const DropoutMasks& masks) const;
  /// All steps of x (batch, steps, features) in one kernel; nothing where activations, the form of
  /// the cell or dropped states do not allow that.
  std::optional<ops::RnnResult> fused_sequence(const Tensor& x, const States& first,
                                               const DropoutMasks& masks, bool backwards) const;
  /// The state after a step with the inputs' contribution `projected` (batch, units). Where `valid`
  /// (batch, 1) is false the state stays; an empty one is true everywhere.
  Tensor step(const Tensor& projected, const Tensor& before, const DropoutMasks& masks,
              const Tensor& valid) const;

  Variable kernel;            ///< (features, units)
  Variable recurrent_kernel;  ///< (units, units)
  Variable bias;              ///< (units); none without use_bias

 private:
  SeedGenerator& seeds_;
};

/// A shared SimpleRNNCellLayer, made from its options.
using SimpleRNNCell = Ref<SimpleRNNCellLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SimpleRNNCellLayer, layers::SimpleRNNCellConfig>;
}
