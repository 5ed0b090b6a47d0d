// How gathers and scatters see their operands.
#pragma once
#include "../../backend.h"

namespace cornu::backend::cuda {

/// x is (outer, n, inner); updates and results have `count` in place of n.
struct IndexedAxes {
  int64_t outer = 1, n = 1, inner = 1, count = 1;

  IndexedAxes(const Shape& x, const Shape& indices, int axis, bool along)
      : n(x[axis]), count(along ? indices[axis] : indices.numel()) {
    for (int i = 0; i < axis; ++i) outer *= x[i];
    for (int i = axis + 1; i < x.rank(); ++i) inner *= x[i];
  }
};

}  // namespace cornu::backend::cuda
