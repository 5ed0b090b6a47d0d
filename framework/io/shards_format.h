// What the writer and the reader of shards share: their index, and how a file is laid out.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../backend/dtype.h"

namespace cornu::io::shards {

constexpr std::string_view magic = "CORNUSH1", index_name = "index.json";
constexpr size_t alignment = 64;  // of records in a file, and of arrays in a record
constexpr size_t entry_bytes = 24, footer_bytes = 24;

/// The next multiple of the alignment.
constexpr size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A file of the index.
struct IndexFile {
  std::string name;     ///< in the folder
  int64_t records = 0;  ///< in it
  uint64_t bytes = 0;   ///< its size
};

/// index.json.
struct Index {
  std::vector<std::pair<std::string, DType>> fields = {};  ///< names of arrays, and their types
  std::vector<std::string> classes = {};                   ///< what labels stand for
  std::vector<IndexFile> files = {};                       ///< in the order of their records
};

/// Throws FileError where there is none, or one that is damaged or of another format.
Index read_index(const std::filesystem::path& folder);
/// Replaces it, whole or not at all. Throws FileError.
void write_index(const std::filesystem::path& folder, const Index& index);

}  // namespace cornu::io::shards
