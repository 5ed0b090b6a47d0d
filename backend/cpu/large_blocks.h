// Large pieces of the CPU's memory: blocks cut out of mapped memory, and joined again when free.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace cornu::backend::cpu {

/// Large blocks in the order of their addresses. A free block serves any request that it can hold,
/// the smallest such block first, and what is left over stays free; neighbors that are free
/// together are one block. So the sizes that an eager step asks for, hardly two of them equal,
/// share the same pages, and few fresh ones are touched: where a system must find and clear them
/// first, that costs more than computing on them. And the memory goes back to the system piece by
/// piece, where a heap like malloc's does not shrink below what is still in use at its end. Callers
/// lock.
class LargeBlocks {
 public:
  LargeBlocks() = default;
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;
  /// Unmaps what is free; blocks in use stay.
  ~LargeBlocks();

  /// The size of the block that serves `bytes`: whole pages.
  static size_t rounded(size_t bytes) { return (bytes + page - 1) / page * page; }
  /// Whether this system maps memory; without it all other calls are errors.
  static bool available();

  /// A free block of `bytes` (rounded), nullptr when none can hold it.
  void* take(size_t bytes);
  /// A block of fresh memory, joined with the free one that it borders on, or a free one that can
  /// hold `bytes` after all; nullptr when the system has none left.
  void* map(size_t bytes);
  /// Frees a block at the time `now`, and tells its size.
  size_t give(void* data, uint64_t now) noexcept;

  /// Bytes of free blocks.
  size_t idle() const { return idle_; }
  /// When the block that has been free for longest was given; ~0 when none is free.
  uint64_t oldest() const noexcept;
  /// Forgets that block, which there must be; the caller unmaps it.
  std::pair<void*, size_t> forget_oldest() noexcept;
  /// The same of the largest free block; null when none is free.
  std::pair<void*, size_t> forget_largest() noexcept;
  /// Unmaps what was mapped ahead of need.
  void trim() noexcept;
  static void unmap(void* data, size_t bytes) noexcept;

 private:
  static constexpr size_t page = 4096;

  using BySize = std::set<std::pair<size_t, char*>>;
  struct Block {
    explicit Block(size_t bytes) : size(bytes) {}
    bool free() const { return entry.empty(); }

    size_t size;
    uint64_t freed_at = 0;
    // What will stand in free_ once the block is free: freeing must not ask for memory.
    BySize::node_type entry;
  };
  using Blocks = std::map<char*, Block>;

  static BySize::node_type new_entry();
  void enlist(Blocks::iterator block, BySize::node_type entry) noexcept;
  BySize::node_type delist(Blocks::iterator block) noexcept;
  Blocks::const_iterator oldest_free() const noexcept;
  std::pair<void*, size_t> forget(Blocks::const_iterator block) noexcept;
  // Maps `bytes` more ahead, below what is there or elsewhere; false when there is no room.
  bool extend(size_t bytes);
  bool start(size_t bytes);

  Blocks blocks_;
  BySize free_;
  size_t idle_ = 0;
  // Mapped and never touched, below the newest blocks: mappings grow downwards. Fresh blocks are
  // cut from its end.
  char* ahead_ = nullptr;
  size_t ahead_bytes_ = 0;
};

}  // namespace cornu::backend::cpu
