// JournalOptions: where a run of fit writes what it takes to repeat any of its steps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace cornu {

/// Where a run keeps its journal, and what that may cost.
struct JournalOptions {
  std::string folder = {};      ///< made if it is missing; empty: no journal
  int64_t keep = 16;            ///< states that stay, spread over the run; at least 2
  double time_fraction = 0.01;  ///< of the run's time that writing states may take, in (0, 1]
};

/// `.journal = "folder"`, or all of JournalOptions.
class JournalOption {
 public:
  JournalOption() = default;
  JournalOption(const char* folder) : options_{.folder = folder} {}             ///< a folder
  JournalOption(std::string folder) : options_{.folder = std::move(folder)} {}  ///< a folder
  JournalOption(const std::filesystem::path& folder)
      : options_{.folder = folder.string()} {}                             ///< a folder
  JournalOption(JournalOptions options) : options_(std::move(options)) {}  ///< with options

  const JournalOptions& options() const { return options_; }  ///< as given
  bool empty() const { return options_.folder.empty(); }      ///< whether nothing was given

 private:
  JournalOptions options_;
};

}  // namespace cornu
