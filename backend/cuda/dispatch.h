// Who runs a kernel: a library, a generated kernel, or a composition of other kernels.
#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "device.h"

namespace cornu::backend::cuda {

/// `kernel` made ready by the first that can: a library, the generator, a composition. Operands'
/// `data` are not looked at. Inside a Session. Throws UnsupportedError when none can.
std::unique_ptr<Executable> make_executable(Device& device, const Kernel& kernel,
                                            std::span<const Operand> inputs,
                                            std::span<const Operand> outputs);

/// The same by the generator alone; null where it has no such kernel.
std::unique_ptr<Executable> make_generated(Device& device, const Kernel& kernel,
                                           std::span<const Operand> inputs,
                                           std::span<const Operand> outputs);

/// Executables of eager calls by kernel, shapes and dtypes. Those used longest ago go first.
class ExecutableCache {
 public:
  static constexpr size_t default_size = 4096;
  using Maker = std::function<std::unique_ptr<Executable>()>;

  explicit ExecutableCache(size_t most = default_size) : most_(most) {}

  /// What `make` gave for such a call, now or before.
  const std::shared_ptr<Executable>& get(const Kernel& kernel, std::span<const Operand> inputs,
                                         std::span<const Operand> outputs, const Maker& make);
  void clear();
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t hash;
    Kernel kernel;
    size_t inputs;
    std::vector<std::pair<Shape, DType>> operands;
    std::shared_ptr<Executable> executable;
    bool serves(const Kernel& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs) const;
  };

  size_t most_;
  std::list<Entry> entries_;  // the one used last first
  std::unordered_map<uint64_t, std::list<Entry>::iterator> by_hash_;
};

/// The same for equal kernels.
uint64_t kernel_hash(const Kernel& kernel);

}  // namespace cornu::backend::cuda
