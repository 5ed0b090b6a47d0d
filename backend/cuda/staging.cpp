// The rings' bookkeeping.
#include "staging.h"

#include "../error.h"

namespace cornu::backend::cuda {

StagingRing::~StagingRing() {
  try {
    if (!pieces_.empty()) marks_.wait(pieces_.back().mark);
  } catch (const Error&) {
    // The device has failed before, and whoever used it knows.
  }
}

int64_t StagingRing::place(size_t bytes) const {
  if (pieces_.empty()) return 0;
  const size_t head = pieces_.back().end, tail = pieces_.front().begin;
  // Pieces in use lie from tail to head; at the end of the ring the next one begins at 0 again.
  // Nothing is cut in two.
  if (head > tail) {
    if (head + bytes <= bytes_) return static_cast<int64_t>(head);
    return bytes <= tail ? 0 : -1;
  }
  return head + bytes <= tail ? static_cast<int64_t>(head) : -1;
}

size_t StagingRing::take(size_t bytes) {
  // Copies of aligned pieces are faster.
  bytes = (bytes + 63) / 64 * 64;
  while (!pieces_.empty() && marks_.passed(pieces_.front().mark)) pieces_.pop_front();
  int64_t at = place(bytes);
  // Waiting for the oldest is enough: pieces are sent, and so done, in order.
  while (at < 0 || pieces_.size() == most_pieces) {
    marks_.wait(pieces_.front().mark);
    pieces_.pop_front();
    at = place(bytes);
  }
  begin_ = static_cast<size_t>(at);
  end_ = begin_ + bytes;
  return begin_;
}

void StagingRing::commit() { pieces_.push_back({begin_, end_, marks_.mark()}); }

}  // namespace cornu::backend::cuda
