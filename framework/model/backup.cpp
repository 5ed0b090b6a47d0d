// The files of a backup's folder.
#include "backup.h"

#include <fmt/core.h>

#include "../../backend/log.h"
#include "state_files.h"

namespace cornu {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "backup-";

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

std::optional<RunState> Backup::latest() const {
  std::vector<StateFile> found = state_files(options_.folder, prefix);
  std::string problem;
  for (; !found.empty(); found.pop_back()) {
    try {
      return read_run_state(found.back().path);
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
  try {
    write_run_state(state_path(options_.folder, prefix, state.epoch, state.step), state);
  } catch (FileError& error) {
    error.prepend("The backup of the training run was not written");
    throw;
  }
  std::vector<StateFile> all = state_files(options_.folder, prefix);
  // A run that began at an earlier epoch than those in the folder replaces them.
  const auto is_later = [&](const StateFile& f) { return f.is_after(state.epoch, state.step); };
  for (const StateFile& other : all)
    if (is_later(other)) remove_state_file(other.path);
  std::erase_if(all, is_later);
  const size_t keep = static_cast<size_t>(options_.keep);
  for (size_t i = 0; i + keep < all.size(); ++i) remove_state_file(all[i].path);
}

void Backup::remove() {
  for (const StateFile& file : state_files(options_.folder, prefix)) remove_state_file(file.path);
  std::error_code not_empty;
  fs::remove(options_.folder, not_empty);
}

}  // namespace cornu
