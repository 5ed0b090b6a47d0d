// What the steps of captured work read and write, so that a device can do some side by side.
#pragma once
#include <cstddef>
#include <span>

namespace cornu::backend {

/// A part of a device's memory. Null or empty: none.
struct MemoryRange {
  const void* data = nullptr;  ///< where it begins
  size_t bytes = 0;            ///< its length
};

/// What a device offers besides Backend whose captured work can be more than a sequence.
class StepOrder {
 public:
  virtual ~StepOrder() = default;
  /// Called by the `work` of Backend::capture, while it is captured: what it asks of the device
  /// from now on, up to the next call, is one step, which reads and writes these parts of memory
  /// beside what the device gives to kernels for themselves. Steps come after those before them of
  /// which they read or overwrite something, or that read what they overwrite, and otherwise in any
  /// order or at once. What was asked for before the first call comes before all steps. Without
  /// effect while nothing is captured.
  virtual void begin_step(std::span<const MemoryRange> reads,
                          std::span<const MemoryRange> writes) = 0;
};

}  // namespace cornu::backend
