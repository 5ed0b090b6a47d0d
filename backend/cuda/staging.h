// A ring of pinned host memory, through which values go to the device while the host works on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

namespace cornu::backend::cuda {

/// What a ring needs of its device.
class StagingDevice {
 public:
  virtual ~StagingDevice() = default;
  /// Host memory that the device copies from by itself. Throws MemoryError.
  virtual void* allocate_pinned(size_t bytes) = 0;
  virtual void free_pinned(void* data) noexcept = 0;
  /// Marks where the copies that were begun so far end. Later marks are larger and pass later.
  virtual uint64_t mark() = 0;
  virtual bool passed(uint64_t mark) = 0;
  virtual void wait(uint64_t mark) = 0;
};

/// Pieces are taken in order, and come free in order, when the copies from them have ended. It
/// waits only when it is full. One thread at a time.
class StagingRing {
 public:
  static constexpr size_t default_bytes = size_t{16} << 20;
  static constexpr size_t most_pieces = 256;  ///< each has a mark

  explicit StagingRing(StagingDevice& device, size_t bytes = default_bytes)
      : device_(device), bytes_(bytes) {}
  StagingRing(const StagingRing&) = delete;
  ~StagingRing();

  /// The largest piece: a quarter of the ring, so that copies overlap with filling.
  size_t piece_bytes() const { return bytes_ / 4; }
  /// A piece of `bytes` (1 to piece_bytes()), aligned to 64. The caller fills it, begins the copy
  /// from it, and calls `commit`.
  void* take(size_t bytes);
  void commit();
  /// Pieces whose copies may still run.
  size_t pending() const { return pieces_.size(); }

 private:
  struct Piece {
    size_t begin, end;
    uint64_t mark;
  };
  // Where `bytes` fit now, or -1.
  int64_t place(size_t bytes) const;

  StagingDevice& device_;
  size_t bytes_;
  char* memory_ = nullptr;  // taken at the first use
  std::deque<Piece> pieces_;
  size_t begin_ = 0, end_ = 0;  // of the piece that was taken last
};

}  // namespace cornu::backend::cuda
