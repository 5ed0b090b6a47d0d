// Listing and removing the files of states.
#include "state_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "../../backend/error.h"
#include "../../backend/log.h"

namespace cornu {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".zip";

// The number that all of `text` is; none where it is no such.
std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

fs::path state_path(const std::string& folder, std::string_view prefix, int64_t epoch,
                    int64_t step) {
  return fs::path(folder) / fmt::format("{}{:010}-{:012}{}", prefix, epoch, step, suffix);
}

std::vector<StateFile> state_files(const std::string& folder, std::string_view prefix) {
  std::vector<StateFile> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const std::string_view place =
        std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    const size_t dash = place.find('-');
    if (dash == std::string_view::npos) continue;
    const auto epoch = number_of(place.substr(0, dash)), step = number_of(place.substr(dash + 1));
    if (epoch && step) found.push_back({at->path(), *epoch, *step});
  }
  if (error)
    throw FileError(
        fmt::format("The folder '{}' with the states of a training run cannot be read: {}.", folder,
                    error.message()));
  std::sort(found.begin(), found.end(),
            [](const StateFile& a, const StateFile& b) { return b.is_after(a.epoch, a.step); });
  return found;
}

void remove_state_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error)
    warn_once(fmt::format("'{}', an old state of a training run, cannot be removed: {}.",
                          path.string(), error.message()));
}

}  // namespace cornu
