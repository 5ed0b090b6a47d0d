// Pooling together with its neighbors: a convolution in front, whose results then stay in the
// cache, and backwards the derivative of the relu that made what was pooled.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

using backend::Conv;
using backend::Pool;

class PoolingPass {
 public:
  explicit PoolingPass(Graph& graph) : graph_(graph), links_(graph) {}

  void run() {
    const bool conv_pool = graph_.device->fusions().conv_pool;
    for (Step& step : graph_.steps) {
      if (!step.kernel) continue;
      if (std::holds_alternative<backend::Fused>(*step.kernel)) put_behind_pool(step);
      if (conv_pool && std::holds_alternative<Pool>(*step.kernel)) put_behind_conv(step);
    }
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  DType dtype(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)].dtype; }

  void put_behind_pool(Step& step) {
    if (step.inputs.size() != 2 || step.outputs.size() != 1) return;
    for (const int dy : {0, 1}) {
      const Use &gradient = step.inputs[static_cast<size_t>(dy)],
                &y = step.inputs[static_cast<size_t>(1 - dy)];
      Step* const from = links_.source(gradient);
      Pool* const pool = from ? std::get_if<Pool>(&*from->kernel) : nullptr;
      if (pool == nullptr || !pool->backward || !pool->maximum || from->inputs[0] != y ||
          step.outputs[0].shape != gradient.shape || dtype(step.outputs[0]) != dtype(gradient) ||
          !is_relu_gradient(**program_of(step), 1 - dy, dy))
        continue;
      pool->relu = true;
      return links_.replace(step, *from);
    }
  }

  void put_behind_conv(Step& step) {
    const Pool& pool = std::get<Pool>(*step.kernel);
    if (pool.backward || dtype(step.inputs[0]) != DType::float32 ||
        dtype(step.outputs[0]) != DType::float32)
      return;
    Step* const from = links_.source(step.inputs[0]);
    Conv* const conv = from ? std::get_if<Conv>(&*from->kernel) : nullptr;
    if (conv == nullptr || conv->pass != backend::ConvPass::forward || conv->pool ||
        conv->block_y != pool.block)
      return;
    conv->pool = pool;
    conv->unpooled = step.inputs[0].shape;
    links_.replace(step, *from);
  }

  Graph& graph_;
  StepLinks links_;
};

}  // namespace

void fuse_pooling(Graph& graph) { PoolingPass(graph).run(); }

}  // namespace cornu::plan
