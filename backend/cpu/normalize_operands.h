// What the loops of the Normalize kernel read and write: operands in place, converted, or made by
// the programs that a plan put in front of the kernel and behind it.
#pragma once
#include <algorithm>
#include <cstring>
#include <optional>

#include "interpreter.h"
#include "normalize_loops.h"

namespace cornu::backend::cpu {

inline constexpr int64_t chunk_rows = 64;  ///< between two additions in double
inline constexpr int64_t part_elements = 32 * 1024;
inline constexpr int64_t max_parts = 256;

template <class T>
constexpr DType dtype_of = sizeof(T) == 8 ? DType::float64 : DType::float32;

/// Memory of this thread for sums and coefficients, kept between calls.
Frame& sums_frame();

/// Hands out pieces of memory, each a multiple of 64 bytes.
struct Pieces {
  char* next;
  template <class U>
  static size_t bytes(int64_t count) {
    return (static_cast<size_t>(count) * sizeof(U) + 63) / 64 * 64;
  }
  template <class U>
  U* take(int64_t count) {
    U* piece = reinterpret_cast<U*>(next);
    next += bytes<U>(count);
    return piece;
  }
};

/// The programs of a kernel, bound to its operands. Each thread that reads or writes through them
/// calls `start` first.
class NormalizePrograms {
 public:
  NormalizePrograms(const Normalize& kernel, Operands inputs, Operands outputs);

  void start() const;
  /// Element [offset, offset + n) of what stands in front; valid until the next call. n is at most
  /// tile_size.
  const void* before(int64_t offset, int64_t n) const;
  /// Makes of the results [offset, offset + n), in place, what stands behind.
  void after(int64_t offset, int64_t n) const;

  bool has_before() const { return before_.has_value(); }
  bool has_after() const { return after_.has_value(); }
  bool any() const { return has_before() || has_after(); }
  /// Scalar operations for all elements.
  int64_t work() const;

 private:
  std::optional<BoundProgram> before_, after_;
};

/// An operand as the loops see it: elements of T, in place or moved into a buffer. Where it is
/// made by a program, rows of more than one are neighbors in memory.
template <class T>
struct Source {
  const char* data = nullptr;
  int64_t bytes = 0;
  ConvertTile convert = nullptr;
  const NormalizePrograms* programs = nullptr;

  explicit Source(const Operand& operand, const NormalizePrograms* made_by = nullptr)
      : data(static_cast<const char*>(operand.data)),
        bytes(static_cast<int64_t>(size_of(operand.dtype))),
        convert(operand.dtype == dtype_of<T> ? nullptr : convert_tile(operand.dtype, dtype_of<T>)),
        programs(made_by && made_by->has_before() ? made_by : nullptr) {}

  RowsOf<const T> rows(int64_t offset, int64_t rows, int64_t width, int64_t stride,
                       T* buffer) const {
    if (programs) return made(offset, rows * width, width, buffer);
    const char* from = data + offset * bytes;
    if (!convert) return {reinterpret_cast<const T*>(from), stride};
    if (stride == width)
      convert(from, buffer, rows * width);
    else
      for (int64_t r = 0; r < rows; ++r)
        convert(from + r * stride * bytes, buffer + r * width, width);
    return {buffer, width};
  }

 private:
  RowsOf<const T> made(int64_t offset, int64_t n, int64_t width, T* buffer) const {
    if (n <= tile_size) return {static_cast<const T*>(programs->before(offset, n)), width};
    for (int64_t at = 0; at < n; at += tile_size) {
      const int64_t count = std::min(tile_size, n - at);
      std::memcpy(buffer + at, programs->before(offset + at, count),
                  static_cast<size_t>(count) * sizeof(T));
    }
    return {buffer, width};
  }
};

/// A result, likewise: rows() says where to compute it, store() moves it where it belongs and lets
/// the program behind change it.
template <class T>
struct Target {
  char* data;
  int64_t bytes;
  ConvertTile convert;
  const NormalizePrograms* programs;

  explicit Target(const Operand& operand, const NormalizePrograms* changed_by = nullptr)
      : data(static_cast<char*>(operand.data)),
        bytes(static_cast<int64_t>(size_of(operand.dtype))),
        convert(operand.dtype == dtype_of<T> ? nullptr : convert_tile(dtype_of<T>, operand.dtype)),
        programs(changed_by && changed_by->has_after() ? changed_by : nullptr) {}

  RowsOf<T> rows(int64_t offset, int64_t width, int64_t stride, T* buffer) const {
    if (convert) return {buffer, width};
    return {reinterpret_cast<T*>(data + offset * bytes), stride};
  }
  void store(int64_t offset, int64_t rows, int64_t width, int64_t stride, const T* buffer) const {
    if (convert) {
      if (stride == width)
        convert(buffer, data + offset * bytes, rows * width);
      else
        for (int64_t r = 0; r < rows; ++r)
          convert(buffer + r * width, data + (offset + r * stride) * bytes, width);
    }
    for (int64_t at = 0; programs && at < rows * width; at += tile_size)
      programs->after(offset + at, std::min(tile_size, rows * width - at));
  }
};

/// Writes n numbers to a vector of any float type.
void write_vector(const double* values, int64_t n, const Operand& out);
/// The vector in double; a null operand is `otherwise` everywhere.
void read_vector(const Operand* operand, double otherwise, int64_t n, double* values);

}  // namespace cornu::backend::cpu
