// Segments, blocks, and reserves.
#include "allocator.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "../error.h"

namespace cornu::backend::cuda {
namespace {

// A multiple of the 256 bytes to which the driver aligns memory; few enough sizes for blocks to be
// used again.
constexpr size_t unit = 512;
// Small and large blocks have segments of their own: a small tensor that lives long would keep a
// large segment from being given back or used whole.
constexpr size_t small_limit = mebibyte;
constexpr size_t first_segment = 2 * mebibyte;
constexpr size_t largest_growth = 32 * mebibyte;

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

std::string text(size_t bytes) {
  if (bytes < mebibyte) return fmt::format("{} bytes", bytes);
  const double mib = static_cast<double>(bytes) / static_cast<double>(mebibyte);
  return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

}  // namespace

struct CachingAllocator::Block {
  char* data;
  size_t size;
  bool small;
  bool free = false;
  Block* previous = nullptr;  // neighbors in the segment
  Block* next = nullptr;
  uint64_t taken_at = 0, freed_at = 0;
  Reserve* reserve = nullptr;  // keeps it from others
  bool dropped = false;        // of a reserve, and nobody's tensor any more
};

// Blocks that a graph of launches uses.
struct CachingAllocator::Reserve {
  explicit Reserve(CachingAllocator& owner) : owner(owner) {}
  ~Reserve() { owner.drop(*this); }
  CachingAllocator& owner;
  const std::thread::id thread = std::this_thread::get_id();  // others' blocks outlive its making
  std::vector<Block*> blocks;
  FreeBlocks unused;  // dropped while the reserve is made
};

bool CachingAllocator::Less::operator()(const Block* a, const Block* b) const {
  return a->size != b->size ? a->size < b->size : a->data < b->data;
}

CachingAllocator::CachingAllocator(MemorySource& source, std::string device, bool exact)
    : source_(source), device_(std::move(device)), exact_(exact) {}

CachingAllocator::~CachingAllocator() {
  reserve_.reset();
  while (!taken_.empty()) give_back(taken_.begin()->second);  // they end with the device
  release_cached();
}

void* CachingAllocator::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  // Also what a negative size becomes.
  if (bytes > size_t{1} << 60) fail(bytes);  // the sums below would wrap
  const size_t size =
      exact_ ? std::max(bytes, size_t{1}) : rounded(std::max(bytes, size_t{1}), unit);
  Block* block = nullptr;
  const bool reserving = reserve_ && reserve_->thread == std::this_thread::get_id();
  if (reserving) {
    Block key{nullptr, size, false};
    const auto at = reserve_->unused.lower_bound(&key);
    if (at != reserve_->unused.end() && (*at)->size - size <= (exact_ ? 0 : std::max(unit, size))) {
      // A graph of launches may use a block again that was dropped while it was captured: steps of
      // it that take memory wait for each other.
      block = *at;
      reserve_->unused.erase(at);
      block->dropped = false;
      return block->data;
    }
  }
  block = find(size);
  if (!block) block = grow(size);
  cut(block, size);
  block->taken_at = now();
  taken_.emplace(block->data, block);
  if (reserving) {
    block->reserve = reserve_.get();
    reserve_->blocks.push_back(block);
  }
  stats_.live += block->size;
  stats_.peak = std::max(stats_.peak, stats_.live);
  return block->data;
}

// The smallest free block that is large enough, taken out of its list, or null.
CachingAllocator::Block* CachingAllocator::find(size_t size) {
  FreeBlocks& blocks = size <= small_limit ? small_ : large_;
  Block key{nullptr, size, false};
  const auto at = blocks.lower_bound(&key);
  if (at == blocks.end() || (exact_ && (*at)->size != size)) return nullptr;
  Block* const block = *at;
  blocks.erase(at);
  block->free = false;
  return block;
}

// A block of a new segment.
CachingAllocator::Block* CachingAllocator::grow(size_t size) {
  const bool small = size <= small_limit;
  const size_t least = exact_ ? size : rounded(size, first_segment);
  // An eighth of what there is, so that the number of segments grows with the logarithm of the
  // memory.
  const size_t growth =
      std::clamp(rounded(reserved_bytes_ / 8, first_segment), first_segment, largest_growth);
  const size_t wanted = exact_ ? size : std::max(least, growth);
  if (Block* const block = new_segment(wanted, small)) return block;
  if (least < wanted)
    if (Block* const block = new_segment(least, small)) return block;
  if (least > size)
    if (Block* const block = new_segment(size, small)) return block;
  // From here on the device is full: everything cached goes back before the error.
  const bool had_spare = spare_ != nullptr;
  const size_t released = release_cached();
  spare_refused_ |= had_spare && !spare_;  // or it would come and go
  if (released > 0)
    for (const size_t bytes : {least, size})
      if (Block* const block = new_segment(bytes, small)) return block;
  if (exact_) fail(size);
  // Near the limit a free block of the other kind is better than none.
  std::swap(small_, large_);
  Block* const block = find(size);
  std::swap(small_, large_);
  if (block) return block;
  fail(size);
}

CachingAllocator::Block* CachingAllocator::new_segment(size_t bytes, bool small) {
  if (stats_.limit != 0 && held_bytes() + bytes > stats_.limit) return nullptr;
  auto block = std::make_unique<Block>(Block{nullptr, bytes, small});
  block->data = static_cast<char*>(source_.allocate(bytes));
  if (!block->data) return nullptr;
  reserved_bytes_ += bytes;
  return block.release();
}

// Makes of the block's end a free block, if it is worth one.
void CachingAllocator::cut(Block* block, size_t size) {
  const size_t rest = block->size - size;
  // A remainder that is smaller than an eighth would hardly serve anybody; it stays with the block.
  if (rest < unit || rest <= (block->small ? unit : size / 8)) return;
  Block* const end = new Block(*block);
  end->data = block->data + size;
  end->size = rest;
  end->free = true;
  end->previous = block;
  if (end->next) end->next->previous = end;
  block->next = end;
  block->size = size;
  (end->small ? small_ : large_).insert(end);
}

void CachingAllocator::deallocate(void* data, size_t) noexcept {
  if (!data) return;
  const std::lock_guard lock(mutex_);
  const auto at = taken_.find(data);
  if (at == taken_.end()) return;
  Block* const block = at->second;
  if (block->reserve) {
    // A captured graph goes on using the address, so nobody else may get it while the graph lives.
    block->dropped = true;
    if (block->reserve == reserve_.get()) reserve_->unused.insert(block);
    return;
  }
  give_back(block);
}

void CachingAllocator::give_back(Block* block) {
  taken_.erase(block->data);
  stats_.live -= block->size;
  block->freed_at = now();
  FreeBlocks& blocks = block->small ? small_ : large_;
  // Neighbors of one segment join at once, so that no two free blocks are adjacent.
  if (Block* const before = block->previous; before && before->free) {
    blocks.erase(before);
    before->size += block->size;
    before->freed_at = block->freed_at;
    before->next = block->next;
    if (block->next) block->next->previous = before;
    delete block;
    block = before;
  }
  if (Block* const after = block->next; after && after->free) {
    blocks.erase(after);
    block->size += after->size;
    block->next = after->next;
    if (after->next) after->next->previous = block;
    delete after;
  }
  block->free = true;
  blocks.insert(block);
}

// Gives segments back of which no block is in use, and says how many bytes.
size_t CachingAllocator::release_segments() {
  size_t released = 0;
  for (FreeBlocks* blocks : {&small_, &large_})
    for (auto at = blocks->begin(); at != blocks->end();) {
      Block* const block = *at;
      if (block->previous || block->next) {
        ++at;
        continue;
      }
      at = blocks->erase(at);
      source_.free(block->data);
      released += block->size;
      delete block;
    }
  reserved_bytes_ -= released;
  return released;
}

CachingAllocator::Spare CachingAllocator::spare(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!spare_ && !spare_refused_) {
    if (stats_.limit == 0 || held_bytes() + bytes <= stats_.limit) spare_ = source_.allocate(bytes);
    if (spare_)
      spare_bytes_ = bytes;
    else
      spare_refused_ = true;
  }
  if (!spare_) return {};
  return {static_cast<char*>(spare_), std::unique_lock(spare_mutex_)};
}

