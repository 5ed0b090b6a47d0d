// Running the stages of plans.
#include "launch.h"

namespace cornu::backend::cuda {

PlanExecutable::PlanExecutable(Device& device, const KernelPlan& plan, size_t operands)
    : device_(device), workspace_bytes_(plan.workspace_bytes), operands_(operands) {
  for (const Stage& stage : plan.stages)
    stages_.push_back({stage, device.function(*stage.source), stage.arguments()});
}

void PlanExecutable::run(void* const* data) {
  void* const workspace = device_.workspace(workspace_bytes_);
  for (Ready& ready : stages_) {
    ready.stage.bind({data, operands_}, workspace, ready.block.data());
    device_.launch(ready.function, ready.stage.grid_x, ready.stage.grid_y, Stage::block,
                   ready.block.data(), ready.stage.source->name.c_str());
  }
}

}  // namespace cornu::backend::cuda
