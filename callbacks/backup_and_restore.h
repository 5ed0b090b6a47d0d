// BackupAndRestore: lets a run of fit go on after a crash.
#pragma once
#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"
#include "save_freq.h"

namespace cornu::callbacks {

/// Options of BackupAndRestore, as in Keras.
struct BackupAndRestoreConfig {
  Required<std::string> backup_dir;  ///< a folder for this run alone; made if it is missing
  SaveFreq save_freq = "epoch";      ///< "epoch", or a number of training batches between two saves
  bool double_checkpoint = false;    ///< whether the state before the latest is kept too
  bool delete_checkpoint = true;     ///< whether the states go when training has ended
};

/// As keras.callbacks.BackupAndRestore, and exact: weights, optimizer, seeds, metrics, history, the
/// callbacks' own states and the position in the data are kept, written beside the training, and
/// a program that was killed and is started again ends with the bits of one that was not. The same
/// as FitOptions::resume, except that the states go at the end unless delete_checkpoint is false.
class BackupAndRestoreCallback : public Callback {
 public:
  using Config = BackupAndRestoreConfig;  ///< the options
  /// Throws ValueError for an empty folder.
  explicit BackupAndRestoreCallback(Config c);

  std::optional<BackupOptions> backup() const override;
  bool wants_batch_logs() const override { return false; }
  bool looks_on() const override { return true; }

  const Config config;  ///< as given
};

using BackupAndRestore =
    Ref<BackupAndRestoreCallback>;  ///< a shared BackupAndRestoreCallback, made from its options

}  // namespace cornu::callbacks
