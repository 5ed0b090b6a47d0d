// Reordering, joining and splitting axes by a pattern of names.
#pragma once
#include <string>

#include "op.h"

namespace cornu {

/// Sizes of axes by name, as a dictionary: `{{"n", 2}}`.
class AxesLengths : public Value {
 public:
  AxesLengths() = default;  ///< none
  /// In braces.
  AxesLengths(std::initializer_list<std::pair<const char*, int64_t>> sizes)
      : Value(Value::Dict(sizes.begin(), sizes.end())) {}
  /// From anything that Value is made from.
  template <std::convertible_to<Value> T>
  AxesLengths(const T& sizes) : Value(sizes) {}
};

namespace detail {
template <>
struct FromValue<AxesLengths> {
  static AxesLengths get(const Value& v) { return v; }
};
}  // namespace detail

}  // namespace cornu

namespace cornu::ops {

/// The axes of a tensor as a pattern has them: rearrange(x, "b h w c -> b (h w) c") joins two of
/// them. Every axis has a name, those in brackets make up one axis together, and both sides have
/// the same names. `axes_lengths` is a dictionary of sizes, for names whose size does not follow:
/// rearrange(x, "(b n) c -> b n c", {{"n", 2}}). Throws ValueError when the pattern
/// cannot be read, ShapeError when it does not fit.
Tensor rearrange(const Tensor& tensor, const std::string& pattern,
                 const AxesLengths& axes_lengths = {});

}  // namespace cornu::ops
