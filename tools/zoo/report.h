// What a check of a model found, written line by line so that a crash loses nothing.
#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "compare.h"

namespace cornu::zoo {

/// The kinds of checks, each with a line in the summary.
inline constexpr const char* kinds[] = {"predict", "resave", "train", "legacy", "keras"};

/// One check: its kind, the files that it is about, and why it failed.
struct Check {
  std::string kind;
  std::string what;
  std::string reason;  ///< empty when it passed
  double error = 0;    ///< the largest, relative to the largest expected value
  bool finished = true;
  bool passed() const { return finished && reason.empty(); }
};

/// Writes the checks of one model to a file.
class ReportWriter {
 public:
  explicit ReportWriter(const std::filesystem::path& path) : file_(path) {}
  /// Runs a check; an exception is its failure.
  void check(const std::string& kind, const std::string& what,
             const std::function<Difference()>& run);

 private:
  std::ofstream file_;
};

/// The checks that a writer wrote; the last one is not finished when the writer came to a sudden
/// end in it.
std::vector<Check> read_report(const std::filesystem::path& path);

/// The file of the report in the form of --json.
void write_json(const std::filesystem::path& path,
                const std::vector<std::pair<std::string, std::vector<Check>>>& models);

}  // namespace cornu::zoo
