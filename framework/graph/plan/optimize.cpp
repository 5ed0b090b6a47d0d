// The order of the passes.
#include "passes.h"

namespace cornu::plan {

void optimize(Graph& graph) {
  fold(graph);
  merge_common(graph);
  choose_layouts(graph);
  fuse(graph);
  hoist(graph);
  fold_scales(graph);
  fuse_epilogues(graph);
}

}  // namespace cornu::plan
