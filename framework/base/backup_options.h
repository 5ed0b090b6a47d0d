// BackupOptions: where and how often a run of fit keeps its state, to go on after a crash.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace cornu {

/// Where a run keeps its state, and how often.
struct BackupOptions {
  std::string folder = {};                ///< made if it is missing; empty: no backups
  std::optional<int64_t> save_freq = {};  ///< training batches between two; default: each epoch
  int64_t keep = 2;                       ///< how many stay: the latest ones
  bool delete_at_end = false;             ///< whether they go when training has ended
};

/// `.resume = "folder"`, or all of BackupOptions.
class Resume {
 public:
  Resume() = default;
  Resume(const char* folder) : options_{.folder = folder} {}             ///< a folder
  Resume(std::string folder) : options_{.folder = std::move(folder)} {}  ///< a folder
  Resume(const std::filesystem::path& folder)
      : options_{.folder = folder.string()} {}                     ///< a folder
  Resume(BackupOptions options) : options_(std::move(options)) {}  ///< with options

  const BackupOptions& options() const { return options_; }  ///< as given
  bool empty() const { return options_.folder.empty(); }     ///< whether nothing was given

 private:
  BackupOptions options_;
};

}  // namespace cornu
