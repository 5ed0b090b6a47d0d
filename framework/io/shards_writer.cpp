// Writing shards.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "../../backend/error.h"
#include "crc32c.h"
#include "shards.h"
#include "shards_format.h"

namespace cornu::io {
namespace fs = std::filesystem;
using shards::alignment;

namespace {

template <class T>
std::span<const std::byte> as_bytes(const T& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

ShardWriter::ShardWriter(const fs::path& folder, ShardOptions options)
    : folder_(folder), options_(std::move(options)) {
  if (options_.shard_bytes < 1)
    throw ValueError(
        fmt::format("Shards: shard_bytes must be at least 1, found {}.", options_.shard_bytes));
  make_folder(folder_, "Shards");
  lock_ = std::make_unique<ShardLock>(folder_);
  const bool there = fs::exists(folder_ / shards::index_name);
  if (there && !options_.append)
    throw FileError(fmt::format(
        "'{}' has shards already. Append to them, or choose another folder.", folder_.string()));
  if (!there) return;
  const shards::Index index = shards::read_index(folder_);
  fields_ = index.fields;
  if (options_.classes.empty()) options_.classes = index.classes;
  if (options_.classes != index.classes)
    throw ValueError(
        fmt::format("'{}' has shards of other classes ({}); records with these cannot be appended.",
                    folder_.string(), index.classes.size()));
  for (const auto& [name, records, bytes] : index.files) {
    files_.push_back({name, records, bytes});
    size_ += records;
  }
}

ShardWriter::~ShardWriter() = default;

uint64_t ShardWriter::field(const ShardArray& array) {
  const auto known = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& f) { return f.first == array.name; });
  if (array.dtype == DType::string)
    throw ValueError(
        fmt::format("Shards: '{}' is of strings; give their bytes as uint8.", array.name));
  if (array.data.size() != static_cast<size_t>(array.shape.numel()) * size_of(array.dtype))
    throw ValueError(fmt::format("Shards: '{}' has {} bytes, a shape {} of {} has {}.", array.name,
                                 array.data.size(), array.shape.str(), dtype_name(array.dtype),
                                 static_cast<size_t>(array.shape.numel()) * size_of(array.dtype)));
  if (known == fields_.end()) {
    fields_.emplace_back(array.name, array.dtype);
    return fields_.size() - 1;
  }
  if (known->second != array.dtype)
    throw ValueError(fmt::format("Shards: '{}' is {} here, and {} in the records before.",
                                 array.name, dtype_name(array.dtype), dtype_name(known->second)));
  return static_cast<uint64_t>(known - fields_.begin());
}

void ShardWriter::add(std::span<const ShardArray> arrays) {
  if (!lock_)
    throw StateError(fmt::format(
        "Shards: '{}' was finished; records are added by another writer with the option append.",
        folder_.string()));
  std::vector<uint64_t> header = {arrays.size()};
  const auto known = fields_;
  try {
    for (size_t i = 0; i < arrays.size(); ++i) {
      for (size_t j = 0; j < i; ++j)
        if (arrays[i].name == arrays[j].name)
          throw ValueError(fmt::format("Shards: two arrays are named '{}'.", arrays[i].name));
      header.push_back(field(arrays[i]));
      header.push_back(static_cast<uint64_t>(arrays[i].shape.rank()));
      for (const int64_t size : arrays[i].shape) header.push_back(static_cast<uint64_t>(size));
    }
  } catch (...) {
    fields_ = known;
    throw;
  }
  record_.assign(as_bytes(header).begin(), as_bytes(header).end());
  for (const ShardArray& array : arrays) {
    record_.resize(shards::aligned(record_.size()));
    record_.insert(record_.end(), array.data.begin(), array.data.end());
  }
  record_.resize(shards::aligned(record_.size()));

  if (!file_) begin_file();
  // Where the last whole record ends, as one that failed may have left some bytes behind it.
  file_->write_at(end_, record_);
  entries_.push_back({end_, record_.size(), crc32c(record_)});
  end_ += record_.size();
  ++size_;
  if (end_ >= static_cast<uint64_t>(options_.shard_bytes)) end_file();
}

void ShardWriter::begin_file() {
  const std::string name = fmt::format("{:05}.shard", files_.size());
  auto file = std::make_unique<AtomicFile>(folder_ / name);
  // Records begin at multiples of the alignment.
  std::vector<std::byte> start(alignment);
  std::memcpy(start.data(), shards::magic.data(), shards::magic.size());
  file->append(start);
  // Only now: the index must not name a file that could not be made.
  files_.push_back({name, 0, 0});
  file_ = std::move(file);
  end_ = start.size();
  entries_.clear();
}

void ShardWriter::end_file() {
  const auto table = as_bytes(entries_);
  const uint64_t footer[] = {end_, entries_.size(), crc32c(table)};
  const uint64_t bytes = end_ + table.size() + sizeof footer;
  file_->write_at(end_, table);
  file_->write_at(end_ + table.size(), std::as_bytes(std::span(footer)));
  // A record that failed may have left bytes behind the footer, which readers look for at the end.
  shorten_file(file_->temporary(), static_cast<int64_t>(bytes));
  file_->commit();
  files_.back().records = static_cast<int64_t>(entries_.size());
  files_.back().bytes = bytes;
  file_.reset();
}

void ShardWriter::finish() {
  if (!lock_) throw StateError("ShardWriter: finish was called before.");
  if (file_) end_file();
  shards::Index index{fields_, options_.classes, {}};
  for (const File& file : files_) index.files.push_back({file.name, file.records, file.bytes});
  shards::write_index(folder_, index);
  lock_.reset();
}

}  // namespace cornu::io
