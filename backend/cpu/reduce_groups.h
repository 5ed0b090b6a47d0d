// Axes of a reduction, neighbors of a kind merged.
#pragma once
#include <cstdint>
#include <span>

#include "../shape.h"

namespace cornu::backend::cpu {

/// The iteration space of a reduction as groups of axes, alternately kept and reduced, outermost
/// first. There is at least one reduced group.
class ReduceGroups {
 public:
  struct Group {
    int64_t size;
    int64_t stride;       ///< flat distance of neighbors
    int64_t kept_stride;  ///< distance of their results, where kept
    bool reduced;
  };

  ReduceGroups(const Shape& shape, std::span<const int> axes) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 1) continue;
      bool reduced = false;
      for (int a : axes) reduced |= a == axis || a + shape.rank() == axis;
      if (count_ > 0 && groups_[count_ - 1].reduced == reduced)
        groups_[count_ - 1].size *= shape[axis];
      else
        groups_[count_++] = {shape[axis], 1, 1, reduced};
    }
    bool any = false;
    for (int i = 0; i < count_; ++i) any |= groups_[i].reduced;
    if (!any) groups_[count_++] = {1, 1, 1, true};
    int64_t stride = 1;
    for (int i = count_ - 1; i >= 0; --i) {
      groups_[i].stride = stride;
      stride *= groups_[i].size;
      groups_[i].kept_stride = kept_;
      if (!groups_[i].reduced) kept_ *= groups_[i].size;
    }
  }

  int count() const { return count_; }
  const Group& operator[](int i) const { return groups_[i]; }
  /// Number of results.
  int64_t kept() const { return kept_; }

 private:
  Group groups_[Shape::max_rank + 1];
  int count_ = 0;
  int64_t kept_ = 1;
};

}  // namespace cornu::backend::cpu
