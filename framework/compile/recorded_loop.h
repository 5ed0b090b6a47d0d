// Loops of a function that is being recorded, as one step that runs the body's plan in rounds.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "../tensor/nest.h"
#include "control_flow.h"

namespace cornu::ops::control {

/// What a loop does: state, y = body(state, x) in each round, for the slices x of xs.
struct LoopCode {
  const char* op;  ///< name for errors
  /// One round.
  std::function<Scanned(const Nest& state, const Nest& x)> body;
  /// Asked before each round; none: there are always `count` rounds.
  std::function<Tensor(const Nest& state)> holds;
  Nest init;             ///< the first state
  Nest xs;               ///< empty, or tensors with `count` slices
  int64_t count = 0;     ///< rounds, or the most of them; < 0: no bound
  bool reverse = false;  ///< walks xs from the end
};

/// The loop as one step of the recording under way, with its gradient if a tape is open. Empty when
/// it cannot be one, and nothing has happened: the state changes its shape or dtype, a value is
/// looked at, trainable variables are assigned under a tape, several tapes are open, or one is and
/// the number of rounds has no bound. `why` says which.
std::optional<Scanned> record_loop(const LoopCode& code, std::string* why = nullptr);

}  // namespace cornu::ops::control
