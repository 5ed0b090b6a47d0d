// What a derivative of batch normalisation sums to over each channel is 0: shifting a channel
// changes nothing. So the gradient of a bias in front of it, which Keras's ResNets have many of,
// needs no pass over the pixels.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// Whether the step sums its only operand, as it is, over all axes but the last.
bool sums_channels(const Step& step) {
  const auto* sum = step.kernel ? std::get_if<backend::Reduce>(&*step.kernel) : nullptr;
  if (!sum || sum->op != backend::ReduceOp::sum || step.inputs.size() != 1 ||
      step.inputs[0].shape != sum->shape || sum->program->passes(0) != 0)
    return false;
  for (int axis = 0; axis < sum->shape.rank(); ++axis) {
    const bool summed = std::find(sum->axes.begin(), sum->axes.end(), axis) != sum->axes.end();
    if (summed == (axis + 1 == sum->shape.rank())) return false;
  }
  return true;
}

// Whether the value is what a normalisation of channels hands back to its operand.
bool is_shiftless(const Step& step, const Use& value) {
  const auto* normalize = step.kernel ? std::get_if<backend::Normalize>(&*step.kernel) : nullptr;
  return normalize && normalize->backward && normalize->channels && normalize->centered &&
         step.outputs[0].value == value.value && step.outputs[0].shape == value.shape;
}

}  // namespace

void zero_sums(Graph& graph) {
  const std::vector<int> producers = graph.producers();
  for (Step& step : graph.steps) {
    if (!sums_channels(step)) continue;
    const int from = producers[static_cast<size_t>(step.inputs[0].value)];
    if (from < 0 || !is_shiftless(graph.steps[static_cast<size_t>(from)], step.inputs[0])) continue;
    step.kernel = backend::Fused{
        backend::Program::make(
            0, [](const std::vector<backend::Expr>&) { return std::vector<backend::Expr>{0}; }),
        compute_of(step)};
    step.inputs.clear();
  }
  drop_dead(graph);
}

}  // namespace cornu::plan
