// Layers inside of layers.
#pragma once
#include "layer.h"

namespace cornu::detail {

/// Whether a layer is another one, or has it somewhere inside.
inline bool is_or_has(const Layer& layer, const Layer& wanted) {
  if (&layer == &wanted) return true;
  for (const auto& inside : layer.sublayers())
    if (is_or_has(*inside, wanted)) return true;
  return false;
}

}  // namespace cornu::detail
