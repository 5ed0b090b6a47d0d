// Layers built as their entries say.
#include "kept_build.h"

#include "model.h"

namespace cornu {

void build_as_kept(Layer& layer, const Value::Dict& entry) {
  // All others are built by the graph, which also knows dtypes, and which sizes are unknown.
  const ClassInfo* const info = catalog().find_class(layer);
  if (!info || info->registered_name.empty() || layer.built() || dynamic_cast<Model*>(&layer))
    return;
  const Value* const build = detail::find(entry, "build_config");
  if (build && build->is<Value::Dict>()) layer.build_from_config(build->get<Value::Dict>());
}

}  // namespace cornu
