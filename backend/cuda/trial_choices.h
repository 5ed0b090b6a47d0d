// Which of several ways to run a kernel was taken after trials, for later runs of a program.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
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
  /// Context::part of a device: those in default_kernel_folder().
  explicit TrialChoices(Context&);

  /// The choice for `key` among `count` ways, which `choose` makes where none is kept. A process
  /// that was faster decides.
  size_t get(const std::string& key, size_t count, const std::function<size_t()>& choose) const;

 private:
  std::optional<size_t> load(const std::filesystem::path& file, const std::string& head,
                             size_t count) const;

  std::filesystem::path folder_;
};

}  // namespace cornu::backend::cuda
