// The option `axis` of losses of regions.
#pragma once
#include "../framework/base/loss.h"

namespace cornu::losses {

/// The axes over which a region extends: `.axis = {1, 2, 3}`; by default all.
class RegionAxes : public Axes {
 public:
  /// None (all), one, or a list.
  using Axes::Axes;
  /// From other axes.
  RegionAxes(const Axes& axes) : Axes(axes) {}
};

}  // namespace cornu::losses

namespace cornu::detail {
template <>
struct OptionCodec<losses::RegionAxes> {
  static Value encode(const losses::RegionAxes& v) { return v.value(); }
  static losses::RegionAxes decode(const Value& v) { return from_value<Axes>(v); }
};
}  // namespace cornu::detail
