// The numbers by which integers are drawn from a range, for every device.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace cornu::backend {

/// Of a draw of integers in [minval, maxval): the smallest, how many there are (0: all that the
/// type has), and 2^bits modulo that, by which the upper half of a draw counts. As
/// jax.random.randint has them; see fill_randint.
struct RandintNumbers {
  /// @{
  /// Smallest value, number of values, weight of the upper half of a draw.
  uint64_t low, span, multiplier;
  /// @}
};

/// 8- and 16-bit integers are drawn in 32 bits.
template <class T>
using RandintDraw = std::make_unsigned_t<std::conditional_t<(sizeof(T) < 4), int32_t, T>>;

/// The numbers for a draw of type T; bounds beyond T are clipped, maxval to one past its largest
/// value.
template <class T>
RandintNumbers randint_numbers(int64_t minval, int64_t maxval) {
  using S = std::conditional_t<(sizeof(T) < 4), int32_t, T>;
  using U = RandintDraw<T>;
  constexpr int width = std::numeric_limits<U>::digits;
  constexpr S lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  constexpr S highest_bound = sizeof(T) < sizeof(S) ? highest + 1 : highest;
  const auto clip = [](int64_t value, S most) {
    if (std::cmp_less(value, lowest)) return lowest;
    return std::cmp_greater(value, most) ? most : static_cast<S>(value);
  };
  const S low = clip(minval, highest), high = clip(maxval, highest_bound);
  U span = high <= low ? U{1} : static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
  // One past the largest value. The span of all values wraps to 0, by which nothing is divided.
  if (sizeof(T) == sizeof(S) && std::cmp_greater(maxval, highest) && high > low) span += 1;
  const auto modulo = [span](U value) { return span == 0 ? value : static_cast<U>(value % span); };
  // 2^width mod span, where the square still fits.
  U multiplier = modulo(static_cast<U>(U{1} << (width / 2)));
  multiplier = modulo(static_cast<U>(uint64_t{multiplier} * multiplier));
  return {static_cast<U>(low), span, multiplier};
}

}  // namespace cornu::backend
