// Random draws. Element i depends on the key and on i only, so threads fill ranges of counters.
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "../error.h"
#include "../random_bits.h"
#include "kernels.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

template <class T>
inline constexpr bool is_floating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// Whether `distribution` can be drawn as T.
template <class T>
constexpr bool draws(Distribution distribution) {
  switch (distribution) {
    case Distribution::bits:
      return is_integer<T> && std::is_unsigned_v<T>;
    case Distribution::bernoulli:
      return std::is_same_v<T, bool>;
    case Distribution::randint:
      return is_integer<T>;
    case Distribution::next_key:
      return false;
    default:
      return is_floating<T>;
  }
}

// The bounds of randint come as doubles; casting one beyond int64 would be undefined.
int64_t saturated(double value) {
  using Limits = std::numeric_limits<int64_t>;
  if (value >= 0x1p63) return Limits::max();
  return value > -0x1p63 ? static_cast<int64_t>(value) : Limits::min();
}

template <class T>
void fill(const Random& kernel, Key key, uint64_t first, std::span<T> out) {
  if constexpr (std::is_same_v<T, bool>) {
    fill_bernoulli(key, first, out, kernel.low);
  } else if constexpr (is_integer<T>) {
    if constexpr (std::is_unsigned_v<T>)
      if (kernel.distribution == Distribution::bits) return fill_bits(key, first, out);
    fill_randint(key, first, out, saturated(kernel.low), saturated(kernel.high));
  } else if (kernel.distribution == Distribution::uniform) {
    fill_uniform(key, first, out, kernel.low, kernel.high);
  } else if (kernel.distribution == Distribution::normal) {
    fill_normal(key, first, out, kernel.low, kernel.high);
  } else {
    fill_truncated_normal(key, first, out, kernel.low, kernel.high);
  }
}

}  // namespace

void run(const Random& kernel, Operands inputs, Operands outputs) {
  const uint32_t* words = static_cast<const uint32_t*>(inputs[0].data);
  Key key{words[0], words[1]};
  const Operand& output = outputs[0];
  if (kernel.distribution == Distribution::next_key) {
    next_key(key);
    uint32_t* const next = static_cast<uint32_t*>(output.data);
    next[0] = key.hi;
    next[1] = key.lo;
    return;
  }
  const int64_t count = output.shape->numel();
  dispatch(output.dtype, [&]<class T>() {
    if (!draws<T>(kernel.distribution))
      throw ValueError(
          "random: this distribution cannot be drawn as " + std::string(dtype_name(output.dtype)) +
          ". Bits need an unsigned type, bernoulli bool, randint an integer type and the "
          "others a floating point type.");
    // A draw of an element costs about as much as ten simple operations.
    parallel_for(count, 10 * count, [&](int64_t begin, int64_t end) {
      fill(kernel, key, static_cast<uint64_t>(begin),
           std::span<T>(static_cast<T*>(output.data) + begin, static_cast<size_t>(end - begin)));
    });
  });
}

}  // namespace cornu::backend::cpu
