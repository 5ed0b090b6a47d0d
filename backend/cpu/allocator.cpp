// The caching allocator: size classes, free lists threaded through the free blocks, and the limit.
#include "allocator.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "../error.h"

#if defined(__linux__)
#include <malloc.h>
#endif

namespace cornu::backend::cpu {
namespace {

// A cached block would hide a use after free from the sanitizer.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool caching = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool caching = false;
#else
constexpr bool caching = true;
#endif
#else
constexpr bool caching = true;
#endif

// A cache line, and the widest vector.
constexpr size_t alignment = 64;
// Slack that small programs may cache however little they have live.
constexpr size_t free_slack = size_t{32} << 20;

// Blocks up to this size, that of a size class, come from malloc, larger ones from LargeBlocks.
// 15 * 2^16 bytes are a size class (of the form k * 2^n with k in [9, 16]), so the border splits
// none.
constexpr size_t largest_small = size_t{15} << 16;

bool is_large(size_t bytes) { return caching && bytes > largest_small && LargeBlocks::available(); }

void* system_allocate(size_t bytes) {
  void* data = nullptr;
  return posix_memalign(&data, alignment, bytes) == 0 ? data : nullptr;
}

std::string bytes_text(size_t bytes) {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
  return text;
}

}  // namespace

void CachingAllocator::Lock::lock() noexcept {
  // A spin lock: it is held for some tens of instructions, and taken for every tensor.
  while (taken_.exchange(true, std::memory_order_acquire)) {
    // The holder may have lost its core: let it run rather than spin for a time slice.
    for (int i = 0; taken_.load(std::memory_order_relaxed); ++i)
      if (i >= 64) std::this_thread::yield();
  }
}

CachingAllocator::~CachingAllocator() {
  for (Bin& bin : bins_) free_all(bin.first);
}

bool CachingAllocator::caches() { return caching; }

CachingAllocator::SizeClass CachingAllocator::size_class(size_t bytes) {
  if (is_large(bytes)) return {large_bin, LargeBlocks::rounded(bytes)};
  // Small blocks come in steps of a cache line, larger ones in eight steps per power of two, which
  // wastes an eighth at most.
  if (bytes <= 64 * small_bins) {
    const size_t lines = bytes == 0 ? 1 : (bytes + 63) / 64;
    return {static_cast<int>(lines) - 1, lines * 64};
  }
  const int bits = std::bit_width(bytes - 1);  // bytes is in (2^(bits-1), 2^bits]
  const int shift = bits - 4;
  const size_t step = (bytes - 1) >> shift;  // in [8, 16)
  return {small_bins + 8 * (bits - 11) + static_cast<int>(step) - 8, (step + 1) << shift};
}

void* CachingAllocator::allocate(size_t bytes) {
  // Also catches sizes that came out of a negative number.
  if (bytes > size_t{1} << max_bits) fail(bytes, "this is more than any process can address");
  const SizeClass wanted = size_class(bytes);
  {
    std::lock_guard hold(lock_);
    if (void* const data = take_cached(wanted)) return data;
  }
  return allocate_fresh(bytes, wanted);
}

void* CachingAllocator::allocate_scratch(size_t bytes) {
  if (bytes > size_t{1} << max_bits || size_class(bytes).bin != large_bin) return allocate(bytes);
  const SizeClass wanted = size_class(bytes);
  std::pair<void*, size_t> outgrown;
  {
    std::lock_guard hold(lock_);
    if (void* const data = take_cached(wanted)) return data;
    // Scratch memory of a kernel grows with its shapes; the block that it has outgrown would stay
    // for ever, since nobody else asks for blocks of that size.
    outgrown = large_.forget_largest();
    stats_.cached -= outgrown.second;
  }
  if (outgrown.first != nullptr) LargeBlocks::unmap(outgrown.first, outgrown.second);
  return allocate_fresh(bytes, wanted);
}

// The lock is held; nullptr when nothing cached fits.
void* CachingAllocator::take_cached(SizeClass wanted) {
  void* data = nullptr;
  if (wanted.bin == large_bin) {
    data = large_.take(wanted.size);
  } else {
    Bin& bin = bins_[wanted.bin];
    // Bins age by requests, also by those that found nothing: the size is in use.
    bin.last_use = ++clock_;
    data = bin.first;
    if (bin.first) bin.first = bin.first->next;
  }
  if (data == nullptr) return nullptr;
  stats_.cached -= wanted.size;
  stats_.live += wanted.size;
  note_peak();
  return data;
}

// The lock is held.
void CachingAllocator::note_peak() {
  if (stats_.live > stats_.peak) stats_.peak = stats_.live;
  if (stats_.live > most_live_) most_live_ = stats_.live;
}

void* CachingAllocator::allocate_fresh(size_t bytes, SizeClass wanted) {
  FreeBlock* unneeded = nullptr;
  bool allowed = true;
  {
    std::lock_guard hold(lock_);
    const size_t live = stats_.live + wanted.size;
    const size_t limit = stats_.limit;
    allowed = limit == 0 || live <= limit;
    if (allowed) {
      // The cache may fill up what was once in use, and an eighth more: fragmentation stays
      // bounded, and a step that repeats finds all its blocks.
      const size_t most = live > most_live_ ? live : most_live_;
      const size_t bound = most + most / 8 + free_slack;
      drop_cached((limit != 0 && limit < bound ? limit : bound) - live, &unneeded);
      stats_.live =
          live;  // counted before the memory is there, so that threads cannot pass the limit
    }
  }
  free_all(unneeded);
  if (!allowed) fail(bytes, "the limit is reached");

  void* data = map_or_allocate(bytes, wanted);
  // The system has none left, but the cache may hold some in sizes that do not fit.
  if (data == nullptr) {
    release();
    data = map_or_allocate(bytes, wanted);
  }
  {
    std::lock_guard hold(lock_);
    if (data == nullptr)
      stats_.live -= wanted.size;
    else
      note_peak();
  }
  // Outside of the lock, which `fail` takes to read the figures.
  if (data == nullptr) fail(bytes, "the system has no memory left");
  return data;
}

// Memory for a block that is counted already; nullptr when the system has none.
void* CachingAllocator::map_or_allocate(size_t bytes, SizeClass wanted) {
  if (wanted.bin != large_bin)
    return system_allocate(caching ? wanted.size : std::max<size_t>(bytes, 1));
  std::lock_guard hold(lock_);
  const size_t idle = large_.idle();
  void* const data = large_.map(wanted.size);
  stats_.cached -= idle - large_.idle();
  return data;
}

void CachingAllocator::deallocate(void* data, size_t bytes) noexcept {
  if (data == nullptr) return;
  const SizeClass freed = size_class(bytes);
  if (!caching) {
    std::lock_guard hold(lock_);
    stats_.live -= freed.size;
    std::free(data);
    return;
  }
  FreeBlock* unneeded = nullptr;
  {
    std::lock_guard hold(lock_);
    if (freed.bin == large_bin) {
      large_.give(data, ++clock_);
    } else {
      Bin& bin = bins_[freed.bin];
      bin.first = ::new (data) FreeBlock{bin.first, freed.size};
      bin.last_use = ++clock_;
    }
    stats_.live -= freed.size;
    stats_.cached += freed.size;
    if (stats_.limit != 0) drop_cached(room_below(stats_.limit), &unneeded);
  }
  free_all(unneeded);
}

// The lock is held.
size_t CachingAllocator::room_below(size_t limit) const {
  return limit > stats_.live ? limit - stats_.live : 0;
}

// Moves cached blocks, those of the longest unused sizes first, to `dropped` until at most
// `bytes_to_keep` are left. The lock is held; the caller frees the blocks once it has let go of it.
void CachingAllocator::drop_cached(size_t bytes_to_keep, FreeBlock** dropped) {
  const auto drop = [&](void* data, size_t size, bool mapped) {
    *dropped = ::new (data) FreeBlock{*dropped, size, mapped};
    stats_.cached -= size;
  };
  while (stats_.cached > bytes_to_keep) {
    Bin* oldest = nullptr;
    for (Bin& bin : bins_)
      if (bin.first && (oldest == nullptr || bin.last_use < oldest->last_use)) oldest = &bin;
    // Bins and large blocks share one clock, so that their ages compare.
    if (oldest == nullptr || large_.oldest() < oldest->last_use) {
      const auto [data, size] = large_.forget_oldest();
      drop(data, size, true);
      continue;
    }
    while (oldest->first && stats_.cached > bytes_to_keep) {
      FreeBlock* const block = oldest->first;
      oldest->first = block->next;
      drop(block, block->size, false);
    }
  }
}

void CachingAllocator::free_all(FreeBlock* blocks) noexcept {
  while (blocks) {
    FreeBlock* next = blocks->next;
    if (blocks->mapped)
      LargeBlocks::unmap(blocks, blocks->size);
    else
      std::free(blocks);
    blocks = next;
  }
}

void CachingAllocator::release() {
  FreeBlock* blocks = nullptr;
  {
    std::lock_guard hold(lock_);
    drop_cached(0, &blocks);
    large_.trim();
    most_live_ = stats_.live;
  }
  // System calls outside of the lock, as everywhere here: they may take as long as a kernel.
  free_all(blocks);
#if defined(__GLIBC__)
  malloc_trim(0);  // small blocks live in malloc's heap, which does not shrink by itself
#endif
}

void CachingAllocator::set_limit(size_t bytes) {
  FreeBlock* blocks = nullptr;
  {
    std::lock_guard hold(lock_);
    stats_.limit = bytes;
    if (bytes != 0) drop_cached(room_below(bytes), &blocks);
  }
  free_all(blocks);
}

void CachingAllocator::reset_peak() {
  std::lock_guard hold(lock_);
  stats_.peak = stats_.live;
}

MemoryStats CachingAllocator::stats() const {
  std::lock_guard hold(lock_);
  return stats_;
}

void CachingAllocator::fail(size_t bytes, const char* reason) const {
  const MemoryStats now = stats();
  throw MemoryError("CPU memory: cannot allocate " + bytes_text(bytes) + ": " + reason + " (live " +
                    bytes_text(now.live) + ", limit " +
                    (now.limit == 0 ? std::string("none") : bytes_text(now.limit)) +
                    "). Let go of tensors that are no longer needed, use smaller batches" +
                    (now.limit == 0 ? "." : ", or raise the limit."));
}

}  // namespace cornu::backend::cpu
