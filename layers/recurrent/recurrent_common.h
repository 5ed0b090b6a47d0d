// What recurrent layers share: going through the steps, keeping states, dropout masks, and cutting
// tensors into pieces whose gradients are joined again in one pass.
#pragma once
#include <functional>
#include <vector>

#include "../../framework/ops/rnn.h"
#include "../layer_common.h"

namespace cornu::layers {

/// The steps of x (batch, steps, ...) as tensors (batch, ...). The gradient is one join of the
/// steps' gradients, whatever their number.
std::vector<Tensor> steps_of(const Tensor& x);
/// `count` equal sections of the last axis of x, with the same kind of gradient.
std::vector<Tensor> sections_of(const Tensor& x, int64_t count);

/// `count` dropout masks of this shape, to multiply with; none when not training or with rate 0.
/// The seed moves on also when not training.
std::vector<Tensor> draw_masks(SeedGenerator& seeds, double rate, int count, const Shape& shape,
                               DType dtype, bool training);

/// The states of a layer between steps, each (batch, units); the first is the step's output.
using States = std::vector<Tensor>;

/// The input and the states of a cell's call: {x, states} or x with the argument "states". Throws
/// ShapeError unless x is (batch, features) with as many features as the weights, and the states
/// are `count`.
std::vector<Tensor> cell_inputs(const Nest& inputs, const Call& call, size_t count,
                                int64_t features);

/// The states in which a stateful layer's last call ended. Files do not keep them.
class KeptStates {
 public:
  /// Makes `count` states of zeros for inputs of this shape (batch, ...). Throws ShapeError when
  /// the batch size is not known.
  void make(const Shape& input, int64_t units, int count, DType dtype);
  explicit operator bool() const { return !variables_.empty(); }
  States values() const;
  void assign(const States& states);
  /// Zeros again; nothing where there are none.
  void reset();

 private:
  std::vector<Variable> variables_;
};

/// How a layer goes through the steps; the options of these names.
struct SequenceOptions {
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool unroll = false;
  bool zero_output_for_mask = false;
};

/// Those options of a layer's config.
template <class Config>
SequenceOptions sequence_options(const Config& c) {
  return {c.return_sequences, c.return_state, c.go_backwards, c.unroll, c.zero_output_for_mask};
}

/// What differs between recurrent layers.
struct Recurrence {
  int64_t units = 0;
  int64_t features = 0;  ///< size of the inputs' last axis
  size_t states = 1;     ///< how many
  DType dtype = DType::float32;
  SequenceOptions options = {};
  /// Draws what is the same for all steps of x (batch, steps, features); called once, first.
  std::function<void(const Tensor& x)> begin = {};
  /// All steps in one kernel; nothing when options or what was drawn need them one by one.
  std::function<std::optional<ops::RnnResult>(const Tensor& x, const States& first)> whole = {};
  /// The inputs' share of all steps at once; called once at most.
  std::function<Tensor(const Tensor& x)> project = {};
  /// The states after a step with the inputs' share of it (batch, ...). Where `real` (batch, 1) is
  /// false they stay; an empty one is true everywhere.
  std::function<States(const Tensor& projected, const States& before, const Tensor& real)> step =
      {};
};

/// A recurrent layer's call. `inputs` are x (batch, steps, features) and perhaps the first states,
/// which the argument "initial_state" gives as well; else the layer begins with those kept, or with
/// zeros. Throws ShapeError when a shape does not fit.
Nest call_recurrent(const Nest& inputs, const Call& call, const Recurrence& recurrence,
                    KeptStates& kept);

/// The cell's options out of those of its layer: the members of the same names. The name and the
/// dtype are the arguments.
template <class CellConfig, class Config>
CellConfig cell_config(const Config& config, const char* name, const DTypePolicy& dtype) {
  CellConfig cell{config.units};
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

/// x (batch[, steps], features) times a mask of dropout (batch, features).
Tensor drop(const Tensor& x, const Tensor& mask);

/// `dict` without the options of how Keras computes, which change no result, and those of earlier
/// versions that have no effect.
Value::Dict without_ways_to_compute(const Value::Dict& dict);

}  // namespace cornu::layers
