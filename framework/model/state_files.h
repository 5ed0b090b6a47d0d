// The files of a folder that hold states of a run.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cornu {

/// A file with the state before a step.
struct StateFile {
  std::filesystem::path path;  ///< of the file
  int64_t epoch = 0;           ///< of the step, from 0
  int64_t step = 0;            ///< of the epoch, from 0

  /// Whether it is the state before a later step than this one.
  bool is_after(int64_t other_epoch, int64_t other_step) const {
    return epoch != other_epoch ? epoch > other_epoch : step > other_step;
  }
};

/// The path of the state before this step: "backup-0000000003-000000000120.zip" in `folder`, where
/// `prefix` is "backup-".
std::filesystem::path state_path(const std::string& folder, std::string_view prefix, int64_t epoch,
                                 int64_t step);

/// The files in `folder` with such names, by epoch and step; others are left out. Throws FileError
/// when the folder cannot be listed.
std::vector<StateFile> state_files(const std::string& folder, std::string_view prefix);

/// Removes a file that is not needed any more. Where that fails, a warning says so: a run does not
/// end for it.
void remove_state_file(const std::filesystem::path& path);

}  // namespace cornu
