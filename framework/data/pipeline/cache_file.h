// CacheFile: elements of a cache on the disk.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace cornu::data::detail {

class Pass;
class Stage;

/// What the elements of a cache follow from, as text with a line for each thing: their type and
/// number, the stages up to the cache with the seeds of those that may draw, and what the user
/// calls their version.
std::string origin_of(const Pass& pass, const Stage& cache, const std::string& type,
                      const std::string& version);

/// The elements of a cache, as bytes, in a folder of shards (io/shards.h): a record for each, with
/// the array "element", and behind them one that tells the numbers of the elements, "cache_order",
/// and where they come from, "cache_origin". The folder is put together beside its place and gets
/// its name when it has all elements: a cache is whole or not there. Any thread may call. A child
/// of fork() leaves a folder that is begun to its parent, and begins its own.
class CacheFile {
 public:
  /// Nothing is looked at yet. Throws ValueError for an empty path.
  explicit CacheFile(std::filesystem::path path);
  ~CacheFile();
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  /// Reads the folder if it is there; comes before all others. Throws FileError when it is damaged,
  /// no cache, or one whose elements have another origin.
  void open(const std::string& origin);
  /// Calls `read` with the bytes of an element, if all elements are there. Throws FileError for
  /// damaged ones.
  template <class F>
  bool find(int64_t index, const F& read) const {
    const std::shared_ptr<const Reader> reader = this->reader();
    if (reader) read_one(*reader, index, read);
    return reader != nullptr;
  }
  /// Takes an element, unless it has it. With the last one of `count`, if that is known, the folder
  /// gets its name. Throws FileError when writing fails: what was written is lost then.
  void keep(int64_t index, std::span<const std::byte> element, int64_t count);
  /// A walk came to its end behind element count - 1.
  void finish(int64_t count);
  /// How many there are, once all are there.
  std::optional<int64_t> whole() const;

 private:
  struct Reader;
  struct Writer;
  std::shared_ptr<const Reader> reader() const;
  void read_one(const Reader& reader, int64_t index,
                const std::function<void(std::span<const std::byte>)>& read) const;
  std::shared_ptr<const Reader> read_folder() const;
  void begin();
  void commit();
  void leave_parents_folder();

  const std::filesystem::path path_;
  mutable std::mutex mutex_;  // of all below
  std::string origin_;        // empty until it is opened
  std::shared_ptr<const Reader> reader_;
  std::unique_ptr<Writer> writer_;
  int64_t writer_of_ = 0;  // its process: see forks()
};

}  // namespace cornu::data::detail
