// BlockCache: blocks of bytes that take long to make, of which those used last stay in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cornu::io {

/// Blocks by their numbers, for any number of threads at a time.
class BlockCache {
 public:
  using Bytes = std::vector<std::byte>;        ///< what a block holds
  using Block = std::shared_ptr<const Bytes>;  ///< a block, which outlives its place in the cache

  /// Keeps at most so many bytes, and one block in any case.
  explicit BlockCache(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The block with a number, made by `make` when it is not there: whoever asks for it meanwhile
  /// waits for it. What `make` throws reaches one of them, and another makes it.
  Block get(uint64_t number, const std::function<Bytes()>& make);
  uint64_t bytes() const;  ///< of the blocks that are kept

 private:
  struct Entry {
    uint64_t number;
    std::mutex making;
    Block block;           // none before it is made
    uint64_t counted = 0;  // in bytes_
  };
  using Order = std::list<std::shared_ptr<Entry>>;

  std::shared_ptr<Entry> entry_of(uint64_t number);
  void keep(const Entry& entry, uint64_t size);
  void drop(const Entry& entry);

  const uint64_t most_bytes_;
  mutable std::mutex mutex_;
  Order order_;  // the one used last comes first
  std::unordered_map<uint64_t, Order::iterator> places_;
  uint64_t bytes_ = 0;
};

}  // namespace cornu::io
