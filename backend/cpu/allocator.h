// The CPU's caching allocator: freed blocks are kept, small ones by size for the next tensor of
// about that size, large ones for any that fits.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../backend.h"
#include "large_blocks.h"

namespace cornu::backend::cpu {

/// Blocks aligned to 64 bytes. Sizes are rounded up to classes (multiples of 64 up to 1 KiB, then
/// eight steps per power of two) or, above 960 KiB, to pages, and all figures of `stats` are in
/// rounded bytes. Cached blocks count towards the limit, but are given up before an allocation
/// fails, and whenever live and cached bytes together would exceed what was live at most by more
/// than an eighth and 32 MiB. Safe to use from all threads.
///
/// Under AddressSanitizer nothing is cached and blocks are not rounded, so that it sees every
/// error.
class CachingAllocator final : public Allocator {
 public:
  CachingAllocator() = default;
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;
  ~CachingAllocator() override;

  void* allocate(size_t bytes) override;
  /// Memory for the time of a kernel. A large block of it that must be mapped takes the place of
  /// the largest that is free: mostly the scratch memory that it outgrew.
  void* allocate_scratch(size_t bytes);
  void deallocate(void* data, size_t bytes) noexcept override;
  void release() override;
  void set_limit(size_t bytes) override;
  void reset_peak() override;
  MemoryStats stats() const override;

  /// Whether this build keeps freed blocks (not under AddressSanitizer).
  static bool caches();

 private:
  struct FreeBlock {
    FreeBlock* next;
    size_t size;
    bool mapped = false;
  };
  struct Bin {
    FreeBlock* first = nullptr;
    uint64_t last_use = 0;
  };
  struct SizeClass {
    int bin;
    size_t size;
  };
  // Held for a few instructions only; a std::mutex costs more than the rest of an allocation.
  class Lock {
   public:
    void lock() noexcept;
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool> taken_{false};
  };

  static constexpr int small_bins = 16;
  static constexpr int max_bits = 47;  // the address space of a process
  static constexpr int bin_count = small_bins + 8 * (max_bits - 10);
  static constexpr int large_bin = -1;  // a block of large_

  static SizeClass size_class(size_t bytes);
  void* take_cached(SizeClass wanted);
  void* allocate_fresh(size_t bytes, SizeClass wanted);
  void* map_or_allocate(size_t bytes, SizeClass wanted);
  void note_peak();
  size_t room_below(size_t limit) const;
  void drop_cached(size_t bytes_to_keep, FreeBlock** dropped);
  static void free_all(FreeBlock* blocks) noexcept;
  [[noreturn]] void fail(size_t bytes, const char* reason) const;

  mutable Lock lock_;
  std::array<Bin, bin_count> bins_;
  LargeBlocks large_;
  uint64_t clock_ = 0;
  MemoryStats stats_;
  size_t most_live_ = 0;  // like stats_.peak, but only release() resets it
};

/// Scratch memory of a kernel, from the CPU's allocator.
class Scratch {
 public:
  explicit Scratch(size_t bytes) : bytes_(bytes), data_(allocator().allocate_scratch(bytes)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { allocator().deallocate(data_, bytes_); }

  void* data() const { return data_; }

 private:
  static CachingAllocator& allocator();

  size_t bytes_;
  void* data_;
};

}  // namespace cornu::backend::cpu
