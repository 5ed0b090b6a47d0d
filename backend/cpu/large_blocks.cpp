// Cutting and joining large blocks, and mapping fresh memory in huge pages below what is mapped.
#include "large_blocks.h"

#include <iterator>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cornu::backend::cpu {

namespace {

bool adjacent(const auto& low, const auto& high) {
  return low->first + low->second.size == high->first;
}

}  // namespace

LargeBlocks::~LargeBlocks() {
  while (!free_.empty()) {
    const auto [data, bytes] = forget_oldest();
    unmap(data, bytes);
  }
  trim();
}

#if defined(__linux__)
namespace {

// Fresh memory asks for huge pages: touching it is then several times faster.
constexpr size_t huge_page = size_t{2} << 20;

size_t whole_huge_pages(size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

char* map_pages(char* wish, size_t bytes) {
  void* data = mmap(wish, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<char*>(data);
}

// Memory at a multiple of `huge_page`: what lies before and after it goes back at once.
char* map_aligned(size_t bytes) {
  char* data = map_pages(nullptr, bytes + huge_page);
  if (data == nullptr) return nullptr;
  const size_t before = (huge_page - reinterpret_cast<uintptr_t>(data) % huge_page) % huge_page;
  if (before > 0) munmap(data, before);
  if (before < huge_page) munmap(data + before + bytes, huge_page - before);
  return data + before;
}

}  // namespace

bool LargeBlocks::available() { return true; }

void LargeBlocks::unmap(void* data, size_t bytes) noexcept { munmap(data, bytes); }

bool LargeBlocks::extend(size_t bytes) {
  if (ahead_ == nullptr) return false;
  bytes = whole_huge_pages(bytes);
  // Memory grows downwards, as the kernel places mappings itself, so that new blocks join old ones.
  char* const wish = ahead_ - bytes;
  char* const data = map_pages(wish, bytes);
  // Something else is there: the next block then starts elsewhere.
  if (data != wish) {
    if (data != nullptr) munmap(data, bytes);
    return false;
  }
  madvise(data, bytes, MADV_HUGEPAGE);
  ahead_ = data;
  ahead_bytes_ += bytes;
  return true;
}

bool LargeBlocks::start(size_t bytes) {
  trim();
  bytes = whole_huge_pages(bytes);
  ahead_ = map_aligned(bytes);
  if (ahead_ == nullptr) return false;
  madvise(ahead_, bytes, MADV_HUGEPAGE);
  ahead_bytes_ = bytes;
  return true;
}

void LargeBlocks::trim() noexcept {
  if (ahead_bytes_ > 0) munmap(ahead_, ahead_bytes_);
  ahead_ = nullptr;
  ahead_bytes_ = 0;
}
#else
bool LargeBlocks::available() { return false; }
void LargeBlocks::unmap(void*, size_t) noexcept {}
bool LargeBlocks::extend(size_t) { return false; }
bool LargeBlocks::start(size_t) { return false; }
void LargeBlocks::trim() noexcept {}
#endif

LargeBlocks::BySize::node_type LargeBlocks::new_entry() {
  BySize one{{0, nullptr}};
  return one.extract(one.begin());
}

void LargeBlocks::enlist(Blocks::iterator block, BySize::node_type entry) noexcept {
  entry.value() = {block->second.size, block->first};
  free_.insert(std::move(entry));
}

LargeBlocks::BySize::node_type LargeBlocks::delist(Blocks::iterator block) noexcept {
  return free_.extract(free_.find({block->second.size, block->first}));
}

void* LargeBlocks::take(size_t bytes) {
  // Best fit: the smallest block that is large enough, of equal ones the lowest.
  const auto found = free_.lower_bound({bytes, nullptr});
  if (found == free_.end()) return nullptr;
  Blocks::iterator block = blocks_.find(found->second);
  if (const size_t left = block->second.size - bytes; left == 0) {
    block->second.entry = delist(block);
  } else {
    BySize::node_type entry = new_entry();
    // The upper part is taken: memory grows downwards, so the rest stays next to what is free below
    // it.
    const auto upper = blocks_.try_emplace(block->first + left, bytes).first;
    upper->second.entry = std::move(entry);
    entry = delist(block);
    block->second.size = left;
    enlist(block, std::move(entry));
    block = upper;
  }
  idle_ -= bytes;
  return block->first;
}

void* LargeBlocks::map(size_t bytes) {
  // Another thread may have freed one since the caller found none; so what is joined below is
  // smaller than what is asked for.
  if (void* const freed = take(bytes)) return freed;
  // A free block right above is made larger: it would stay behind, too small for most.
  const auto above = ahead_ == nullptr ? blocks_.end() : blocks_.find(ahead_ + ahead_bytes_);
  size_t joined = above != blocks_.end() && above->second.free() ? above->second.size : 0;
  if (const size_t missing = bytes - joined;
      missing > ahead_bytes_ && !extend(missing - ahead_bytes_)) {
    joined = 0;
    if (!start(bytes)) return nullptr;
  }
  char* const data = ahead_ + ahead_bytes_ - (bytes - joined);
  // Allocated before anything changes, so that giving back, which may not fail, only moves nodes.
  BySize::node_type entry = new_entry();
  blocks_.try_emplace(data, bytes).first->second.entry = std::move(entry);
  ahead_bytes_ -= bytes - joined;
  if (joined > 0) {
    delist(above);
    blocks_.erase(above);
    idle_ -= joined;
  }
  return data;
}

size_t LargeBlocks::give(void* data, uint64_t now) noexcept {
  Blocks::iterator block = blocks_.find(static_cast<char*>(data));
  const size_t bytes = block->second.size;
  BySize::node_type entry = std::move(block->second.entry);
  // Joined with its neighbors at once, so that no two free blocks are adjacent.
  if (const auto next = std::next(block);
      next != blocks_.end() && next->second.free() && adjacent(block, next)) {
    delist(next);
    block->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (block != blocks_.begin())
    if (const auto before = std::prev(block); before->second.free() && adjacent(before, block)) {
      delist(before);
      before->second.size += block->second.size;
      blocks_.erase(block);
      block = before;
    }
  block->second.freed_at = now;
  enlist(block, std::move(entry));
  idle_ += bytes;
  return bytes;
}

LargeBlocks::Blocks::const_iterator LargeBlocks::oldest_free() const noexcept {
  auto oldest = blocks_.end();
  for (const auto& entry : free_)
    if (const auto block = blocks_.find(entry.second);
        oldest == blocks_.end() || block->second.freed_at < oldest->second.freed_at)
      oldest = block;
  return oldest;
}

uint64_t LargeBlocks::oldest() const noexcept {
  return free_.empty() ? ~uint64_t{0} : oldest_free()->second.freed_at;
}

std::pair<void*, size_t> LargeBlocks::forget_oldest() noexcept { return forget(oldest_free()); }

std::pair<void*, size_t> LargeBlocks::forget_largest() noexcept {
  if (free_.empty()) return {};
  return forget(blocks_.find(free_.rbegin()->second));
}

std::pair<void*, size_t> LargeBlocks::forget(Blocks::const_iterator block) noexcept {
  const std::pair<void*, size_t> forgotten{block->first, block->second.size};
  free_.erase({block->second.size, block->first});
  blocks_.erase(block);
  idle_ -= forgotten.second;
  return forgotten;
}

}  // namespace cornu::backend::cpu
