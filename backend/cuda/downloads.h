// Copies from a device to the host, for which callers wait without keeping others from the device.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "uploads.h"

namespace cornu::backend::cuda {

/// Pinned memory for values on their way to the host. Any number of threads.
class Downloads {
 public:
  /// Of one place: what is on its way at once.
  static constexpr size_t piece_bytes = size_t{2} << 20;

  explicit Downloads(const Driver& driver) : driver_(driver) {}

  /// Two pieces of pinned memory, until it ends.
  class Place {
   public:
    Place(Downloads& owner, std::unique_ptr<PinnedMemory> memory)
        : owner_(owner), memory_(std::move(memory)) {}
    Place(const Place&) = delete;
    ~Place();
    char* piece(size_t i) { return memory_->data() + i % 2 * piece_bytes; }
    /// Copies into it may still be under way: nobody gets it after.
    void spoil() { spoilt_ = true; }

   private:
    Downloads& owner_;
    std::unique_ptr<PinnedMemory> memory_;
    bool spoilt_ = false;
  };
  /// Null while all are taken: whoever holds one may wait for the device's lock, which the caller
  /// may have. The device's context has to be current.
  std::unique_ptr<Place> take();

 private:
  static constexpr size_t most = 8;

  const Driver& driver_;
  std::mutex mutex_;
  size_t made_ = 0;
  std::vector<std::unique_ptr<PinnedMemory>> free_, spoilt_;
};

}  // namespace cornu::backend::cuda
