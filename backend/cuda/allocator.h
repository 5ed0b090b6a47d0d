// The caching allocator of a CUDA device: segments from the driver, cut into blocks that tensors
// take and give back without a call of the driver.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../backend.h"

namespace cornu::backend::cuda {

inline constexpr size_t mebibyte = size_t{1} << 20;

/// Where segments come from.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// Aligned to 512, or null when there is none left.
  virtual void* allocate(size_t bytes) = 0;
  /// Waits until the device uses nothing that was given back, and says whether that could be: not
  /// while a graph of launches is made.
  virtual bool settle() noexcept = 0;
  /// After `settle`.
  virtual void free(void* data) noexcept = 0;
  /// What it could still give.
  virtual size_t free_bytes() = 0;
};

/// Blocks aligned to 512 bytes, best fit, joined with their free neighbors when given back. A
/// block is at most an eighth, or 512 bytes, larger than asked for. Small blocks (up to 1 MiB) and
/// large ones lie in different segments. Segments grow with what is in use, from 2 to 32 MiB, or
/// are as large as the block. `limit` bounds all segments and the spare memory together. Any number
/// of threads.
///
/// Freed blocks are given out again at once: right as long as all work on them runs in one order,
/// that of the device's stream.
class CachingAllocator final : public Allocator {
 public:
  /// `device` is for errors: "cuda:0". With `exact`, each block is a segment of the very size that
  /// was asked for: slower, and compute-sanitizer sees accesses beyond it.
  CachingAllocator(MemorySource& source, std::string device, bool exact = false);
  CachingAllocator(const CachingAllocator&) = delete;
  ~CachingAllocator() override;

  void* allocate(size_t bytes) override;
  void deallocate(void* data, size_t bytes) noexcept override;
  void release() override;
  void set_limit(size_t bytes) override;
  void reset_peak() override;
  MemoryStats stats() const override;

  /// From now on no block is given to others that work begun now has used: what is freed serves
  /// further allocations of this time and thread alone. For graphs of launches, which use the same
  /// addresses each time they run. Throws StateError inside another such time.
  void begin_reserve();
  /// Ends it. The blocks stay reserved while the result lives, which must not be longer than the
  /// allocator does. They count as live.
  std::shared_ptr<void> end_reserve();

  /// Memory beside the blocks, for an owner that can do without it.
  struct Spare {
    char* data = nullptr;
    std::unique_lock<std::mutex> hold;  ///< it stays until this ends
  };
  /// `bytes` aligned to 512, the same ones until they are given back: by release(), or when blocks
  /// or a limit need them. They count as cached. Null when there is no room, and, once there was
  /// none or blocks took them, until the next release() or set_limit(). One owner, which asks for
  /// the same number each time and calls nothing else of the allocator while it holds them.
  Spare spare(size_t bytes);

  /// A count of the work that was launched, asked for when blocks are taken and given back.
  void set_clock(std::function<uint64_t()> clock) { clock_ = std::move(clock); }
  /// When a block was taken, and when its memory was given back last before.
  struct Times {
    bool known = false;
    uint64_t taken = 0, freed = 0;
  };
  /// Not known inside a block, or while blocks are reserved.
  Times times(const void* data) const;

 private:
  struct Block;
  struct Less {
    bool operator()(const Block* a, const Block* b) const;
  };
  using FreeBlocks = std::set<Block*, Less>;
  struct Reserve;

  Block* find(size_t size);
  Block* grow(size_t size);
  Block* new_segment(size_t bytes, bool small);
  void cut(Block* block, size_t size);
  void give_back(Block* block);
  size_t release_segments();
  size_t release_spare();
  size_t release_cached();
  size_t held_bytes() const { return reserved_bytes_ + spare_bytes_; }
  void drop(Reserve& reserve);
  [[noreturn]] void fail(size_t wanted);
  uint64_t now() const { return clock_ ? clock_() : 0; }

  MemorySource& source_;
  std::string device_;
  bool exact_;
  mutable std::mutex mutex_;
  FreeBlocks small_, large_;
  std::unordered_map<const void*, Block*> taken_;
  std::shared_ptr<Reserve> reserve_;  // the one that is being made
  size_t reserved_bytes_ = 0;         // of all segments
  std::mutex spare_mutex_;            // taken inside mutex_ only
  void* spare_ = nullptr;
  size_t spare_bytes_ = 0;
  bool spare_refused_ = false;
  MemoryStats stats_;
  std::function<uint64_t()> clock_;
};

}  // namespace cornu::backend::cuda
