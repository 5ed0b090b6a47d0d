// The folder of a run of training: what lies where, and run.json.
#pragma once
#include <cornu/framework/dispatch/value.h>

#include <filesystem>
#include <optional>
#include <string>

#include "commands.h"

namespace cornu::cli {

/// Where a run keeps its files.
class RunFolder {
 public:
  /// Looks at what is there, and changes nothing. Throws FileError when the folder has something in
  /// it and neither --resume nor --overwrite was given, or --resume and it is no run.
  RunFolder(const std::string& path, bool resume, bool overwrite);
  /// Makes the folder. The files of an earlier run go, unless that one goes on. Throws FileError.
  void make() const;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::string model() const { return path("model.keras").string(); }
  std::string backup() const { return path("backup").string(); }
  std::string journal() const { return path("journal").string(); }
  std::string checkpoints() const { return path("checkpoints").string(); }

  /// run.json of the run that goes on; nothing for a new one.
  const std::optional<Value::Dict>& earlier() const { return earlier_; }
  /// Replaces run.json, whole or not at all.
  void write(const Value::Dict& run) const;

 private:
  std::filesystem::path folder_;
  std::optional<Value::Dict> earlier_;
};

/// What the numbers of a run follow from, as run.json has it.
Value::Dict options_of(const TrainOptions& options);
/// The options that run.json has: the opposite of options_of. Throws FileError where one is missing
/// or of another kind.
TrainOptions options_from(const Value::Dict& run);
/// Throws ValueError that names the first option which differs from those of the earlier run; the
/// number of epochs may.
void check_same(const Value::Dict& earlier_run, const Value::Dict& options);
/// The size of a file, or of all files in a folder.
int64_t bytes_in(const std::filesystem::path& path);
/// The entry of this name as text; "" when there is none.
std::string text_in(const Value::Dict& dict, const std::string& name);
/// The entry of this name as a number; `otherwise` when there is none.
double number_in(const Value::Dict& dict, const std::string& name, double otherwise = 0);
/// The processor, how many threads, the device, the machine's name, and Cornu's version.
Value::Dict machine();
/// Now, in UTC: "2026-05-04T12:30:00Z".
std::string now();

}  // namespace cornu::cli
