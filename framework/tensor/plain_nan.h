// NaN as text is "nan".
#pragma once
#include <cmath>
#include <concepts>
#include <limits>

namespace cornu::detail {

/// The value for a text: NaN without its sign. Which sign it has is the processor's choice (minus
/// on x86 for 0 / 0, plus elsewhere), and "-nan" would tell nothing more.
template <std::floating_point T>
T plain_nan(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

}  // namespace cornu::detail
