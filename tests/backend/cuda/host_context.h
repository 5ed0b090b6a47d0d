// What kernels of a CUDA device may use, on the host: for steps that need no device.
#pragma once
#include <cornu/backend/cuda/context.h>

#include <memory>

namespace cornu::backend::testing {

/// Makes kernels ready for the CPU. It has no stream and no scratch memory.
class HostContext final : public cuda::Context {
 public:
  int ordinal() const override { return 0; }
  int architecture() const override { return 90; }
  int multiprocessors() const override { return 1; }
  CUstream_st* stream() const override { return nullptr; }
  void* workspace(size_t) override { return nullptr; }
  size_t workspace_limit() const override { return 0; }
  Allocator& allocator() override { return cpu_backend().allocator(); }
  std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs) override {
    return cpu_backend().prepare(kernel, inputs, outputs);
  }
};

}  // namespace cornu::backend::testing
