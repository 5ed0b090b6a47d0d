// Copies from the host to a device, beside the kernels that were launched before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

#include "allocator.h"
#include "driver.h"
#include "staging.h"

namespace cornu::backend::cuda {

/// Ends of the copies from one ring, as events.
class EventMarks final : public StagingMarks {
 public:
  explicit EventMarks(EventPool& events) : events_(events) {}
  /// The stream of the copies that are being begun.
  void follow(const Stream& stream) { stream_ = &stream; }
  /// Lets `stream` wait for the newest mark.
  void hold(const Stream& stream) const { marked_.back().event.hold(stream); }

  uint64_t mark() override;
  bool passed(uint64_t mark) override;
  void wait(uint64_t mark) override;

 private:
  struct Marked {
    uint64_t mark;
    Event event;
  };
  EventPool& events_;
  const Stream* stream_ = nullptr;
  std::deque<Marked> marked_;
  uint64_t marks_ = 0;
};

/// Memory of the host that the device reads by itself.
class PinnedMemory {
 public:
  PinnedMemory(const Driver& driver, size_t bytes) : driver_(driver), bytes_(bytes) {}
  PinnedMemory(const PinnedMemory&) = delete;
  ~PinnedMemory();
  /// Taken by the first call, which throws MemoryError when there is none.
  char* data();

 private:
  const Driver& driver_;
  size_t bytes_;
  void* data_ = nullptr;
};

/// Values pass through pinned memory, so a call ends when they have been read, and go on in one of
/// three ways. After each of them, what is launched on the compute stream finds the values there.
class Uploads {
 public:
  /// `staging_bytes` of the allocator's spare memory are used by `staged`.
  Uploads(const Driver& driver, const Stream& compute, const Stream& copies, EventPool& events,
          CachingAllocator& allocator, size_t staging_bytes);

  /// On the compute stream, after all that was launched.
  void in_order(void* to, const void* from, size_t bytes);
  /// On the copy stream: to memory that no launched work uses, unless that stream waits for it.
  void ahead(void* to, const void* from, size_t bytes);
  /// To any memory: on the copy stream to a place of its own on the device, and from there on the
  /// compute stream, when its turn has come. Waits for the device when that place is full. False
  /// if there is no such place; then nothing was done.
  bool staged(void* to, const void* from, size_t bytes);

 private:
  // One piece, by way of pinned memory.
  void send(void* to, const void* from, size_t bytes, const Stream& stream);

  const Driver& driver_;
  const Stream &compute_, &copies_;
  CachingAllocator& allocator_;
  PinnedMemory pinned_;
  EventMarks sent_, placed_;  // on the device; where they belong
  StagingRing ring_, staging_;
};

}  // namespace cornu::backend::cuda
