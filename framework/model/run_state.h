// RunState: what a run of fit needs to go on as if it had never ended.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "../dispatch/value.h"
#include "arguments.h"

namespace cornu {

/// The state of a run between two steps. Taking one copies no numbers: tensors do not change.
struct RunState {
  int64_t epoch = 0;                    ///< the epoch under way, or the next one
  int64_t step = 0;                     ///< steps done in it
  int64_t steps = 0;                    ///< of an epoch
  bool within = false;                  ///< whether the epoch has begun
  bool finished = false;                ///< whether training has ended
  bool stopped = false;                 ///< whether a callback has asked to end training
  bool pass_open = false;               ///< whether the dataset is within a pass
  int64_t pass_epoch = 0;               ///< the epoch in which that pass began
  int64_t position = 0;                 ///< of the next batch in the pass
  Value::Dict data = {};                ///< the dataset's own
  History history = {};                 ///< of the epochs that are complete
  Value::Dict figures = {};             ///< that the last step gave, if steps give any
  std::vector<std::string> names = {};  ///< of the variables
  std::vector<Tensor> variables = {};   ///< weights, seeds, optimizer, metrics, and other state
  /// Name and state of each callback.
  std::vector<std::pair<std::string, Value::Dict>> callbacks = {};
};

/// Writes a state as a state file (framework/config/state_file.h), whole or not at all. Throws
/// FileError.
void write_run_state(const std::filesystem::path& path, const RunState& state);
/// Reads one. Throws FileError.
RunState read_run_state(const std::filesystem::path& path);

}  // namespace cornu
