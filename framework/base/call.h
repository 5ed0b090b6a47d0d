// Call: what a layer is told besides its inputs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../config/config.h"
#include "../tensor/tensor.h"

namespace cornu {

/// What a layer is told besides its inputs. Layers called inside inherit `training` unless they are
/// given their own.
struct Call {
  /// Whether dropout, batch normalization and the like train; empty: as the surrounding call, else
  /// not.
  std::optional<bool> training = {};
  /// Which steps of the input are real; by default the mask that the input carries.
  Tensor mask = {};
  /// The same for several inputs, a mask or an empty tensor for each.
  std::vector<Tensor> masks = {};
  /// Further arguments by name, such as initial_state; see Layer::argument_names.
  Value::Dict extra = {};

  bool is_training() const { return training.value_or(false); }  ///< false where nobody has said so
  /// An argument of `extra`, or null.
  const Value* find(const std::string& name) const { return detail::find(extra, name); }
};

/// How the arguments of a call are written: as tensors for `call`, or as a graph and Keras's files
/// keep them.
enum class CallForm : uint8_t { tensors, graph };

}  // namespace cornu
