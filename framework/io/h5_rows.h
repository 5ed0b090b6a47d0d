// H5Rows: a dataset of an HDF5 file whose rows are read as they are asked for.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../backend/dtype.h"
#include "../../backend/shape.h"

namespace cornu::io {

/// Rows of a dataset, which are its parts along the first axis, read by any number of threads: see
/// H5Reader::rows. Chunks are unpacked whole, side by side by several threads, and kept in a cache.
/// Other datasets are read about a mebibyte at a time and kept likewise, except that rows which
/// stand in the file as they are in memory are read one by one where the cache does not hold them
/// all, or they are large.
class H5Rows {
 public:
  struct Impl;
  explicit H5Rows(std::unique_ptr<Impl> impl);  ///< see H5Reader::rows
  ~H5Rows();
  H5Rows(const H5Rows&) = delete;

  const Shape& shape() const;  ///< of the dataset, whose first axis has the rows
  DType dtype() const;         ///< DType::string for strings
  /// Bytes of all rows in memory; of strings of variable length no less, as a rule.
  uint64_t bytes() const;
  uint64_t cached() const;  ///< bytes that the cache holds

  /// Puts rows, by their numbers from 0, one behind the other into `out`, which has room for them.
  /// Throws ValueError for a row that is not there and for strings, FileError when the file is
  /// damaged or was changed.
  void read(std::span<const int64_t> rows, void* out) const;
  /// The strings of rows, row by row. Throws likewise.
  std::vector<std::string> read_strings(std::span<const int64_t> rows) const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace cornu::io
