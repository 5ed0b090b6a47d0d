// Writing and reading caches.
#include "cache_file.h"

#include <fmt/core.h>

#include <cstring>
#include <unordered_set>
#include <vector>

#include "../../../backend/error.h"
#include "../../io/shards.h"
#include "stage.h"

namespace cornu::data::detail {
namespace fs = std::filesystem;

namespace {

constexpr const char *element_field = "element", *order_field = "cache_order",
                     *origin_field = "cache_origin";

void add_stages(std::string& text, const Pass& pass, const Stage& stage) {
  for (const auto& source : stage.sources()) add_stages(text, pass, *source);
  text += stage.draws() ? fmt::format("stage '{}' with seed {}\n", stage.name(),
                                      pass.runtime().record(&stage).seed)
                        : fmt::format("stage '{}'\n", stage.name());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// What the two differ in first.
std::string difference(const std::string& found, const std::string& expected) {
  std::vector<std::string> a = lines_of(found), b = lines_of(expected);
  a.resize(std::max(a.size(), b.size()), "nothing");
  b.resize(a.size(), "nothing");
  size_t i = 0;
  while (i + 1 < a.size() && a[i] == b[i]) ++i;
  return fmt::format("its elements have {} where those of this pipeline have {}", a[i], b[i]);
}

const io::ShardArray* find_array(const std::vector<io::ShardArray>& arrays, const char* name) {
  for (const io::ShardArray& array : arrays)
    if (array.name == name) return &array;
  return nullptr;
}

constexpr const char* again = "Delete it to have it written again, or name another file.";

[[noreturn]] void refuse(const fs::path& path, const std::string& why, const char* advice) {
  throw FileError(fmt::format("The cache '{}' cannot be used: {}. {}", path.string(), why, advice));
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

io::ShardArray array_of(const char* name, DType dtype, std::span<const std::byte> bytes) {
  return {name, dtype, Shape{static_cast<int64_t>(bytes.size() / size_of(dtype))}, bytes, {}};
}

}  // namespace

std::string origin_of(const Pass& pass, const Stage& cache, const std::string& type,
                      const std::string& version) {
  std::string text = fmt::format("type '{}'\n", type);
  const int64_t size = cache.sources()[0]->size();
  text += size < 0 ? "an unknown number\n" : fmt::format("the number {}\n", size);
  for (const auto& source : cache.sources()) add_stages(text, pass, *source);
  return text + fmt::format("version '{}'\n", version);
}

struct CacheFile::Reader {
  io::ShardReader shards;
  std::vector<int64_t> records;  // of the elements, by their numbers
};

struct CacheFile::Writer {
  explicit Writer(const fs::path& target) : folder(target), shards(folder.path()) {}

  io::ScratchFolder folder;
  io::ShardWriter shards;
  std::vector<int64_t> order;  // the elements' numbers
  std::unordered_set<int64_t> there;
};

CacheFile::CacheFile(fs::path path) : path_(std::move(path)) {
  if (path_.empty())
    throw ValueError("cache: option 'file' is empty; name the folder that the cache is to be.");
}

CacheFile::~CacheFile() { leave_parents_folder(); }

// Destroying the writer would delete the folder, in which the parent may go on.
void CacheFile::leave_parents_folder() {
  if (writer_ && writer_of_ != forks()) static_cast<void>(writer_.release());
}

void CacheFile::open(const std::string& origin) {
  const std::lock_guard lock(mutex_);
  if (origin_ == origin) return;
  if (!origin_.empty())
    throw FileError(fmt::format(
        "The cache '{}' is in use: {}. Give each of the two pipelines a file of its own.",
        path_.string(), difference(origin_, origin)));
  origin_ = origin;
  try {
    reader_ = read_folder();
  } catch (...) {
    origin_.clear();
    throw;
  }
}

std::shared_ptr<const CacheFile::Reader> CacheFile::read_folder() const {
  if (!fs::exists(fs::symlink_status(path_))) return nullptr;
  std::shared_ptr<Reader> reader;
  try {
    reader = std::make_shared<Reader>(Reader{io::ShardReader(path_), {}});
  } catch (const FileError& error) {
    refuse(path_, fmt::format("it is no cache, or damaged ({})", error.what()), again);
  }
  const int64_t count = reader->shards.size() - 1;
  const auto arrays = count < 0 ? std::vector<io::ShardArray>{} : reader->shards[count];
  const io::ShardArray *const order = find_array(arrays, order_field), *const origin = find_array(
                                                                           arrays, origin_field);
  if (!order || !origin || order->dtype != DType::int64 || order->shape != Shape{count})
    refuse(path_, "it has shards that are not a cache of a pipeline", "Name another file.");
  const std::string text(reinterpret_cast<const char*>(origin->data.data()), origin->data.size());
  if (text != origin_) refuse(path_, difference(text, origin_), again);
  reader->records.assign(static_cast<size_t>(count), -1);
  for (int64_t record = 0; record < count; ++record) {
    int64_t index = 0;
    std::memcpy(&index, order->data.data() + static_cast<size_t>(record) * sizeof index,
                sizeof index);
    if (index < 0 || index >= count || reader->records[static_cast<size_t>(index)] >= 0)
      refuse(path_, "its list of elements is damaged", again);
    reader->records[static_cast<size_t>(index)] = record;
  }
  return reader;
}

std::shared_ptr<const CacheFile::Reader> CacheFile::reader() const {
  const std::lock_guard lock(mutex_);
  return reader_;
}

void CacheFile::read_one(const Reader& reader, int64_t index,
                         const std::function<void(std::span<const std::byte>)>& read) const {
  try {
    const std::vector<io::ShardArray> arrays =
        reader.shards[reader.records.at(static_cast<size_t>(index))];
    const io::ShardArray* const element = find_array(arrays, element_field);
    if (!element) throw FileError("the record has no element.");
    read(element->data);
  } catch (const FileError& error) {
    throw FileError(fmt::format("The cache '{}' is damaged: {} Delete it to have it written again.",
                                path_.string(), error.what()));
  }
}

// With the lock held.
void CacheFile::begin() {
  leave_parents_folder();
  if (writer_) return;
  writer_ = std::make_unique<Writer>(path_);
  writer_of_ = forks();
}

void CacheFile::keep(int64_t index, std::span<const std::byte> element, int64_t count) {
  const std::lock_guard lock(mutex_);
  if (reader_) return;
  try {
    begin();
    if (!writer_->there.insert(index).second) return;
    const io::ShardArray array = array_of(element_field, DType::uint8, element);
    writer_->shards.add(std::span(&array, 1));
    writer_->order.push_back(index);
    if (static_cast<int64_t>(writer_->order.size()) == count) commit();
  } catch (...) {
    writer_.reset();
    throw;
  }
}

void CacheFile::finish(int64_t count) {
  const std::lock_guard lock(mutex_);
  if (reader_) return;
  leave_parents_folder();
  if (!writer_ && count == 0) begin();
  if (writer_ && static_cast<int64_t>(writer_->order.size()) == count) commit();
}

// With the lock held.
void CacheFile::commit() {
  const auto order = std::as_bytes(std::span(writer_->order));
  const io::ShardArray arrays[] = {array_of(order_field, DType::int64, order),
                                   array_of(origin_field, DType::uint8, bytes_of_text(origin_))};
  writer_->shards.add(arrays);
  writer_->shards.finish();
  // Another process may have been faster; whatever else came to be there is not to be replaced.
  reader_ = read_folder();
  if (!reader_) {
    writer_->folder.commit();
    reader_ = read_folder();
  }
  writer_.reset();
}

std::optional<int64_t> CacheFile::whole() const {
  const std::shared_ptr<const Reader> mine = reader();
  if (!mine) return {};
  return static_cast<int64_t>(mine->records.size());
}

}  // namespace cornu::data::detail
