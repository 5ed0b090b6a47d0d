// Backup: keeps the states of a run in a folder, beside the training.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "../base/backup_options.h"
#include "background_writer.h"
#include "run_state.h"

namespace cornu {

/// Writes states into a folder from a thread of its own, each as a file that appears whole or not
/// at all, "backup-<epoch>-<step>.zip"; the latest ones stay. A run waits for its first state. When
/// states come faster than the disk takes them, those in between are left out.
class Backup {
 public:
  /// Makes the folder. Throws FileError when that is impossible, ValueError for options out of
  /// range.
  explicit Backup(BackupOptions options);

  /// The newest state that can be read; nothing when the folder has none. Damaged ones are passed
  /// over with a warning. Throws FileError when all that there are are damaged.
  std::optional<RunState> latest() const;
  /// Whether a state is wanted after a group of `batches` training batches.
  bool due(int64_t batches);
  /// Begins to write it. Throws FileError when the one before could not be written.
  void keep(RunState state);
  /// Waits until everything is written. Throws FileError when that failed.
  void wait();
  /// Removes all states, and the folder if nothing else is in it.
  void remove();
  const BackupOptions& options() const { return options_; }  ///< as given

 private:
  void write(const RunState& state);

  BackupOptions options_;
  int64_t batches_ = 0;  // since the last state
  BackgroundWriter writer_;
};

}  // namespace cornu
