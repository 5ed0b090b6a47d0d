// Equal copies are found by a hash of samples, then compared.
#include "kept_filters.h"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu_backend.h"

namespace cornu::backend::cpu {

class KeptFilters::Block {
 public:
  explicit Block(size_t bytes) : bytes_(bytes), data_(cpu_backend().allocator().allocate(bytes)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (listed_) {
      const std::lock_guard lock(list().mutex);
      const auto [begin, end] = list().blocks.equal_range(hash_);
      for (auto i = begin; i != end; ++i)
        if (i->second.first == this) {
          list().blocks.erase(i);
          break;
        }
    }
    cpu_backend().allocator().deallocate(data_, bytes_);
  }

  void* data() const { return data_; }

  // The block of the list that has the same bytes, or `own`, which is put on the list.
  static std::shared_ptr<Block> same_as(const std::shared_ptr<Block>& own) {
    own->hash_ = own->hash();
    std::vector<std::shared_ptr<Block>> candidates;  // let go of when the lock is
    const std::lock_guard lock(list().mutex);
    const auto [begin, end] = list().blocks.equal_range(own->hash_);
    for (auto i = begin; i != end; ++i) {
      candidates.push_back(i->second.second.lock());
      const Block* const found = candidates.back().get();
      if (found && found->bytes_ == own->bytes_ &&
          std::memcmp(found->data_, own->data_, own->bytes_) == 0)
        return candidates.back();
    }
    list().blocks.emplace(own->hash_, std::pair(own.get(), std::weak_ptr(own)));
    own->listed_ = true;
    return own;
  }

 private:
  struct List {
    std::mutex mutex;
    std::unordered_multimap<uint64_t, std::pair<const Block*, std::weak_ptr<Block>>> blocks;
  };
  // Never destroyed: kernels in static variables may outlive it.
  static List& list() {
    static List& list = *new List;
    return list;
  }

  // Of one word in 64: filters that agree in these are compared.
  uint64_t hash() const {
    uint64_t hash = bytes_, word = 0;
    for (size_t i = 0; i + sizeof word <= bytes_; i += 64 * sizeof word) {
      std::memcpy(&word, static_cast<const char*>(data_) + i, sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }

  size_t bytes_;
  void* data_;
  uint64_t hash_ = 0;
  bool listed_ = false;
};

void* KeptFilters::make(size_t bytes) {
  block_ = std::make_shared<Block>(bytes);
  return block_->data();
}

void KeptFilters::share() { block_ = Block::same_as(block_); }

void* KeptFilters::data() const { return block_ ? block_->data() : nullptr; }

}  // namespace cornu::backend::cpu
