// Which of several ways to run a kernel was taken after trials, for later runs of a program.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "context.h"

namespace cornu::backend::cuda {

/// Choices among ways by a text that names all that they depend on. They lie in small files beside
/// compiled kernels, so that all processes of a machine take the same way, and with it give the
/// same bits, and only the first of them tries. Any number of threads and processes may share the
/// folder. Where it cannot be written, each process chooses for itself.
class TrialChoices {
 public:
  /// Empty: nothing is kept.
  explicit TrialChoices(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Context::part of a device: those in usable_kernel_folder(default_kernel_folder()).
  explicit TrialChoices(Context&);

  /// What was chosen for `key` among `count` ways, if anything.
  std::optional<size_t> find(const std::string& key, size_t count) const;
  /// Keeps a choice. What counts is the result: another process that was faster decides.
  size_t keep(const std::string& key, size_t count, size_t choice) const;

 private:
  std::filesystem::path file_of(const std::string& head) const;

  std::filesystem::path folder_;
};

}  // namespace cornu::backend::cuda
