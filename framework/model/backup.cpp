// The files of a backup's folder.
#include "backup.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../backend/log.h"

namespace cornu {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "backup-", suffix = ".zip";

}  // namespace

Backup::Backup(BackupOptions options) : options_(std::move(options)) {
  if (options_.folder.empty()) throw ValueError("Backups need a folder; its name is empty.");
  if (options_.save_freq && *options_.save_freq < 1)
    throw ValueError(
        fmt::format("Backups: save_freq must be at least 1 batch, found {}.", *options_.save_freq));
  if (options_.keep < 1)
    throw ValueError(fmt::format("Backups: keep must be at least 1, found {}.", options_.keep));
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error || !fs::is_directory(options_.folder))
    throw FileError(fmt::format("Backups: the folder '{}' cannot be made: {}.", options_.folder,
                                error ? error.message() : "a file has this name"));
}

std::vector<fs::path> Backup::files() const {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) found.push_back(entry.path());
  }
  // Their numbers have leading zeros.
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<RunState> Backup::latest() const {
  std::vector<fs::path> found = files();
  std::string problem;
  for (; !found.empty(); found.pop_back()) {
    try {
      return read_run_state(found.back());
    } catch (const FileError& error) {
      problem = error.what();
      if (found.size() > 1)
        warn_once(fmt::format("A backup cannot be read, so an older one is used: {}", problem));
    }
  }
  if (problem.empty()) return {};
  throw FileError(fmt::format("No backup in '{}' can be read: {} Remove the folder to begin anew.",
                              options_.folder, problem));
}

bool Backup::due(int64_t batches) {
  if (!options_.save_freq) return false;
  batches_ += batches;
  if (batches_ < *options_.save_freq) return false;
  batches_ = 0;
  return true;
}

void Backup::keep(RunState state) {
  const auto kept = std::make_shared<const RunState>(std::move(state));
  writer_.start([this, kept] { write(*kept); });
}

void Backup::wait() { writer_.wait(); }

void Backup::write(const RunState& state) {
  const fs::path path = fs::path(options_.folder) /
                        fmt::format("{}{:010}-{:012}{}", prefix, state.epoch, state.step, suffix);
  try {
    write_run_state(path, state);
  } catch (FileError& error) {
    error.prepend("The backup of the training run was not written");
    throw;
  }
  std::vector<fs::path> all = files();
  // A run that began at an earlier epoch than those in the folder replaces them.
  for (const fs::path& other : all)
    if (other > path) fs::remove(other);
  std::erase_if(all, [&](const fs::path& other) { return other > path; });
  const size_t keep = static_cast<size_t>(options_.keep);
  for (size_t i = 0; i + keep < all.size(); ++i) fs::remove(all[i]);
}

void Backup::remove() {
  for (const fs::path& path : files()) fs::remove(path);
  std::error_code not_empty;
  fs::remove(options_.folder, not_empty);
}

}  // namespace cornu
