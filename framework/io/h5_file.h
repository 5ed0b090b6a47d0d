// HDF5 files as Keras uses them: a writer whose files h5py reads, a reader that trusts nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../backend/dtype.h"
#include "../../backend/shape.h"
#include "bytes.h"

namespace cornu::io {

// Paths inside a file are written as "layers/dense/vars/0", with or without a leading "/"; "" and
// "/" are the root. Both classes may be used by several threads, one object by one thread at a
// time. Errors throw FileError with the file's name, the path inside it and HDF5's own message.

class H5Reader;
class H5Rows;

/// Writes an HDF5 file the way h5py does by default: version 0 superblock, contiguous little-endian
/// datasets, no filters, no time stamps. bool becomes h5py's enum, bfloat16 the opaque type with
/// attribute dtype="bfloat16" that Keras writes.
class H5Writer {
 public:
  /// A file in memory, taken out with finish(). `expected_bytes` is a hint of its final size.
  explicit H5Writer(uint64_t expected_bytes = 0);
  /// A file on disk. It is made in memory and appears under its name, complete, in finish() (see
  /// AtomicFile).
  explicit H5Writer(const std::filesystem::path& target, uint64_t expected_bytes = 0);
  ~H5Writer();
  H5Writer(const H5Writer&) = delete;
  H5Writer& operator=(const H5Writer&) = delete;

  /// Makes a group and those above it. Nothing happens when it is there already.
  void create_group(std::string_view path);
  /// Writes an array in C order, `bytes` holding shape.numel() elements, and makes the groups
  /// above.
  void write(std::string_view path, DType dtype, const Shape& shape, const void* bytes);
  /// A dataset of variable-length UTF-8 strings in row-major order. Bytes after a NUL are cut off.
  void write_strings(std::string_view path, const std::vector<std::string>& strings,
                     const Shape& shape);
  /// The same as a vector.
  void write_strings(std::string_view path, const std::vector<std::string>& strings) {
    write_strings(path, strings, {static_cast<int64_t>(strings.size())});
  }

  /// Attributes of an existing group or dataset. An attribute of that name is replaced.
  void set_attribute(std::string_view path, const std::string& name, std::string_view text);
  /// A scalar float64.
  void set_attribute(std::string_view path, const std::string& name, double number);
  /// A scalar int64.
  void set_attribute(std::string_view path, const std::string& name, int64_t number);
  /// A list of names. What is too long for one attribute is split into name0, name1, ... as Keras
  /// does it; an empty list becomes an empty array of float64, as numpy makes it.
  void set_strings_attribute(std::string_view path, const std::string& name,
                             const std::vector<std::string>& strings);

  /// Closes the file. The result holds its bytes when it was written in memory and is empty
  /// otherwise. Call it once; without it, a file on disk does not appear. What `check` throws of
  /// the whole file keeps it from appearing.
  Bytes finish(const std::function<void(H5Reader&&)>& check = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a file says about one dataset.
struct H5Info {
  Shape shape;                   ///< () for a scalar
  DType dtype = DType::float32;  ///< the nearest type; byte order and padding do not show
  uint64_t stored = 0;           ///< bytes that it takes in the file
};

/// Reads an HDF5 file whose origin is unknown. Objects are reached through hard links only: soft
/// and external links anywhere on a path, external storage, virtual datasets and filters other than
/// gzip, shuffle and fletcher32 are refused, and so are datasets whose type is not numeric. No
/// method walks the whole tree, so loops of links do no harm.
class H5Reader {
 public:
  /// A file on disk. Throws when it is missing, or HDF5 could not follow its metadata safely.
  explicit H5Reader(const std::filesystem::path& path);
  /// A file in memory, used in place. `name` stands for the file in error texts.
  H5Reader(Bytes image, std::string name);
  ~H5Reader();
  H5Reader(H5Reader&&) noexcept;             ///< the other one may then only be destroyed
  H5Reader& operator=(H5Reader&&) noexcept;  ///< likewise

  /// The file's name as errors show it.
  const std::string& name() const;

  bool exists(std::string_view path) const;      ///< whether hard links lead there
  bool is_group(std::string_view path) const;    ///< false where nothing is
  bool is_dataset(std::string_view path) const;  ///< false where nothing is
  /// Names in a group, with numbers inside them in numeric order: "0", "1", "2", "10". Links that
  /// would be refused are listed too.
  std::vector<std::string> children(std::string_view path) const;

  /// Shape and type of a dataset. Throws when it is missing or may not be read.
  H5Info info(std::string_view path) const;
  /// Reads a dataset into `out`, which has room for expected.numel() elements of `want`, and
  /// converts its elements. Throws before any memory is taken when the shape is not `expected`.
  void read(std::string_view path, void* out, DType want, const Shape& expected) const;
  /// Reads a dataset of any shape as it is. Throws when it has more than `limit` bytes.
  std::vector<std::byte> read(std::string_view path, uint64_t limit) const;
  /// Rows of a dataset of numbers, truth values or strings, read when they are asked for (H5Rows),
  /// with a cache of `cache_bytes` for what is read in larger pieces. They keep the file open.
  /// Throws when the dataset is missing or may not be read, and when the file on disk was changed
  /// since the reader opened it; ShapeError for a scalar.
  std::unique_ptr<H5Rows> rows(std::string_view path, uint64_t cache_bytes) const;
  /// Throws when a file on disk was written to or cut since it was opened.
  void expect_unchanged() const;
  /// The strings of a dataset in row-major order.
  std::vector<std::string> read_strings(std::string_view path) const;
  /// The shape of a dataset of strings; nothing for one of other elements.
  std::optional<Shape> string_shape(std::string_view path) const;

  // Attributes are asked for by name: HDF5 1.10 does not survive to list those of a damaged object.
  bool has_attribute(std::string_view path,
                     const std::string& name) const;  ///< of a group or a dataset
  /// One string, of fixed or variable length. Throws when it is missing or something else.
  std::string string_attribute(std::string_view path, const std::string& name) const;
  /// A list of strings, put together from name0, name1, ... when it was split. Nothing when neither
  /// is there.
  std::optional<std::vector<std::string>> strings_attribute(std::string_view path,
                                                            const std::string& name) const;
  /// One or more numbers (or truth values) as doubles, in C order.
  std::vector<double> numbers_attribute(std::string_view path, const std::string& name) const;
  /// Exactly one number.
  double number_attribute(std::string_view path, const std::string& name) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with rows
};

}  // namespace cornu::io
