// Keeping captured work by the addresses that it uses.
#include "captures.h"

#include <algorithm>

#include "../../../backend/error.h"
#include "../../../backend/log.h"

namespace cornu::plan {
namespace {
// Batches take turns in two or three blocks; beyond, captures would only take memory.
constexpr size_t most_captures = 4;
// More in a row than the blocks that batches take turns in.
constexpr int many_misses = 8;
}  // namespace

bool Captures::run(backend::Backend& device, const std::vector<void*>& addresses,
                   const std::function<void()>& work, const std::function<void()>& captured) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Capture& c) { return c.addresses == addresses; });
  if (known == kept_.end()) {
    ++misses_;
    work();
    // The least recently used.
    if (kept_.size() == most_captures) kept_.pop_back();
    kept_.insert(kept_.begin(), {addresses, nullptr});
    return true;
  }
  misses_ = 0;
  // Most recent first, so that the search above usually ends at once.
  std::rotate(kept_.begin(), known, known + 1);
  Capture& capture = kept_.front();
  if (capture.piece) {
    capture.piece->run(nullptr);
    return true;
  }
  work();
  try {
    capture.piece = device.capture(captured ? captured : work);
  } catch (const Error& error) {  // the work is done; without a capture it only takes longer
    warn_once(std::string("Steps of a plan run one by one, which is slower: ") + error.what());
  }
  return capture.piece != nullptr;
}

bool Captures::has_unstable_addresses() const { return misses_ >= many_misses; }

void Captures::clear() {
  kept_.clear();
  misses_ = 0;
}

}  // namespace cornu::plan
