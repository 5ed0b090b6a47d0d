// What BackupAndRestore asks of fit.
#include "backup_and_restore.h"

namespace cornu::callbacks {

BackupAndRestoreCallback::BackupAndRestoreCallback(Config c) : config(std::move(c)) {
  if (config.backup_dir->empty())
    throw ValueError("BackupAndRestore: backup_dir is empty; name a folder for this run.");
}

std::optional<BackupOptions> BackupAndRestoreCallback::backup() const {
  return BackupOptions{.folder = *config.backup_dir,
                       .save_freq = config.save_freq.batches(),
                       .keep = config.double_checkpoint ? 2 : 1,
                       .delete_at_end = config.delete_checkpoint};
}

}  // namespace cornu::callbacks
