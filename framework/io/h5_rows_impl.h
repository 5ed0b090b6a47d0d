// Internal to H5Rows and H5Reader: an open dataset.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "block_cache.h"
#include "h5_chunks.h"
#include "h5_grid.h"
#include "h5_handle.h"
#include "h5_heap.h"
#include "h5_rows.h"
#include "h5_values.h"
#include "input_file.h"

namespace cornu::io {

/// A dataset that has passed all checks of its bytes' place, filters, type and shape.
struct H5Rows::Impl {
  /// `owner` keeps open the file, and `input`, which is null where it is in memory. Called, as is
  /// the destructor, by one thread at a time.
  Impl(std::shared_ptr<const void> owner, const InputFile* input, const std::string& file,
       const std::string& what, h5::Handle dataset, Shape shape, uint64_t cache_bytes);
  ~Impl();

  std::shared_ptr<const void> owner;
  std::string name, what;  // for errors
  h5::Handle dataset, type, memory;
  Shape shape;
  DType dtype = DType::string;
  size_t item = 0, stored_item = 0;  // bytes of an element here and in the file
  bool native = false;               // whether these have the same bytes
  bool varies = false;               // whether elements are places of strings in the heap
  bool chunked = false;
  std::vector<h5::Filter> filters;
  std::vector<std::byte> fill;  // an element that was never written
  std::optional<h5::Grid> grid;
  std::optional<uint64_t> offset;  // in the file, where rows lie as they are here
  bool singly = false;             // whether they are read one by one, rather than kept
  const InputFile* input;          // null where the file is in memory
  mutable BlockCache cache;

  [[noreturn]] void fail(const std::string& why) const;
  void read(std::span<const int64_t> rows, std::byte* out) const;

 private:
  void check(std::span<const int64_t> rows) const;
  void read_singly(std::span<const int64_t> rows, std::byte* out) const;
  void read_chunks(std::span<const int64_t> rows, std::byte* out) const;
  std::vector<std::byte> load(const std::vector<uint64_t>& origin) const;
  std::vector<std::byte> load_chunk(const std::vector<uint64_t>& origin) const;
  std::vector<std::byte> load_in_place(const std::vector<uint64_t>& origin) const;
  std::vector<std::byte> load_rows(const std::vector<uint64_t>& origin) const;
  std::vector<std::byte> filled() const;
  std::vector<std::byte> converted(std::vector<std::byte> chunk) const;
  static void make_truths(std::byte* bytes, size_t count);
};

}  // namespace cornu::io
