// Generated kernels made ready to run.
#pragma once
#include <memory>
#include <vector>

#include "codegen/kernel_plan.h"
#include "device.h"

namespace cornu::backend::cuda {

/// Launches the stages of a plan. Argument blocks are made once; a run writes the addresses into
/// them and allocates nothing.
class PlanExecutable final : public Executable {
 public:
  /// `operands` counts inputs and outputs. What is new is compiled beside other work and loaded by
  /// the first run, or at once where there is no Services::prefetch. Throws what Services::compile
  /// throws, here or there.
  PlanExecutable(Device& device, const KernelPlan& plan, size_t operands);
  void run(void* const* data) override;

 private:
  struct Ready {
    Stage stage;
    CUfunc_st* function;  // null: not loaded yet
    std::vector<uint64_t> block;
  };
  Device& device_;
  std::vector<Ready> stages_;
  size_t workspace_bytes_;
  size_t operands_;
};

}  // namespace cornu::backend::cuda
