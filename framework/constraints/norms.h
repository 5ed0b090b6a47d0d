// What constraints on norms share.
#pragma once
#include "../base/initializer.h"
#include "../base/number.h"
#include "../config/config.h"
#include "../ops/convert.h"

namespace cornu::constraints {

/// The axes over which a norm is taken, as an option: `.axis = 0` or `{0, 1, 2}`.
class NormAxes : public Axes {
 public:
  /// @{
  /// From a number or a list of numbers, as Axes.
  using Axes::Axes;
  /// @}
  /// The same axes.
  NormAxes(const Axes& axes) : Axes(axes) {}
};

/// Added to norms before a division by them.
inline constexpr double epsilon = 1e-7;

/// Sums of squares over the axes, which stay with size 1.
Tensor squared_norms(const Tensor& x, const NormAxes& axes);

}  // namespace cornu::constraints

namespace cornu::detail {
template <>
struct OptionCodec<constraints::NormAxes> {
  static Value encode(const constraints::NormAxes& v) { return v.value(); }
  static constraints::NormAxes decode(const Value& v) { return from_value<Axes>(v); }
};
}  // namespace cornu::detail
