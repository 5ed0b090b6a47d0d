// The channels of a tensor as columns of a table, cut into units of work.
#pragma once
#include <algorithm>
#include <cstdint>

#include "../shape.h"
#include "normalize_operands.h"

namespace cornu::backend::cpu {

inline constexpr int64_t max_width = 512;     // columns at once
inline constexpr int64_t merged_width = 128;  // narrower rows are merged up to this width
inline constexpr int64_t buffer_rows = 8;     // converted, or made by a program, at once

inline int64_t channel_count(const Shape& x, int64_t block) {
  return block ? x[1] * block : x.back();
}

/// Channels as columns of a table, in tiles of columns and parts of rows, which are the units of
/// work. Without blocks a tile is up to max_width columns of (rows, c); with blocks it is a block,
/// whose rows stand in a segment for each sample. Narrow rows that are neighbors in memory are
/// merged: one row of several repetitions of the columns. There is at least one channel.
struct Channels {
  int64_t c, count, segments = 1, rows, width, stride;
  int64_t segment_stride = 0, tile_stride, tiles, parts, merged;
  int64_t group_rows = chunk_rows;  ///< merged ones, at once

  Channels(const Shape& x, int64_t block) {
    const int64_t numel = x.numel();
    c = channel_count(x, block);
    count = numel / c;
    if (block) {
      segments = x[0];
      rows = segments ? count / segments : 0;
      width = stride = block;
      tiles = c / block;
      tile_stride = rows * block;
      segment_stride = rows * c;
    } else {
      rows = count;
      width = tile_stride = std::min(c, max_width);
      stride = c;
      tiles = (c + max_width - 1) / max_width;
    }
    merged = stride == width && width < merged_width ? merged_width / width : 1;
    parts = std::max<int64_t>(
        1, std::min({numel / part_elements / tiles, count / (chunk_rows * merged), max_parts}));
  }

  int64_t units() const { return tiles * parts; }
  int64_t part_begin(int64_t part) const { return count * part / parts; }
  int64_t tile_width(int64_t tile) const { return std::min(width, c - tile * width); }

  /// Calls f(offset, n) for the chunks of a unit.
  template <class F>
  void for_chunks(int64_t tile, int64_t part, F f) const {
    for (int64_t row = part_begin(part), end = part_begin(part + 1); row < end;) {
      const int64_t segment = row / rows, inside = row % rows;
      const int64_t n = std::min({rows - inside, end - row, chunk_rows * merged});
      f(segment * segment_stride + tile * tile_stride + inside * stride, n);
      row += n;
    }
  }

  /// Calls f(offset, rows, width, stride) for the groups of rows of a chunk of n rows. Where they
  /// `merge` the last may be less than one merged row.
  template <class F>
  void for_groups(int64_t offset, int64_t n, int64_t columns, bool merge, F f) const {
    const int64_t times = merge ? merged : 1, wide = columns * times, full = n / times;
    const int64_t step = merged > 1 ? wide : stride, most = group_rows * merged / times;
    for (int64_t r = 0; r < full; r += most)
      f(offset + r * step, std::min(most, full - r), wide, step);
    if (const int64_t rest = n % times) f(offset + full * step, 1, rest * columns, rest * columns);
  }

  /// Repeats `columns` values for merged rows.
  template <class T>
  void repeat(T* values, int64_t columns, int64_t times) const {
    for (int64_t i = columns; i < columns * times; ++i) values[i] = values[i - columns];
  }
  /// Adds up the repetitions.
  template <class T>
  void fold(T* sums, int64_t columns, int64_t times) const {
    for (int64_t k = 1; k < times; ++k)
      for (int64_t j = 0; j < columns; ++j) sums[j] += sums[k * columns + j];
  }
};

}  // namespace cornu::backend::cpu
