// The order of the passes.
#include "passes.h"

namespace cornu::plan {

void optimize(Graph& graph, const std::function<void(const char* pass, const Graph&)>& after) {
  static constexpr struct {
    const char* name;
    void (*run)(Graph&);
  } passes[] = {{"fold", fold},
                {"merge_common", merge_common},
                {"drop_shifts", drop_shifts},
                {"choose_layouts", choose_layouts},
                {"gather_before_casts", gather_before_casts},
                {"fuse", fuse},
                {"hoist", hoist},
                {"fold_scales", fold_scales},
                {"fuse_epilogues", fuse_epilogues},
                {"fuse_pooling", fuse_pooling},
                {"fuse_bias_gradients", fuse_bias_gradients},
                {"fuse_normalize", fuse_normalize},
                {"merge_small", merge_small},
                {"schedule", schedule}};
  for (const auto& pass : passes) {
    pass.run(graph);
    if (after) after(pass.name, graph);
  }
}

}  // namespace cornu::plan
