// Call: what a layer is told besides its inputs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "../config/config.h"
#include "../tensor/tensor.h"

namespace cornu {

/// Whether a call trains: true, false, or as the surrounding call does, where nobody has said.
class TrainingFlag {
 public:
  TrainingFlag() = default;                                         ///< nobody has said
  TrainingFlag(bool training) : value_(training) {}                 ///< this
  TrainingFlag(std::optional<bool> training) : value_(training) {}  ///< this; empty: nobody has
  /// Whether it trains, as a condition: `if (call.training)`. False where nobody has said.
  explicit operator bool() const { return value_.value_or(false); }
  bool has_value() const { return value_.has_value(); }               ///< whether somebody has said
  bool operator*() const { return *value_; }                          ///< what was said
  bool value_or(bool other) const { return value_.value_or(other); }  ///< the same or `other`
  void reset() { value_.reset(); }                                    ///< as if nobody had said
  /// For those who hand it on.
  operator std::optional<bool>() const { return value_; }

 private:
  std::optional<bool> value_;
};

/// What a layer is told besides its inputs. Layers called inside inherit `training` unless they are
/// given their own.
struct Call {
  /// Whether dropout, batch normalization and the like train; by default as the surrounding call
  /// does, else not.
  TrainingFlag training = {};
  /// Which steps of the input are real; by default the mask that the input carries.
  Tensor mask = {};
  /// The same for several inputs, a mask for each; an empty tensor means none, whatever the input
  /// carries.
  std::vector<Tensor> masks = {};
  /// Further arguments by name, such as initial_state; see Layer::argument_names.
  Value::Dict extra = {};

  bool is_training() const { return bool(training); }  ///< false where nobody has said so
  /// An argument of `extra`, or null.
  const Value* find(const std::string& name) const { return detail::find(extra, name); }
};

/// How the arguments of a call are written: as tensors for `call`, or as a graph and Keras's files
/// keep them.
enum class CallForm : uint8_t { tensors, graph };

}  // namespace cornu
