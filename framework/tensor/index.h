// What stands in the brackets of x[...]: numbers, slices, the ellipsis, new axes and tensors.
#pragma once
#include <optional>
#include <variant>
#include <vector>

#include "tensor.h"

namespace cornu {

/// start:stop:step of an index. An empty bound, `{}`, means "from the end of that side". A single
/// bound is not taken: Python's slice(3) ends there, where others begin.
struct Slice {
  constexpr Slice() = default;  ///< all of the axis
  /// Negative bounds count from the end.
  constexpr Slice(std::optional<int64_t> from, std::optional<int64_t> to,
                  std::optional<int64_t> by = {})
      : start(from), stop(to), step(by) {}
  std::optional<int64_t> start = {};  ///< negative counts from the end
  std::optional<int64_t> stop = {};   ///< exclusive
  std::optional<int64_t> step = {};   ///< default 1; not 0
};

/// The `...` of an index: all axes that the others leave.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis = {};  ///< `x[{ellipsis, 0}]`: of the last axis

/// The `None` of an index: an axis of size 1 there.
struct NewAxis {};
inline constexpr NewAxis newaxis = {};  ///< `x[{ellipsis, newaxis}]`: a last axis of size 1

/// One entry of an index, for one axis.
class Index {
 public:
  /// Everything that an entry may be.
  using Variant = std::variant<int64_t, Slice, Ellipsis, NewAxis, Tensor>;

  /// Of one place; the axis goes. Negative numbers count from the end.
  template <std::integral T>
  requires(!std::same_as<T, bool>) Index(T place) : entry_(static_cast<int64_t>(place)) {}
  /// The same for an option that is a number, such as Required<int64_t>.
  template <detail::IntegerOption A>
  Index(const A& place) : Index(place.value) {}
  Index(Slice slice) : entry_(slice) {}      ///< of a range
  Index(Ellipsis rest) : entry_(rest) {}     ///< all axes that the other entries leave
  Index(NewAxis axis) : entry_(axis) {}      ///< an axis of size 1
  Index(std::nullopt_t) : Index(newaxis) {}  ///< the same
  Index(const Tensor& at) : entry_(at) {}    ///< of the places that a tensor holds, or of its trues
  /// The same for numbers of the program's: `x[std::vector<int>{0, 2}]`.
  template <std::integral T>
  Index(const std::vector<T>& at) : entry_(Tensor(at)) {}
  const Variant& entry() const { return entry_; }  ///< for std::visit

 private:
  Variant entry_;
};

}  // namespace cornu
