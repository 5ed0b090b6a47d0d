// Shards: records of named arrays in a few large files, made to be read in any order.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../backend/dtype.h"
#include "../../backend/shape.h"
#include "atomic_file.h"
#include "bytes.h"
#include "shards_lock.h"

namespace cornu::io {

// A folder with "index.json", {"format": "cornu shards 1", "fields": [{"name", "dtype"}],
// "classes":
// [...], "shards": [{"file", "records", "bytes"}]}, and the files that it lists, in this order. A
// file has the 8 bytes "CORNUSH1", its records one after the other, and at its end a table with 24
// bytes for each record (where it begins, how long it is, its CRC-32C as an uint64) and 24 more:
// where the table begins, how many records there are, the CRC-32C of the table. A record begins
// with the number of its arrays, and for each its field's number, its rank and its sizes; the
// arrays' bytes follow, each from a multiple of 64 bytes on, counted from the record's begin. All
// numbers are uint64 with the least significant byte first. docs/shards.md reads it with NumPy.

/// One array of a record. Bytes of a file that was read are mapped, and stay as long as this does.
struct ShardArray {
  std::string name;                 ///< of the field
  DType dtype = DType::uint8;       ///< of the elements; a field has one
  Shape shape = {};                 ///< () for a scalar
  std::span<const std::byte> data;  ///< shape.numel() elements in C order
  Bytes owner = {};                 ///< of the data; empty where the caller keeps them
};

/// How shards are written.
struct ShardOptions {
  int64_t shard_bytes = int64_t{256} << 20;  ///< about the size of a file; at least 1
  std::vector<std::string> classes = {};     ///< what labels stand for, from class 0 on
  /// Whether records are added to a folder that has some; else it must not be there.
  bool append = false;
};

/// Writes shards. Files appear whole, and the index last: when a program is killed, the folder has
/// what it had before. From its start until `finish`, or until it is destroyed, no other writer of
/// any program gets at the folder.
class ShardWriter {
 public:
  /// Makes the folder, or reads its index to append. Throws FileError, also when another writer is
  /// at work in the folder, whom it names; ValueError for options out of range.
  explicit ShardWriter(const std::filesystem::path& folder, ShardOptions options = {});
  /// Without finish, what was added is lost.
  ~ShardWriter();
  ShardWriter(const ShardWriter&) = delete;

  /// Adds a record; arrays may be missing. Throws ValueError for two of one name, for a dtype that
  /// is not the field's, and for strings, which are bytes here; StateError after finish; FileError.
  void add(std::span<const ShardArray> arrays);
  /// Writes the last file and the index, and lets other writers in. Throws FileError, and
  /// StateError the second time.
  void finish();
  int64_t size() const { return size_; }  ///< records, those from before among them

 private:
  struct Entry {
    uint64_t offset, length, crc;
  };
  struct File {
    std::string name;
    int64_t records;
    uint64_t bytes;
  };
  uint64_t field(const ShardArray& array);
  void begin_file();
  void end_file();

  std::filesystem::path folder_;
  ShardOptions options_;
  std::unique_ptr<ShardLock> lock_;  // none after finish
  std::vector<std::pair<std::string, DType>> fields_;
  std::vector<File> files_;
  int64_t size_ = 0;
  std::unique_ptr<AtomicFile> file_;
  uint64_t end_ = 0;            // of what the file has
  std::vector<Entry> entries_;  // of the file
  std::vector<std::byte> record_;
};

/// Reads shards, which are mapped into memory: any number of threads may read at a time, and only
/// what is used is read from the disk.
class ShardReader {
 public:
  /// With `verify`, the bytes of a record are checked against their sum at each reading. Throws
  /// FileError where the folder, a file or the index is missing, damaged, or of another format.
  explicit ShardReader(const std::filesystem::path& folder, bool verify = true);
  int64_t size() const { return size_; }                                ///< records
  const std::vector<std::string>& classes() const { return classes_; }  ///< what labels stand for
  std::vector<std::string> fields() const;  ///< names, in the order of the index
  /// The arrays of a record. Throws ValueError for a number out of range, FileError that names file
  /// and record for one that is damaged.
  std::vector<ShardArray> operator[](int64_t index) const;

 private:
  struct File {
    std::string name;
    Bytes bytes;
    uint64_t table = 0;  // where it begins
    int64_t records = 0, first = 0;
  };
  void open(const std::string& name, int64_t records);
  std::vector<ShardArray> parse(const File& file, const Bytes& record, int64_t index) const;
  [[noreturn]] void fail(const File& file, int64_t index) const;

  std::filesystem::path folder_;
  bool verify_;
  std::vector<std::string> classes_;
  std::vector<std::pair<std::string, DType>> fields_;
  std::vector<File> files_;
  int64_t size_ = 0;
};

}  // namespace cornu::io
