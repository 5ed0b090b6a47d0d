// Runs generated kernels on the host: their text, compiled as C++ by the system's compiler, with
// blocks and threads as loops.
#pragma once
#include <cornu/backend/cuda/codegen/kernel_plan.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cornu::backend::testing {

/// How blocks follow each other, and threads between two barriers. No kernel may depend on it.
enum class HostOrder { ascending, descending };

/// What stands in for CUDA's language; the prelude follows.
std::string host_definitions(HostOrder order);

/// Runs all blocks of a kernel on its argument block.
using HostRun = void(const void* words, unsigned grid_x, unsigned grid_y, unsigned threads);

/// C++ that follows the text of a kernel: the function `run_<name>`, a HostRun, and the number
/// `words_<name>`, the length of the argument block.
std::string host_loops(const std::string& name, HostOrder order);

/// How texts are compiled. A kernel rounds as its text says: no contraction, no shortcuts.
inline constexpr const char* host_flags =
    "-std=c++17 -shared -fPIC -w -ffp-contract=off -fno-strict-aliasing -fno-math-errno";

/// The system's compiler: the environment's CXX, or c++.
std::string host_compiler();

/// A folder that is removed with its files at the end of a scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A shared library of many kernels.
class HostKernels {
 public:
  /// Compiles all texts at once. Where there is no compiler, `ok` is false.
  explicit HostKernels(const std::vector<std::shared_ptr<const cuda::Source>>& sources);
  HostKernels(const HostKernels&) = delete;
  HostKernels& operator=(const HostKernels&) = delete;
  ~HostKernels();

  bool ok() const { return library_ != nullptr; }
  /// What the compiler said.
  const std::string& log() const { return log_; }

  /// Runs the stages on host memory: the inputs' addresses, then the outputs'.
  void run(const cuda::KernelPlan& plan, const std::vector<void*>& data) const;

 private:
  TemporaryFolder folder_;
  void* library_ = nullptr;
  std::string log_;
};

}  // namespace cornu::backend::testing
