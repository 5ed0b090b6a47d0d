// What recurrent layers and cells share: keeping states, dropout masks, and cutting tensors into
// pieces whose gradients are joined again in one pass.
#pragma once
#include <vector>

#include "recurrent_cell.h"

namespace cornu::layers {

/// The steps of x (batch, steps, ...) as tensors (batch, ...). The gradient is one join of the
/// steps' gradients, whatever their number.
std::vector<Tensor> steps_of(const Tensor& x);
/// `count` equal sections of an axis of x, by default the last, with the same kind of gradient.
std::vector<Tensor> sections_of(const Tensor& x, int64_t count, int64_t axis = -1);

/// `count` dropout masks of this shape, to multiply with; none when not training or with rate 0.
/// The seed moves on also when not training.
std::vector<Tensor> draw_masks(SeedGenerator& seeds, double rate, int count, const Shape& shape,
                               DType dtype, bool training);

/// The states in which a stateful layer's last call ended. Files do not keep them.
class KeptStates {
 public:
  /// Keeps these, as `dtype`.
  void make(const States& first, DType dtype);
  explicit operator bool() const { return !variables_.empty(); }
  States values() const;
  void assign(const States& states);
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
  CellConfig cell{size()};
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
