// Blocks that are kept, in the order of their last use.
#include "block_cache.h"

namespace cornu::io {

BlockCache::Block BlockCache::get(uint64_t number, const std::function<Bytes()>& make) {
  const std::shared_ptr<Entry> entry = entry_of(number);
  const std::lock_guard lock(entry->making);
  if (entry->block) return entry->block;
  try {
    entry->block = std::make_shared<const Bytes>(make());
  } catch (...) {
    drop(*entry);
    throw;
  }
  keep(*entry, entry->block->size());
  return entry->block;
}

uint64_t BlockCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::shared_ptr<BlockCache::Entry> BlockCache::entry_of(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto known = places_.find(number);
  if (known != places_.end()) {
    order_.splice(order_.begin(), order_, known->second);
  } else {
    order_.push_front(std::make_shared<Entry>());
    order_.front()->number = number;
    places_.emplace(number, order_.begin());
  }
  return order_.front();
}

void BlockCache::keep(const Entry& entry, uint64_t size) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(entry.number);
  // One that others have driven out while it was made is not kept.
  if (place == places_.end() || place->second->get() != &entry) return;
  (*place->second)->counted = size;
  bytes_ += size;
  while (bytes_ > most_bytes_ && order_.size() > 1) {
    const Entry& oldest = *order_.back();
    bytes_ -= oldest.counted;
    places_.erase(oldest.number);
    order_.pop_back();
  }
}

void BlockCache::drop(const Entry& entry) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(entry.number);
  if (place == places_.end() || place->second->get() != &entry) return;
  order_.erase(place->second);
  places_.erase(place);
}

}  // namespace cornu::io
