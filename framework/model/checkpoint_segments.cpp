// Cutting steps into sections, and running one.
#include "checkpoint_segments.h"

#include <algorithm>

#include "../base/call_scope.h"

namespace cornu::detail {
namespace {

// Cuts into sections each of which makes, with all that is kept before it, at most `limit`: those
// that keep least. Empty when there are none.
std::vector<size_t> cuts_within(const std::vector<StepSize>& steps, double limit) {
  const size_t n = steps.size();
  constexpr double never = std::numeric_limits<double>::infinity();
  // Dynamic programming over the ends of segments: the least that is kept when a segment ends here.
  std::vector<double> kept(n + 1, never);  // before the step, if a section begins there
  std::vector<size_t> from(n + 1, 0);
  kept[0] = 0;
  for (size_t end = 1; end <= n; ++end) {
    const double across = end == n ? 0 : steps[end - 1].across;
    if (across == never) continue;
    double made = 0;
    for (size_t begin = end; begin-- > 0;) {
      made += steps[begin].made;
      // Longer segments only make more.
      if (made > limit) break;
      if (kept[begin] + made <= limit && kept[begin] + across < kept[end]) {
        kept[end] = kept[begin] + across;
        from[end] = begin;
      }
    }
  }
  std::vector<size_t> ends;
  if (kept[n] == never) return ends;
  for (size_t end = n; end > 0; end = from[end]) ends.push_back(end);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

}  // namespace

std::vector<size_t> segment_ends(const std::vector<StepSize>& steps) {
  double least = 0, most = 0;
  for (const StepSize& step : steps) {
    least = std::max(least, step.made);
    most += step.made;
  }
  std::vector<size_t> best = {steps.size()};
  // To a thousandth: sizes are estimates.
  // Bisection on the peak, for which cuts_within answers whether it can be met.
  while (most - least > 1e-3 * most) {
    const double limit = (least + most) / 2;
    if (std::vector<size_t> ends = cuts_within(steps, limit); ends.empty()) {
      least = limit;
    } else {
      best = std::move(ends);
      most = limit;
    }
  }
  return best;
}

bool wants_segments(const Model& model, const Nest& inputs) {
  if (!model.compile_options().remat || !call_context().training.value_or(false) ||
      // Without a tape nobody asks for gradients, and recomputation would be for nothing.
      graph_context().recorders.empty())
    return false;
  const std::vector<Tensor> tensors = inputs.flatten();
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.is_eager(); });
}

}  // namespace cornu::detail
