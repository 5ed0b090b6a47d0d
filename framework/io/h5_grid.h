// Internal to H5Rows: how the chunks of a dataset lie over its rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../backend/shape.h"

namespace cornu::io::h5 {

/// The chunks of an array: bands of rows, each of which has the same number of chunks. Chunks are
/// numbered band by band, in C order.
class Grid {
 public:
  /// Of an array with at least one axis, in chunks of as many axes, with elements of `item` bytes.
  Grid(const Shape& shape, std::vector<int64_t> chunk, size_t item);

  int64_t band_rows() const { return chunk_[0]; }  ///< rows of a band; the last has perhaps fewer
  int64_t chunks_in_band() const { return across_; }
  uint64_t chunk_elements() const { return chunk_elements_; }  ///< also of one that sticks out
  size_t row_bytes() const { return row_bytes_; }              ///< of the array

  /// Where a chunk begins along each axis.
  std::vector<uint64_t> origin(uint64_t number) const;
  /// How much of a chunk lies in the array, along each axis.
  std::vector<uint64_t> extent(const std::vector<uint64_t>& origin) const;
  /// Copies what a chunk has of `count` rows from one of its band's rows on to their places in
  /// these rows.
  void copy(const std::byte* chunk, const std::vector<uint64_t>& origin, int64_t row_in_band,
            size_t count, std::byte* rows) const;

 private:
  struct Axis {
    uint64_t size, chunk;
    size_t row_step, chunk_step;  // bytes from one index to the next
  };
  void copy_axes(size_t axis, const std::byte* from, std::byte* to,
                 const std::vector<uint64_t>& origin) const;

  std::vector<uint64_t> sizes_;
  std::vector<int64_t> chunk_;
  std::vector<Axis> axes_;  // those behind the first, up to the last that is cut
  int64_t across_ = 1;
  uint64_t chunk_elements_ = 1;
  size_t row_bytes_ = 0, slice_bytes_ = 0;  // of a row of the array, and of a chunk
};

}  // namespace cornu::io::h5
