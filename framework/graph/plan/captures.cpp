// Keeping captured work by the addresses that it uses.
#include "captures.h"

#include <algorithm>

namespace cornu::plan {
namespace {
constexpr size_t most_captures = 4;
}

bool Captures::run(backend::Backend& device, const std::vector<void*>& addresses,
                   const std::function<void()>& work) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Capture& c) { return c.addresses == addresses; });
  if (known == kept_.end()) {
    work();
    if (kept_.size() == most_captures) kept_.pop_back();
    kept_.insert(kept_.begin(), {addresses, nullptr});
    return true;
  }
  std::rotate(kept_.begin(), known, known + 1);
  Capture& capture = kept_.front();
  if (capture.piece) {
    capture.piece->run(nullptr);
    return true;
  }
  work();
  capture.piece = device.capture(work);
  return capture.piece != nullptr;
}

}  // namespace cornu::plan
