// The ring's bookkeeping.
#include "staging.h"

namespace cornu::backend::cuda {

StagingRing::~StagingRing() {
  if (!memory_) return;
  if (!pieces_.empty()) device_.wait(pieces_.back().mark);
  device_.free_pinned(memory_);
}

int64_t StagingRing::place(size_t bytes) const {
  if (pieces_.empty()) return 0;
  const size_t head = pieces_.back().end, tail = pieces_.front().begin;
  if (head > tail) {
    if (head + bytes <= bytes_) return static_cast<int64_t>(head);
    return bytes <= tail ? 0 : -1;
  }
  return head + bytes <= tail ? static_cast<int64_t>(head) : -1;
}

void* StagingRing::take(size_t bytes) {
  if (!memory_) memory_ = static_cast<char*>(device_.allocate_pinned(bytes_));
  bytes = (bytes + 63) / 64 * 64;
  while (!pieces_.empty() && device_.passed(pieces_.front().mark)) pieces_.pop_front();
  int64_t at = place(bytes);
  while (at < 0 || pieces_.size() == most_pieces) {
    device_.wait(pieces_.front().mark);
    pieces_.pop_front();
    at = place(bytes);
  }
  begin_ = static_cast<size_t>(at);
  end_ = begin_ + bytes;
  return memory_ + begin_;
}

void StagingRing::commit() { pieces_.push_back({begin_, end_, device_.mark()}); }

}  // namespace cornu::backend::cuda