size_t CachingAllocator::release_spare() {
  if (spare_) source_.free(std::exchange(spare_, nullptr));
  return std::exchange(spare_bytes_, 0);
}

// All that is not in use, and says how many bytes; nothing while it may be in use on the device.
size_t CachingAllocator::release_cached() {
  // Freeing memory that a running kernel uses would fault: settle() says whether the device is
  // idle.
  const std::lock_guard lock(spare_mutex_);  // waits for whoever holds the spare memory
  return source_.settle() ? release_segments() + release_spare() : 0;
}

void CachingAllocator::release() {
  const std::lock_guard lock(mutex_);
  release_cached();
  spare_refused_ = false;
}

void CachingAllocator::set_limit(size_t bytes) {
  const std::lock_guard lock(mutex_);
  stats_.limit = bytes;
  spare_refused_ = false;
  if (bytes != 0 && held_bytes() > bytes) release_cached();
}

void CachingAllocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  stats_.peak = stats_.live;
}

MemoryStats CachingAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  MemoryStats stats = stats_;
  stats.cached = held_bytes() - stats_.live;
  return stats;
}

void CachingAllocator::fail(size_t wanted) {
  throw MemoryError(fmt::format(
      "{}: expected memory for {}, found too little: live {}, cached {}, limit {}, free on the "
      "device {}. Use smaller batches, drop tensors, {}.",
      device_, text(wanted), text(stats_.live), text(held_bytes() - stats_.live),
      stats_.limit ? text(stats_.limit) : "none", text(source_.free_bytes()),
      stats_.limit ? "or raise the limit" : "or end other programs on the device"));
}

void CachingAllocator::begin_reserve() {
  const std::lock_guard lock(mutex_);
  if (reserve_)
    throw StateError(device_ + ": expected one capture at a time, found one inside another.");
  reserve_ = std::make_shared<Reserve>(*this);
}

std::shared_ptr<void> CachingAllocator::end_reserve() {
  const std::lock_guard lock(mutex_);
  if (reserve_) reserve_->unused.clear();
  return std::move(reserve_);
}

// The reserve's owner is gone: its blocks are like others.
void CachingAllocator::drop(Reserve& reserve) {
  const std::lock_guard lock(mutex_);
  for (Block* block : reserve.blocks) {
    block->reserve = nullptr;
    if (block->dropped) give_back(block);
  }
}

CachingAllocator::Times CachingAllocator::times(const void* data) const {
  const std::lock_guard lock(mutex_);
  const auto at = taken_.find(data);
  if (reserve_ || at == taken_.end() || at->second->reserve) return {};
  return {true, at->second->taken_at, at->second->freed_at};
}

}  // namespace cornu::backend::cuda
