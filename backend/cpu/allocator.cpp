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
#include <sys/mman.h>
#endif

namespace cornu::backend::cpu {
namespace {

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

constexpr size_t alignment = 64;
// Slack that small programs may cache however little they have live.
constexpr size_t free_slack = size_t{32} << 20;

// Large blocks ask for huge pages: touching fresh memory is then several times faster.
constexpr size_t huge_page = size_t{2} << 20;

// Blocks of this size are mapped one by one: malloc would put them on its heap once it has seen
// such blocks freed, and a heap does not shrink below what is still in use at its end.
constexpr size_t mapped_block = size_t{1} << 20;

#if defined(__linux__)
constexpr bool maps = caching;

void* map(size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

// Memory at a multiple of `huge_page`: what lies before and after it goes back at once.
void* map_huge(size_t bytes) {
  char* data = static_cast<char*>(map(bytes + huge_page));
  if (data == nullptr) return nullptr;
  const size_t before = (huge_page - reinterpret_cast<uintptr_t>(data) % huge_page) % huge_page;
  if (before > 0) munmap(data, before);
  if (before < huge_page) munmap(data + before + bytes, huge_page - before);
  madvise(data + before, bytes, MADV_HUGEPAGE);
  return data + before;
}
#else
constexpr bool maps = false;
#endif

void* system_allocate(size_t bytes) {
#if defined(__linux__)
  if (maps && bytes >= mapped_block) return bytes >= huge_page ? map_huge(bytes) : map(bytes);
#endif
  void* data = nullptr;
  return posix_memalign(&data, alignment, bytes) == 0 ? data : nullptr;
}

void system_free(void* data, size_t bytes) noexcept {
#if defined(__linux__)
  if (maps && bytes >= mapped_block) {
    munmap(data, bytes);
    return;
  }
#endif
  (void)bytes;
  std::free(data);
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
  if (bytes > size_t{1} << max_bits) fail(bytes, "this is more than any process can address");
  const SizeClass wanted = size_class(bytes);
  {
    std::lock_guard hold(lock_);
    Bin& bin = bins_[wanted.bin];
    bin.last_use = ++clock_;
    if (bin.first) return take_first(bin, wanted.size);
  }
  return allocate_fresh(bytes, wanted);
}

void* CachingAllocator::allocate_scratch(size_t& bytes) {
  if (!caching || bytes < mapped_block || bytes > size_t{1} << max_bits) return allocate(bytes);
  const SizeClass wanted = size_class(bytes);
  {
    std::lock_guard hold(lock_);
    for (int i = wanted.bin; i < bin_count; ++i)
      if (const FreeBlock* const block = bins_[i].first) {
        bytes = block->size;
        bins_[i].last_use = ++clock_;
        return take_first(bins_[i], bytes);
      }
  }
  return allocate_fresh(bytes, wanted, wanted.size);
}

// The lock is held; the bin has a block.
void* CachingAllocator::take_first(Bin& bin, size_t size) {
  FreeBlock* const block = bin.first;
  bin.first = block->next;
  stats_.cached -= size;
  stats_.live += size;
  if (stats_.live > stats_.peak) stats_.peak = stats_.live;
  if (stats_.live > most_live_) most_live_ = stats_.live;
  return block;
}

// `replaced` bytes of the cache are given up for it.
void* CachingAllocator::allocate_fresh(size_t bytes, SizeClass wanted, size_t replaced) {
  FreeBlock* unneeded = nullptr;
  bool allowed = true;
  {
    std::lock_guard hold(lock_);
    const size_t live = stats_.live + wanted.size;
    const size_t limit = stats_.limit;
    allowed = limit == 0 || live <= limit;
    if (allowed) {
      const size_t most = live > most_live_ ? live : most_live_;
      const size_t bound = most + most / 8 + free_slack;
      const size_t room = (limit != 0 && limit < bound ? limit : bound) - live;
      take_cached(std::min(room, stats_.cached - std::min(replaced, stats_.cached)), &unneeded);
      stats_.live =
          live;  // counted before the memory is there, so that threads cannot pass the limit
    }
  }
  free_all(unneeded);
  if (!allowed) fail(bytes, "the limit is reached");

  const size_t size = caching ? wanted.size : (bytes == 0 ? 1 : bytes);
  void* data = system_allocate(size);
  if (data == nullptr) {
    release();
    data = system_allocate(size);
  }
  {
    std::lock_guard hold(lock_);
    if (data == nullptr) {
      stats_.live -= wanted.size;
    } else {
      if (stats_.live > stats_.peak) stats_.peak = stats_.live;
      if (stats_.live > most_live_) most_live_ = stats_.live;
    }
  }
  if (data == nullptr) fail(bytes, "the system has no memory left");
  return data;
}

void CachingAllocator::deallocate(void* data, size_t bytes) noexcept {
  if (data == nullptr) return;
  const SizeClass freed = size_class(bytes);
  if constexpr (caching) {
    std::lock_guard hold(lock_);
    if (stats_.limit == 0 || stats_.live + stats_.cached <= stats_.limit) {
      Bin& bin = bins_[freed.bin];
      bin.first = ::new (data) FreeBlock{bin.first, freed.size};
      bin.last_use = ++clock_;
      stats_.live -= freed.size;
      stats_.cached += freed.size;
      return;
    }
  }
  {
    std::lock_guard hold(lock_);
    stats_.live -= freed.size;
  }
  system_free(data, freed.size);
}

// Moves cached blocks, those of the longest unused sizes first, to `taken` until at most
// `bytes_to_keep` are left. The lock is held; the caller frees the blocks once it has let go of it.
void CachingAllocator::take_cached(size_t bytes_to_keep, FreeBlock** taken) {
  while (stats_.cached > bytes_to_keep) {
    int oldest = -1;
    for (int i = 0; i < bin_count; ++i)
      if (bins_[i].first && (oldest < 0 || bins_[i].last_use < bins_[oldest].last_use)) oldest = i;
    while (bins_[oldest].first && stats_.cached > bytes_to_keep) {
      FreeBlock* block = bins_[oldest].first;
      bins_[oldest].first = block->next;
      block->next = *taken;
      *taken = block;
      stats_.cached -= block->size;
    }
  }
}

void CachingAllocator::free_all(FreeBlock* blocks) noexcept {
  while (blocks) {
    FreeBlock* next = blocks->next;
    system_free(blocks, blocks->size);
    blocks = next;
  }
}

void CachingAllocator::release() {
  FreeBlock* blocks = nullptr;
  {
    std::lock_guard hold(lock_);
    take_cached(0, &blocks);
    most_live_ = stats_.live;
  }
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
    if (bytes != 0) take_cached(bytes > stats_.live ? bytes - stats_.live : 0, &blocks);
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
