// The order of staging rings, on a device that is as slow as the test wants.
#include <cornu/backend/cuda/staging.h>

#include <algorithm>
#include <vector>

#include "catch.h"

namespace staging_test {

using namespace cornu::backend;

namespace {

class SlowDevice final : public cuda::StagingMarks {
 public:
  uint64_t mark() override { return ++marks; }
  bool passed(uint64_t mark) override { return mark <= done; }
  void wait(uint64_t mark) override {
    ++waits;
    done = std::max(done, mark);
  }
  uint64_t marks = 0, done = 0;
  int waits = 0;
};

}  // namespace

TEST_CASE("Pieces follow each other until the ring is full", "[cuda]") {
  SlowDevice device;
  {
    cuda::StagingRing ring(device, 1024);
    CHECK(ring.bytes() == 1024);
    CHECK(ring.piece_bytes() == 256);
    for (size_t i = 0; i < 4; ++i) {
      CHECK(ring.take(256) == 256 * i);
      ring.commit();
    }
    CHECK(device.waits == 0);
    CHECK(ring.take(256) == 0);  // the oldest copy has ended
    CHECK(device.waits == 1);
    CHECK(device.done == 1);
    ring.commit();
    CHECK(ring.pending() == 4);
    device.done = device.marks;
    CHECK(ring.take(10) == 0);  // nothing is pending
    ring.commit();
    CHECK(device.waits == 1);
  }
  CHECK(device.done == device.marks);  // it ends with its copies
}

TEST_CASE("Pieces do not overlap pending ones", "[cuda]") {
  SlowDevice device;
  cuda::StagingRing ring(device, 1024);
  struct Piece {
    size_t begin, bytes;
    uint64_t mark;
  };
  std::vector<Piece> pieces;
  uint32_t random = 1;
  for (int i = 0; i < 2000; ++i) {
    random = random * 1664525 + 1013904223;
    const size_t bytes = 1 + (random >> 8) % 256;
    if ((random >> 20) % 3 == 0 && device.done < device.marks) ++device.done;
    const size_t begin = ring.take(bytes);
    REQUIRE(begin + bytes <= ring.bytes());
    for (const Piece& piece : pieces)
      if (piece.mark > device.done && begin < piece.begin + piece.bytes &&
          piece.begin < begin + bytes)
        FAIL("a piece lies over one whose copy still runs");
    ring.commit();
    pieces.push_back({begin, bytes, device.marks});
    if (pieces.size() > 32) pieces.erase(pieces.begin());
  }
  device.done = device.marks;
}

TEST_CASE("Many small pieces wait for the oldest", "[cuda]") {
  SlowDevice device;
  cuda::StagingRing ring(device, 1 << 20);
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

}  // namespace staging_test
