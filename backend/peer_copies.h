// Copies from one device to another that do not pass through the host's memory.
#pragma once
#include <cstddef>

#include "backend.h"

namespace cornu::backend {

/// What a device offers besides Backend that reaches the memory of others.
class PeerCopies {
 public:
  virtual ~PeerCopies() = default;
  /// Copies `bytes` from `data`, in the memory of `from`, to `to`, in this device's: after what
  /// `from` was asked for before, and before what it is asked for later. False: this device does
  /// not reach the other's memory, and nothing was done. The host does not wait.
  virtual bool copy_from(Backend& from, void* to, const void* data, size_t bytes) = 0;
};

}  // namespace cornu::backend
