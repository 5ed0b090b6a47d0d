// Reading shards.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../../backend/error.h"
#include "crc32c.h"
#include "shards.h"
#include "shards_format.h"

namespace cornu::io {
namespace fs = std::filesystem;

namespace {

// The number at this place, which need not be aligned.
uint64_t number_at(std::span<const std::byte> bytes, size_t at) {
  uint64_t number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace

ShardReader::ShardReader(const fs::path& folder, bool verify) : folder_(folder), verify_(verify) {
  const shards::Index index = shards::read_index(folder);
  fields_ = index.fields;
  classes_ = index.classes;
  for (const shards::IndexFile& file : index.files) {
    open(file.name, file.records);
    if (files_.back().bytes.size() != file.bytes)
      throw FileError(fmt::format("'{}' has {} bytes, by the index {}.",
                                  (folder_ / file.name).string(), files_.back().bytes.size(),
                                  file.bytes));
  }
}

void ShardReader::open(const std::string& name, int64_t records) {
  const fs::path path = folder_ / name;
  if (!fs::is_regular_file(path))
    throw FileError(fmt::format("'{}', which the index lists, is missing.", path.string()));
  File file{name, Bytes::map(path), 0, records, size_};
  const std::span<const std::byte> bytes = file.bytes.span();
  const auto damaged = [&] {
    return FileError(fmt::format("'{}' is damaged, or no file of shards.", path.string()));
  };
  if (bytes.size() < shards::alignment + shards::footer_bytes ||
      std::memcmp(bytes.data(), shards::magic.data(), shards::magic.size()) != 0)
    throw damaged();
  const size_t footer = bytes.size() - shards::footer_bytes;
  file.table = number_at(bytes, footer);
  const uint64_t count = number_at(bytes, footer + 8), crc = number_at(bytes, footer + 16);
  if (file.table > footer || count != static_cast<uint64_t>(records) ||
      (footer - file.table) % shards::entry_bytes != 0 ||
      (footer - file.table) / shards::entry_bytes != count ||
      crc32c(bytes.subspan(file.table, footer - file.table)) != crc)
    throw damaged();
  size_ += records;
  files_.push_back(std::move(file));
}

std::vector<std::string> ShardReader::fields() const {
  std::vector<std::string> names;
  for (const auto& [name, dtype] : fields_) names.push_back(name);
  return names;
}

std::vector<ShardArray> ShardReader::operator[](int64_t index) const {
  if (index < 0 || index >= size_)
    throw ValueError(
        fmt::format("'{}' has {} records, there is no number {}.", folder_.string(), size_, index));
  // The last file that begins at or before it.
  const auto next = std::upper_bound(files_.begin(), files_.end(), index,
                                     [](int64_t i, const File& file) { return i < file.first; });
  const File& file = *std::prev(next);
  const std::span<const std::byte> bytes = file.bytes.span();
  const size_t entry = file.table + static_cast<size_t>(index - file.first) * shards::entry_bytes;
  const uint64_t offset = number_at(bytes, entry), length = number_at(bytes, entry + 8);
  if (offset > file.table || length > file.table - offset || length < 8) fail(file, index);
  const Bytes record(std::make_shared<const Bytes>(file.bytes), bytes.subspan(offset, length));
  if (verify_ && crc32c(record.span()) != number_at(bytes, entry + 16)) fail(file, index);
  return parse(file, record, index);
}

void ShardReader::fail(const File& file, int64_t index) const {
  throw FileError(fmt::format("Record {} in '{}' is damaged.", index - file.first,
                              (folder_ / file.name).string()));
}

std::vector<ShardArray> ShardReader::parse(const File& file, const Bytes& record,
                                           int64_t index) const {
  const std::span<const std::byte> bytes = record.span();
  size_t at = 0;
  const auto next = [&] {
    if (bytes.size() - at < 8) fail(file, index);
    at += 8;
    return number_at(bytes, at - 8);
  };
  const uint64_t count = next();
  if (count > fields_.size()) fail(file, index);
  std::vector<ShardArray> arrays;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t field = next(), rank = next();
    if (field >= fields_.size() || rank > static_cast<uint64_t>(Shape::max_rank)) fail(file, index);
    std::vector<int64_t> sizes;
    // Whose product must not overflow.
    uint64_t elements = 1;
    for (uint64_t axis = 0; axis < rank; ++axis) {
      const uint64_t size = next();
      if (size > bytes.size() || (size > 0 && elements > bytes.size() / size)) fail(file, index);
      elements *= size;
      sizes.push_back(static_cast<int64_t>(size));
    }
    arrays.push_back({fields_[field].first, fields_[field].second, Shape(sizes), {}, record});
  }
  for (ShardArray& array : arrays) {
    at = shards::aligned(at);
    const size_t length = static_cast<size_t>(array.shape.numel()) * size_of(array.dtype);
    if (at > bytes.size() || length > bytes.size() - at) fail(file, index);
    array.data = bytes.subspan(at, length);
    at += length;
  }
  return arrays;
}

}  // namespace cornu::io
