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
