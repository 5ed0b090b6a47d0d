// SimpleRNNCell: one step of a fully connected recurrent layer.
#pragma once
#include "recurrent_cell.h"

namespace cornu::layers {

struct SimpleRNNCellConfig {
  Required<int64_t> units;
  cornu::Activation activation = "tanh";
  bool use_bias = true;
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> recurrent_initializer = "orthogonal";
  Choice<Initializer> bias_initializer = "zeros";
  Choice<Regularizer> kernel_regularizer = {};
  Choice<Regularizer> recurrent_regularizer = {};
  Choice<Regularizer> bias_regularizer = {};
  Choice<Constraint> kernel_constraint = {};
  Choice<Constraint> recurrent_constraint = {};
  Choice<Constraint> bias_constraint = {};
  double dropout = 0.0;            ///< share of the inputs to drop while training
  double recurrent_dropout = 0.0;  ///< share of the states to drop while training
  std::optional<int64_t> seed = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// {x (batch, features), h (batch, units)} -> {h, h}; or x with the argument "states". Elman,
/// Finding Structure in Time (1990): h' = activation(x kernel + h recurrent_kernel + bias).
class SimpleRNNCellLayer : public CellLayer<SimpleRNNCellLayer, SimpleRNNCellConfig> {
 public:
  explicit SimpleRNNCellLayer(SimpleRNNCellConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Nest initial_states(int64_t batch) override;
  Recurrence recurrence(const Call& call) override;
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
  /// The state after a step with the inputs' share `projected` (batch, units). Where `valid`
  /// (batch, 1) is false the state stays; an empty one is true everywhere.
  Tensor step(const Tensor& projected, const Tensor& before, const DropoutMasks& masks,
              const Tensor& valid) const;

  Variable kernel;            ///< (features, units)
  Variable recurrent_kernel;  ///< (units, units)
  Variable bias;              ///< (units); none without use_bias

 private:
  SeedGenerator& seeds_;
};

using SimpleRNNCell = Ref<SimpleRNNCellLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SimpleRNNCellLayer, layers::SimpleRNNCellConfig>;
}
