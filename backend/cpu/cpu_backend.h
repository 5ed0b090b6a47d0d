// The CPU as a backend: host memory, and kernels that run at once in the calling thread and its
// team.
#pragma once
#include <string>

#include "../backend.h"
#include "allocator.h"

namespace cornu::backend::cpu {

/// Made once, by cpu_backend().
class CpuBackend final : public Backend {
 public:
  const std::string& name() const override { return name_; }
  std::string description() const override;
  bool on_host() const override { return true; }
  CachingAllocator& allocator() override { return allocator_; }
  void run(const Kernel& kernel, std::span<const Operand> inputs,
           std::span<const Operand> outputs) override;
  std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs) override;
  /// 16 with AVX-512, 8 with AVX, as far as oneDNN may use them (ONEDNN_MAX_CPU_ISA); 0 otherwise.
  int64_t channel_block() const override;
  Fusions fusions() const override { return {.conv_pool = true, .conv_bias_gradient = true}; }
  void copy_from_host(void* device, const void* host, size_t bytes) override;
  void copy_to_host(void* host, const void* device, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;

 private:
  std::string name_ = "cpu";
  CachingAllocator allocator_;
};

}  // namespace cornu::backend::cpu
