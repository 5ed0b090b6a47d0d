// The table of numbers.
#include "numbers.h"

#include <cstring>
#include <utility>

namespace cornu::backend::cuda {

void* NumberTable::address(DType dtype, const void* value) {
  Key key{dtype, 0};
  std::memcpy(&key.bits, value, size_of(dtype));
  if (const auto at = addresses_.find(key); at != addresses_.end()) return at->second;
  if (!slab_ || addresses_.size() == slots) {
    std::shared_ptr<void> fresh = memory_.allocate(slots * slot_bytes);
    last_slab_ = std::exchange(slab_, std::move(fresh));
    addresses_.clear();
  }
  void* const place = static_cast<char*>(slab_.get()) + addresses_.size() * slot_bytes;
  memory_.upload(place, &key.bits, sizeof key.bits);
  addresses_.emplace(key, place);
  return place;
}

void NumberTable::clear() {
  addresses_.clear();
  slab_.reset();
  last_slab_.reset();
}

}  // namespace cornu::backend::cuda
