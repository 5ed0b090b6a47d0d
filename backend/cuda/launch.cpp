// Running the stages of plans.
#include "launch.h"

namespace cornu::backend::cuda {

PlanExecutable::PlanExecutable(Device& device, const KernelPlan& plan, size_t operands)
    : device_(device), workspace_bytes_(plan.workspace_bytes), operands_(operands) {
  // All are begun before one is waited for.
  for (const Stage& stage : plan.stages) stages_.push_back({stage, nullptr, stage.arguments()});
  std::vector<bool> begun;
  for (const Ready& ready : stages_) begun.push_back(device.prefetch(ready.stage.source));
  for (size_t i = 0; i < stages_.size(); ++i)
    if (!begun[i]) stages_[i].function = device.function(*stages_[i].stage.source);
}

void PlanExecutable::run(void* const* data) {
  void* const workspace = device_.workspace(workspace_bytes_);
  for (Ready& ready : stages_) {
    if (!ready.function) ready.function = device_.function(*ready.stage.source);
    ready.stage.bind({data, operands_}, workspace, ready.block.data());
    device_.launch(ready.function, ready.stage.grid_x, ready.stage.grid_y, Stage::block,
                   ready.block.data(), ready.stage.source->name.c_str());
  }
}

}  // namespace cornu::backend::cuda
