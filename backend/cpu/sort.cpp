// Stable sort, argsort and top-k along the last axis. Elements become unsigned keys of the same
// order, sorted together with their positions, so that every method gives the one stable order.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "../error.h"
#include "../inline_vector.h"
#include "allocator.h"
#include "kernels.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

// Key of a float from its bits: the sign-magnitude order made unsigned, both zeros equal, NaN last.
template <class Bits>
Bits float_key(Bits bits, Bits infinity) {
  const Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Bits magnitude = static_cast<Bits>(bits & ~sign);
  if (magnitude > infinity) return std::numeric_limits<Bits>::max();
  // -0 and +0 are equal, so the order of their positions decides.
  if (magnitude == 0) return sign;
  // Negative numbers have falling magnitudes, and come below the positive ones.
  return static_cast<Bits>(bits & sign ? ~bits : bits | sign);
}

template <class T>
auto sort_key(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<uint8_t>(value);
  } else if constexpr (std::is_same_v<T, Half>) {
    return float_key<uint16_t>(value.bits, 0x7c00);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return float_key<uint16_t>(value.bits, 0x7f80);
  } else if constexpr (std::is_same_v<T, float>) {
    return float_key<uint32_t>(std::bit_cast<uint32_t>(value), 0x7f800000);
  } else if constexpr (std::is_same_v<T, double>) {
    return float_key<uint64_t>(std::bit_cast<uint64_t>(value), 0x7ff0000000000000);
  } else {
    using Key = std::make_unsigned_t<T>;
    const Key flip =
        std::is_signed_v<T> ? static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1)) : Key{0};
    return static_cast<Key>(static_cast<Key>(value) ^ flip);
  }
}

// A key and its position in one number: their order is the stable order of the keys.
struct Packed {
  uint64_t both;

  Packed() = default;
  Packed(uint32_t key, uint32_t position) : both(uint64_t{key} << 32 | position) {}
  uint32_t key() const { return static_cast<uint32_t>(both >> 32); }
  uint32_t position() const { return static_cast<uint32_t>(both); }
  friend bool operator<(Packed a, Packed b) { return a.both < b.both; }
};

// The same for keys of 64 bits.
struct Paired {
  uint64_t key_;
  uint32_t position_;

  Paired() = default;
  Paired(uint64_t key, uint32_t position) : key_(key), position_(position) {}
  uint64_t key() const { return key_; }
  uint32_t position() const { return position_; }
  friend bool operator<(const Paired& a, const Paired& b) {
    return a.key_ != b.key_ ? a.key_ < b.key_ : a.position_ < b.position_;
  }
};

// Least significant byte first, which keeps the order of equal keys; bytes that all keys share are
// skipped. Returns whichever of the two buffers holds the result.
template <int key_bytes, class Entry>
Entry* radix_sort(Entry* entries, Entry* buffer, int64_t n) {
  std::array<std::array<uint32_t, 256>, key_bytes> counts{};
  for (int64_t i = 0; i < n; ++i)
    for (int byte = 0; byte < key_bytes; ++byte)
      ++counts[byte][entries[i].key() >> (8 * byte) & 255];
  for (int byte = 0; byte < key_bytes; ++byte) {
    std::array<uint32_t, 256>& places = counts[byte];
    if (places[entries[0].key() >> (8 * byte) & 255] == n) continue;
    uint32_t place = 0;
    for (uint32_t& count : places) place += std::exchange(count, place);
    for (int64_t i = 0; i < n; ++i)
      buffer[places[entries[i].key() >> (8 * byte) & 255]++] = entries[i];
    std::swap(entries, buffer);
  }
  return entries;
}

template <int key_bytes, class Entry>
Entry* first_sorted(Entry* entries, Entry* buffer, int64_t n, int64_t count) {
  constexpr int64_t radix_from =
      32 * key_bytes;  // measured: shorter rows sort faster by comparisons
  // Top-k of few: a heap of `count` elements beats sorting everything.
  if (count <= n / 16) {
    std::partial_sort(entries, entries + count, entries + n);
    return entries;
  }
  if (n >= radix_from) return radix_sort<key_bytes>(entries, buffer, n);
  // Selecting first leaves fewer elements to sort; the order is total, so the result is the same.
  if (count <= n / 2) {
    std::nth_element(entries, entries + count, entries + n);
    n = count;
  }
  std::sort(entries, entries + n);
  return entries;
}

template <class T>
void sort_rows(const Sort& kernel, const T* x, T* values, int32_t* indices, int64_t n,
               int64_t begin, int64_t end, void* scratch) {
  using Key = decltype(sort_key(T{}));
  using Entry = std::conditional_t<sizeof(Key) == 8, Paired, Packed>;
  Entry* entries = static_cast<Entry*>(scratch);
  const Key flip = kernel.descending ? std::numeric_limits<Key>::max() : Key{0};
  for (int64_t row = begin; row < end; ++row) {
    const T* from = x + row * n;
    for (int64_t i = 0; i < n; ++i)
      // Inverting keys, not positions, keeps a descending sort stable; NaN, the largest, comes
      // first then.
      entries[i] = Entry(static_cast<Key>(sort_key(from[i]) ^ flip), static_cast<uint32_t>(i));
    const Entry* sorted = first_sorted<sizeof(Key)>(entries, entries + n, n, kernel.count);
    for (int64_t i = 0; i < kernel.count; ++i) {
      const uint32_t position = sorted[i].position();
      values[row * kernel.count + i] = from[position];
      indices[row * kernel.count + i] = static_cast<int32_t>(position);
    }
  }
}

}  // namespace

void run(const Sort& kernel, Operands inputs, Operands outputs) {
  const Operand& x = inputs[0];
  const int64_t n = x.shape->empty() ? 1 : x.shape->back();
  if (n == 0 || kernel.count == 0) return;
  const int64_t rows = x.shape->numel() / n;
  if (rows == 0) return;
  if (n >= int64_t{1} << 31)
    throw ValueError("Sort: expected at most 2147483647 elements along the last axis, found " +
                     std::to_string(n) + ". Indices have 32 bits; sort smaller parts.");
  const int64_t work = rows * n * 8;  // a comparison sort visits each element several times
  const int64_t tasks = std::min<int64_t>(threads_for(work), rows);
  const size_t entry_bytes = size_of(x.dtype) == 8 ? sizeof(Paired) : sizeof(Packed);
  const size_t scratch_bytes = 2 * static_cast<size_t>(n) * entry_bytes;
  Scratch scratch(static_cast<size_t>(tasks) * scratch_bytes);
  dispatch(x.dtype, [&]<class T>() {
    parallel_for(tasks, work, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task)
        sort_rows<T>(
            kernel, static_cast<const T*>(x.data), static_cast<T*>(outputs[0].data),
            static_cast<int32_t*>(outputs[1].data), n, rows * task / tasks,
            rows * (task + 1) / tasks,
            static_cast<char*>(scratch.data()) + static_cast<size_t>(task) * scratch_bytes);
    });
  });
}

}  // namespace cornu::backend::cpu
