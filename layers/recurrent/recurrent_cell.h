// RecurrentCell: what a layer must be so that recurrent layers can step it through a sequence.
#pragma once
#include <functional>
#include <vector>

#include "../../framework/ops/detail/rnn.h"
#include "../layer_options.h"

/// Initial values, of recurrent layers and their cells.
#define CORNU_RECURRENT_INITIALIZERS                         \
  /** Initial values of the kernel. */                       \
  Choice<Initializer> kernel_initializer = "glorot_uniform"; \
  /** Initial values of the recurrent kernel. */             \
  Choice<Initializer> recurrent_initializer = "orthogonal";  \
  /** Initial values of the bias. */                         \
  Choice<Initializer> bias_initializer = "zeros"

/// Penalties on the weights, of recurrent layers and their cells; all are added to the losses.
#define CORNU_RECURRENT_REGULARIZERS              \
  /** Penalty on the kernel. */                   \
  Choice<Regularizer> kernel_regularizer = {};    \
  /** Penalty on the recurrent kernel. */         \
  Choice<Regularizer> recurrent_regularizer = {}; \
  /** Penalty on the bias. */                     \
  Choice<Regularizer> bias_regularizer = {}

/// What each update applies to the weights, and dropout, of recurrent layers and their cells.
#define CORNU_RECURRENT_CONSTRAINTS_AND_DROPOUT                    \
  /** Applied to the kernel after each update. */                  \
  Choice<Constraint> kernel_constraint = {};                       \
  /** Applied to the recurrent kernel after each update. */        \
  Choice<Constraint> recurrent_constraint = {};                    \
  /** Applied to the bias after each update. */                    \
  Choice<Constraint> bias_constraint = {};                         \
  /** Fraction of the inputs to drop while training, in [0, 1]. */ \
  double dropout = 0.0;                                            \
  /** Fraction of the states to drop while training, in [0, 1]. */ \
  double recurrent_dropout = 0.0

namespace cornu::layers {

/// The states between steps, in a flat list.
using States = std::vector<Tensor>;

/// What a step makes of an input and the states before.
struct CellStep {
  Tensor output;  ///< (batch, ...)
  States states;  ///< after the step
};

/// A cell at work on one sequence.
struct Recurrence {
  size_t states = 1;     ///< how many
  int64_t features = 0;  ///< size of the inputs' last axis; 0: any
  /// Draws what is the same for all steps, for inputs of a step's shape (batch, ...) and dtype;
  /// called once, first.
  std::function<void(const Shape& step, DType dtype)> begin = {};
  /// All steps of x (batch, steps, features) in one kernel; nothing when options or what was drawn
  /// need them one by one. Empty where there is no such kernel.
  std::function<std::optional<ops::RnnResult>(const Tensor& x, const States& first, bool backwards)>
      fused_sequence = {};
  /// The inputs' contribution to all steps at once (batch, steps, ...); called once at most.
  std::function<Tensor(const Tensor& x)> input_projection = {};
  /// A step with the inputs' contribution to it (batch, ...). Where `valid` (batch, 1) is false the
  /// states stay; an empty one is true everywhere.
  std::function<CellStep(const Tensor& projected, const States& before, const Tensor& valid)> step =
      {};
  /// Whether a step's output is its first state.
  bool output_is_state = true;
};

/// Base, by way of CellLayer, of the layers that RNN can step. A cell's call takes {x, states} and
/// gives {output, states}:
///
///   class MinimalCell : public CellLayer<MinimalCell, MinimalConfig> {
///     Nest initial_states(int64_t batch) override {
///       return {ops::zeros({batch, config.units})};
///     }
///     Nest call_many(const Nest& inputs, const Call&) override {
///       const Tensor h = ops::matmul(inputs[0], kernel) + ops::matmul(inputs[1][0], recurrent);
///       return {h, Nest{h}};
///     }
///   };
class RecurrentCell {
 public:
  virtual ~RecurrentCell() = default;
  /// The states before the first step, as a list that is nested as the call's states are. The cell
  /// is built.
  virtual Nest initial_states(int64_t batch) = 0;
  /// Size of the output's last axis; by default that of the first state.
  virtual int64_t output_size();
  /// Goes through one sequence; by default by calls of the cell.
  virtual Recurrence recurrence(const Call& call);
  /// The cells of a stack, from the inputs to the output; else this one.
  virtual std::vector<RecurrentCell*> stack() { return {this}; }

 protected:
  /// The cell as a layer. Throws StateError when it is none.
  Layer& as_layer();
};

/// A cell of one's own or of Cornu as a RecurrentCell. Throws ValueError when it is none.
RecurrentCell& as_cell(Layer& layer);

/// The input and the states of a cell's call.
struct CellInputs {
  Tensor x;            ///< (batch, ...)
  States states;       ///< before the step
  bool listed = true;  ///< whether the states came in a list

  /// {output, states}, the states nested as they came.
  Nest result(const Tensor& output, const States& after) const;
};

/// Those of {x, states}, or of x with the argument "states", which are `count` tensors. Throws
/// ShapeError unless they are.
CellInputs cell_inputs(const Nest& inputs, const Call& call, size_t count);
/// The same for x (batch, features) with as many features as the weights, else throws ShapeError.
CellInputs cell_inputs(const Nest& inputs, const Call& call, size_t count, int64_t features);

/// {"input_shape": the shape of x} of a config for {x, states...}; states are no part of what Keras
/// builds from.
Value::Dict sequence_build_config(const Value::Dict& config);

/// Base of Cornu's cells.
template <class Self, class C>
class CellLayer : public LayerOf<Self, C>, public RecurrentCell {
 public:
  using Base = LayerOf<Self, C>;  ///< the layer with options
  using Base::Base;

  /// The shape of x alone; see sequence_build_config.
  Value::Dict get_build_config() const override {
    return sequence_build_config(Base::get_build_config());
  }
  /// "states", which may be given by name.
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"states"};
  }
  /// Those of Keras's call.
  std::vector<std::string> positional_arguments() const override { return {"", "training"}; }
  /// Builds for x's shape, without those of the states.
  void build_from_config(const Value::Dict& config) override {
    Base::build_from_config(sequence_build_config(config));
  }
};

/// `after` where `valid` (batch, 1) holds, else `before`; an empty `valid` holds everywhere.
Tensor keep_masked(const Tensor& valid, const Tensor& after, const Tensor& before);

/// The steps of x (batch, steps, ...) as tensors (batch, ...). The gradient is one join of the
/// steps' gradients, whatever their number.
std::vector<Tensor> steps_of(const Tensor& x);
/// `count` equal sections of an axis of x, by default the last, with the same kind of gradient.
std::vector<Tensor> sections_of(const Tensor& x, int64_t count, int64_t axis = -1);

/// `count` dropout masks of this shape, to multiply with; none when not training or with rate 0.
/// The seed moves on also when not training.
std::vector<Tensor> draw_dropout_masks(SeedGenerator& seeds, double rate, int count,
                                       const Shape& shape, DType dtype, bool training);

/// x (batch[, steps], features) times a mask of dropout (batch, features).
Tensor apply_dropout_mask(const Tensor& x, const Tensor& mask);

/// `dict` without the options of how Keras computes, which change no result, and those of earlier
/// versions that have no effect.
Value::Dict drop_execution_options(const Value::Dict& dict);

}  // namespace cornu::layers
