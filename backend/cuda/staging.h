// Rings of memory that values pass through on their way to the device, while the host works on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

namespace cornu::backend::cuda {

/// What a ring needs of its device.
class StagingMarks {
 public:
  virtual ~StagingMarks() = default;
  /// Marks where the copies that were begun so far end. Later marks are larger and pass later.
  virtual uint64_t mark() = 0;
  virtual bool passed(uint64_t mark) = 0;
  virtual void wait(uint64_t mark) = 0;
};

/// The order of a ring, whose memory is its owner's. Pieces are taken in order, and come free in
/// order, when the copies from them have ended. It waits only when it is full. One thread at a
/// time.
class StagingRing {
 public:
  static constexpr size_t most_pieces = 256;  ///< each has a mark

  StagingRing(StagingMarks& marks, size_t bytes) : marks_(marks), bytes_(bytes) {}
  StagingRing(const StagingRing&) = delete;
  /// Waits for the last copy.
  ~StagingRing();

  size_t bytes() const { return bytes_; }
  /// The largest piece: a quarter of the ring, so that copies overlap with filling.
  size_t piece_bytes() const { return bytes_ / 4; }
  /// Where a piece of `bytes` (1 to piece_bytes()) begins, a multiple of 64. The caller fills it,
  /// begins the copy from it, and calls `commit`.
  size_t take(size_t bytes);
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

  StagingMarks& marks_;
  size_t bytes_;
  std::deque<Piece> pieces_;
  size_t begin_ = 0, end_ = 0;  // of the piece that was taken last
};

}  // namespace cornu::backend::cuda
