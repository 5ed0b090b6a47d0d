// The order of the passes.
#include "passes.h"

namespace cornu::plan {

void optimize(Graph& graph, const std::function<void(const char* pass, const Graph&)>& after) {
  static constexpr struct {
    const char* name;
    void (*run)(Graph&);
  } passes[] = {{"fold", fold},
                {"merge_common", merge_common},
                {"drop_bias_before_normalization", drop_bias_before_normalization},
                {"fold_padding", fold_padding},
                {"choose_layouts", choose_layouts},
                {"sink_casts", sink_casts},
                {"fuse", fuse},
                {"hoist", hoist},
                {"fold_normalization", fold_normalization},
                {"fuse_epilogues", fuse_epilogues},
                {"fuse_pooling", fuse_pooling},
                {"fuse_bias_gradients", fuse_bias_gradients},
                {"fuse_normalize", fuse_normalize},
                {"fuse_horizontally", fuse_horizontally},
                {"schedule", schedule}};
  for (const auto& pass : passes) {
    pass.run(graph);
    if (after) after(pass.name, graph);
  }
}

}  // namespace cornu::plan
