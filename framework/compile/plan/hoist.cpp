// What depends on unchanging variables only is done once.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {

void hoist(Graph& graph) {
  const std::vector<char> stable = stable_values(graph);
  // A result of the function is made anew in each run.
  std::vector<char> handed_out(graph.values.size(), 0);
  for (const Use& use : graph.outputs) handed_out[static_cast<size_t>(use.value)] = 1;
  for (const Assignment& a : graph.assignments) handed_out[static_cast<size_t>(a.value)] = 1;
  for (Step& step : graph.steps)
    // A fill without operands is as cheap to do again as to keep.
    step.prologue = step.kernel && !step.inputs.empty() &&
                    std::all_of(step.outputs.begin(), step.outputs.end(), [&](const Use& use) {
                      return stable[static_cast<size_t>(use.value)] != 0 &&
                             handed_out[static_cast<size_t>(use.value)] == 0;
                    });
  // What such a step reads must come before it: those whose operands are not all done once are not
  // either.
  // Stability alone is not enough: a host step, say, is never done once, whatever it reads.
  std::vector<char> late(graph.values.size(), 0);
  for (Step& step : graph.steps) {
    for (const Use& use : step.inputs)
      step.prologue = step.prologue && late[static_cast<size_t>(use.value)] == 0;
    if (!step.prologue)
      for (const Use& use : step.outputs) late[static_cast<size_t>(use.value)] = 1;
  }
  // Keeps both groups in an order in which they can run; none of the first reads one of the second.
  std::stable_partition(graph.steps.begin(), graph.steps.end(),
                        [](const Step& step) { return step.prologue; });
}

}  // namespace cornu::plan
