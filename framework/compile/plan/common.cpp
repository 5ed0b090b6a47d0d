// Equal steps on equal inputs are done once.
#include <unordered_map>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {

void merge_common(Graph& graph) {
  Aliases aliases(graph);
  std::unordered_multimap<size_t, size_t> seen;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    Step& step = graph.steps[i];
    if (!step.kernel) continue;
    size_t hash = step.kernel->index() * 31 + step.inputs.size();
    for (Use& use : step.inputs) {
      // At once, so that steps on equal steps are found equal as well.
      use.value = aliases(use.value);
      hash = hash * 1000003 + static_cast<size_t>(use.value);
    }
    if (const backend::ProgramRef* program = program_of(step))
      hash = hash * 31 + (*program)->hash();
    bool found = false;
    for (auto [it, end] = seen.equal_range(hash); it != end; ++it) {
      const Step& other = graph.steps[it->second];
      // Recomputation is meant: merged with the first computation it would keep the memory that it
      // saves.
      if (other.again != step.again || other.inputs != step.inputs ||
          other.outputs.size() != step.outputs.size() || !(*other.kernel == *step.kernel))
        continue;
      bool equal = true;
      for (size_t k = 0; k < step.outputs.size(); ++k)
        equal &= other.outputs[k].shape == step.outputs[k].shape &&
                 graph.values[static_cast<size_t>(other.outputs[k].value)].dtype ==
                     graph.values[static_cast<size_t>(step.outputs[k].value)].dtype;
      if (!equal) continue;
      for (size_t k = 0; k < step.outputs.size(); ++k)
        aliases.set(step.outputs[k].value, other.outputs[k].value);
      found = true;
      break;
    }
    if (!found) seen.emplace(hash, i);
  }
  aliases.apply(graph);
  drop_dead(graph);
}

}  // namespace cornu::plan
