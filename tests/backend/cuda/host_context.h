// What kernels of a CUDA device may use, on the host: for steps that need no device.
#pragma once
#include <cornu/backend/cuda/context.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "host_form.h"

namespace cornu::backend::testing {

/// Makes kernels ready for the CPU, and stages as their host form, where there is a compiler. It
/// has no stream and no scratch memory.
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
  std::unique_ptr<Executable> prepare_stages(const cuda::KernelPlan& plan,
                                             size_t operands) override {
    class Stages final : public Executable {
     public:
      Stages(const cuda::KernelPlan& plan, size_t operands)
          : plan_(plan), kernels_(sources(plan)), operands_(operands) {
        if (!kernels_.ok()) throw std::runtime_error(kernels_.log());
      }
      void run(void* const* data) override { kernels_.run(plan_, {data, data + operands_}); }

     private:
      static std::vector<std::shared_ptr<const cuda::Source>> sources(
          const cuda::KernelPlan& plan) {
        std::vector<std::shared_ptr<const cuda::Source>> all;
        for (const cuda::Stage& stage : plan.stages) all.push_back(stage.source);
        return all;
      }
      cuda::KernelPlan plan_;
      HostKernels kernels_;
      size_t operands_;
    };
    return std::make_unique<Stages>(plan, operands);
  }
};

}  // namespace cornu::backend::testing
