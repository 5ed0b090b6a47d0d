// What gather and scatter share: the view of their operands as (outer, axis, inner), and index
// rules.
#pragma once
#include <algorithm>
#include <cstdint>

#include "../shape.h"

namespace cornu::backend::cpu {

/// x is (outer, n, inner), and so are its updates or results with `count` in place of n.
struct IndexedAxes {
  int64_t outer = 1;
  int64_t n = 1;
  int64_t inner = 1;
  int64_t count = 1;

  IndexedAxes(const Shape& x, const Shape& indices, int axis, bool along)
      : n(x[axis]), count(along ? indices[axis] : indices.numel()) {
    for (int i = 0; i < axis; ++i) outer *= x[i];
    for (int i = axis + 1; i < x.rank(); ++i) inner *= x[i];
  }
};

/// Negative indices count from the end; the result may still be out of range.
inline int64_t from_end(int64_t index, int64_t n) { return index < 0 ? index + n : index; }

inline int64_t clamped(int64_t index, int64_t n) {
  return std::clamp<int64_t>(from_end(index, n), 0, n - 1);
}

/// Lanes [begin, end) are pairs (o, b) with b < inner, counted row by row: calls f(o, b0, b1) for
/// each o.
template <class F>
void for_each_lane_run(int64_t inner, int64_t begin, int64_t end, F&& f) {
  while (begin < end) {
    const int64_t o = begin / inner, b0 = begin % inner;
    const int64_t b1 = std::min(inner, b0 + end - begin);
    f(o, b0, b1);
    begin += b1 - b0;
  }
}

}  // namespace cornu::backend::cpu
