// The ring of pinned memory on a device that is as slow as the test wants.
#include <cornu/backend/cuda/staging.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "catch.h"

using namespace cornu::backend;

namespace {

class SlowDevice final : public cuda::StagingDevice {
 public:
  void* allocate_pinned(size_t bytes) override {
    ++allocations;
    return std::malloc(bytes);
  }
  void free_pinned(void* data) noexcept override { std::free(data); }
  uint64_t mark() override { return ++marks; }
  bool passed(uint64_t mark) override { return mark <= done; }
  void wait(uint64_t mark) override {
    ++waits;
    done = std::max(done, mark);
  }
  uint64_t marks = 0, done = 0;
  int waits = 0, allocations = 0;
};

}  // namespace

TEST_CASE("Pieces follow each other until the ring is full", "[cuda]") {
  SlowDevice device;
  {
    cuda::StagingRing ring(device, 1024);
    CHECK(device.allocations == 0);
    CHECK(ring.piece_bytes() == 256);
    auto* const first = static_cast<char*>(ring.take(256));
    ring.commit();
    for (int i = 1; i < 4; ++i) {
      CHECK(ring.take(256) == first + 256 * i);
      ring.commit();
    }
    CHECK(device.waits == 0);
    CHECK(ring.take(256) == first);  // the oldest copy has ended
    CHECK(device.waits == 1);
    CHECK(device.done == 1);
    ring.commit();
    CHECK(ring.pending() == 4);
    device.done = device.marks;
    CHECK(ring.take(10) == first);  // nothing is pending
    ring.commit();
    CHECK(device.waits == 1);
  }
  CHECK(device.allocations == 1);
}

TEST_CASE("Pieces do not overlap pending ones", "[cuda]") {
  SlowDevice device;
  cuda::StagingRing ring(device, 1024);
  struct Piece {
    char* data;
    size_t bytes;
    uint64_t mark;
  };
  std::vector<Piece> pieces;
  uint32_t random = 1;
  for (int i = 0; i < 2000; ++i) {
    random = random * 1664525 + 1013904223;
    const size_t bytes = 1 + (random >> 8) % 256;
    if ((random >> 20) % 3 == 0 && device.done < device.marks) ++device.done;
    auto* const data = static_cast<char*>(ring.take(bytes));
    for (const Piece& piece : pieces)
      if (piece.mark > device.done && data < piece.data + piece.bytes && piece.data < data + bytes)
        FAIL("a piece lies over one whose copy still runs");
    ring.commit();
    pieces.push_back({data, bytes, device.marks});
    if (pieces.size() > 32) pieces.erase(pieces.begin());
  }
  device.done = device.marks;
}

TEST_CASE("Many small pieces wait for the oldest", "[cuda]") {
  SlowDevice device;
  cuda::StagingRing ring(device);
  for (size_t i = 0; i < cuda::StagingRing::most_pieces; ++i) {
    ring.take(4);
    ring.commit();
  }
  CHECK(device.waits == 0);
  ring.take(4);
  ring.commit();
  CHECK(device.waits == 1);
  CHECK(ring.pending() == cuda::StagingRing::most_pieces);
  device.done = device.marks;
}
