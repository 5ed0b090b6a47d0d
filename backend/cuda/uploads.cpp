// The ways of values to the device.
#include "uploads.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cornu::backend::cuda {
namespace {
// Pinned memory is taken from all other programs of the host; larger copies go through it in
// pieces.
constexpr size_t pinned_bytes = size_t{16} << 20;

// Calls `copy` for each piece of at most `most` bytes.
template <class F>
void in_pieces(void* to, const void* from, size_t bytes, size_t most, const F& copy) {
  for (size_t done = 0; done < bytes;) {
    const size_t count = std::min(bytes - done, most);
    copy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, count);
    done += count;
  }
}
}  // namespace

uint64_t EventMarks::mark() {
  Event event = events_.take();
  event.record(*stream_);
  marked_.push_back({++marks_, std::move(event)});
  return marks_;
}

// The ring asks for its oldest mark only, or when it ends for the newest.
bool EventMarks::passed(uint64_t mark) {
  while (!marked_.empty() && marked_.front().mark <= mark) {
    if (!marked_.front().event.passed()) return false;
    // Making an event takes a call of the driver, so passed ones are used again.
    events_.give_back(std::move(marked_.front().event));
    marked_.pop_front();
  }
  return true;
}

void EventMarks::wait(uint64_t mark) {
  while (!marked_.empty() && marked_.front().mark <= mark) {
    marked_.front().event.wait();
    events_.give_back(std::move(marked_.front().event));
    marked_.pop_front();
  }
}

PinnedMemory::~PinnedMemory() {
  if (data_) driver_.host_free(data_);
}

char* PinnedMemory::data() {
  if (!data_) driver_.check(driver_.host_allocate(&data_, bytes_, 0), "pinning memory of the host");
  return static_cast<char*>(data_);
}

Uploads::Uploads(const Driver& driver, const Stream& compute, const Stream& copies,
                 EventPool& events, CachingAllocator& allocator, size_t staging_bytes)
    : driver_(driver),
      compute_(compute),
      copies_(copies),
      allocator_(allocator),
      pinned_(driver, pinned_bytes),
      sent_(events),
      placed_(events),
      ring_(sent_, pinned_bytes),
      staging_(placed_, staging_bytes) {
  placed_.follow(compute_);
}

void Uploads::send(void* to, const void* from, size_t bytes, const Stream& stream) {
  char* const piece = pinned_.data() + ring_.take(bytes);
  // The caller may change `from` at once; the device reads the pinned copy later, on its own.
  std::memcpy(piece, from, bytes);
  driver_.check(driver_.copy_in(address_of(to), piece, bytes, stream.handle()),
                "a copy to the device");
  sent_.follow(stream);
  ring_.commit();
}

void Uploads::in_order(void* to, const void* from, size_t bytes) {
  in_pieces(to, from, bytes, ring_.piece_bytes(),
            [&](void* t, const void* f, size_t count) { send(t, f, count, compute_); });
}

void Uploads::ahead(void* to, const void* from, size_t bytes) {
  in_pieces(to, from, bytes, ring_.piece_bytes(),
            [&](void* t, const void* f, size_t count) { send(t, f, count, copies_); });
  sent_.hold(compute_);
}

bool Uploads::staged(void* to, const void* from, size_t bytes) {
  const CachingAllocator::Spare spare = allocator_.spare(staging_.bytes());
  if (!spare.data) return false;
  const size_t most = std::min(ring_.piece_bytes(), staging_.piece_bytes());
  in_pieces(to, from, bytes, most, [&](void* t, const void* f, size_t count) {
    // By way of memory that no kernel uses: the copy overlaps work that still reads the target, and
    // only the move within the device waits for that.
    char* const place = spare.data + staging_.take(count);
    send(place, f, count, copies_);
    sent_.hold(compute_);
    driver_.check(driver_.copy_within(address_of(t), address_of(place), count, compute_.handle()),
                  "a copy within the device");
    staging_.commit();
  });
  return true;
}

}  // namespace cornu::backend::cuda
