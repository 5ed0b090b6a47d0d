// The places for values on their way to the host.
#include "downloads.h"

#include <utility>

namespace cornu::backend::cuda {

std::unique_ptr<Downloads::Place> Downloads::take() {
  std::unique_ptr<PinnedMemory> memory;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      memory = std::move(free_.back());
      free_.pop_back();
    } else if (made_ < most) {
      ++made_;
      memory = std::make_unique<PinnedMemory>(driver_, 2 * piece_bytes);
    }
  }
  return memory ? std::make_unique<Place>(*this, std::move(memory)) : nullptr;
}

Downloads::Place::~Place() {
  const std::lock_guard lock(owner_.mutex_);
  (spoilt_ ? owner_.spoilt_ : owner_.free_).push_back(std::move(memory_));
}

}  // namespace cornu::backend::cuda
