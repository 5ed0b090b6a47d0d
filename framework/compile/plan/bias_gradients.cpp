// The gradient of a bias, the sum of dy over all but its channels, comes with that of the filters,
// for which dy is read anyway. Only where channels lie in blocks: elsewhere a plan gives the bits
// that its steps give by themselves, and so should the sums.
#include <algorithm>
#include <optional>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

using backend::Conv;
using backend::Reduce;

// Whether the step sums `dy`, whatever its axes before the last are, over all but its channels,
// which may lie in blocks.
bool sums(const Step& step, const Use& dy, int64_t block) {
  if (!sums_pixels(step, block)) return false;
  const Use& summed = step.inputs[0];
  if (summed.value != dy.value || summed.shape.back() != dy.shape.back()) return false;
  if (block != 0 && summed.shape != dy.shape) return false;
  const Reduce& sum = std::get<Reduce>(*step.kernel);
  return sum.scale == 1 && sum.compute == DType::float32;
}

class BiasGradientPass {
 public:
  explicit BiasGradientPass(Graph& graph) : graph_(graph), producers_(graph.producers()) {}

  void run() {
    const int count = static_cast<int>(graph_.steps.size());
    for (int i = 0; i < count; ++i) {
      Conv* const conv = conv_of(step(i));
      if (!conv) continue;
      const auto sum = find_sum(step(i), conv->block_y);
      if (!sum) continue;
      conv->bias = true;
      join(i, *sum);
    }
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  Step& step(int i) { return graph_.steps[static_cast<size_t>(i)]; }
  DType dtype(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)].dtype; }

  // A convolution's backward pass over its filters, alone.
  Conv* conv_of(Step& step) const {
    Conv* const conv = step.kernel ? std::get_if<Conv>(&*step.kernel) : nullptr;
    const bool fits = conv != nullptr && conv->pass == backend::ConvPass::backward_weights &&
                      !conv->bias && conv->block_y != 0 && dtype(step.outputs[0]) == DType::float32;
    return fits ? conv : nullptr;
  }

  // Gives step i the result of the step `sum`.
  void join(int i, int sum) {
    const Use bias = step(sum).outputs[0];
    step(i).outputs.push_back({bias.value, Shape{bias.shape.numel()}});
    Step joined = std::move(step(i));
    // At the earlier of the two, since something in between may read its result already.
    const int place = std::min(i, sum);
    step(i) = step(sum) = {};
    step(place) = std::move(joined);
    for (const Use& output : step(place).outputs)
      producers_[static_cast<size_t>(output.value)] = place;
  }

  // The sum of dy, if the two can be done where the earlier one is.
  std::optional<int> find_sum(const Step& step, int64_t block) {
    const DType type = dtype(step.outputs[0]);
    int ready = -1;  // the last step that this one waits for
    for (const Use& use : step.inputs) {
      if (dtype(use) != type) return {};
      ready = std::max(ready, producers_[static_cast<size_t>(use.value)]);
    }
    for (int i = ready + 1; i < static_cast<int>(graph_.steps.size()); ++i)
      if (sums(this->step(i), step.inputs[1], block) && dtype(this->step(i).outputs[0]) == type)
        return i;
    return {};
  }

  Graph& graph_;
  std::vector<int> producers_;
};

}  // namespace

void fuse_bias_gradients(Graph& graph) {
  if (graph.device->fusions().conv_bias_gradient) BiasGradientPass(graph).run();
}

}  // namespace cornu::plan
