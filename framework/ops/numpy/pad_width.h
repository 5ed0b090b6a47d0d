// PadWidth: how many elements `pad` adds around the axes of a tensor.
#pragma once
#include "../convert.h"

namespace cornu {

/// Elements before and after each axis, as Keras takes them: `{{1, 2}, {0, 0}}` a pair for each
/// axis; `{1, 2}` or `{{1, 2}}` one pair for all axes; `1` that many on both sides of all axes.
class PadWidth : public std::vector<std::vector<int64_t>> {
 public:
  /// So many before and after each axis.
  template <std::integral T>
  PadWidth(T width) : PadWidth({static_cast<int64_t>(width), static_cast<int64_t>(width)}) {}
  /// Before and after each axis.
  PadWidth(std::initializer_list<int64_t> pair) : vector({std::vector<int64_t>(pair)}) {}
  /// A pair for each axis, or one for all.
  PadWidth(std::initializer_list<std::initializer_list<int64_t>> pairs)
      : vector(pairs.begin(), pairs.end()) {}
  /// The same.
  PadWidth(std::vector<std::vector<int64_t>> pairs) : vector(std::move(pairs)) {}
};

namespace detail {
template <>
struct FromValue<PadWidth> {
  static PadWidth get(const Value& v);
};
}  // namespace detail

}  // namespace cornu
