// The device's work beside that of others: streams of the program, and copies from other devices.
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../error.h"
#include "../log.h"
#include "device.h"
#include "settings.h"

namespace cornu::backend::cuda {
namespace {

// Enough for several packets of any bus.
constexpr size_t trial_bytes = 32 << 10;

}  // namespace

void Device::wait_for_stream(CUstream_st* stream) {
  refuse_capture("a wait for another stream");
  refuse_captured(stream);
  order(stream, compute_.handle());
  // Memory that is given back from now on may have been in use there until now: it counts as used
  // by a launch that has not run yet, see copy_in.
  count_work();
}

void Device::let_stream_wait(CUstream_st* stream) {
  refuse_capture("a wait of another stream");
  refuse_captured(stream);
  // A stream of another device could wait all the same; it refuses to record this one's events.
  Event probe = events_.take();
  probe.record(stream);
  events_.give_back(std::move(probe));
  order(compute_.handle(), stream);
}

// Lets `second` wait for what is on `first`. A wait is for what the event was recorded after when
// the wait was asked for, so the event can be used again at once.
void Device::order(CUstream_st* first, CUstream_st* second) {
  Event event = events_.take();
  event.record(first);
  event.hold(second);
  events_.give_back(std::move(event));
}

// Events would pull the device's own stream into the graph of the stream's owner.
void Device::refuse_captured(CUstream_st* stream) const {
  if (!driver().capture_info) return;
  int status = 0;
  unsigned long long id = 0;
  CUgraph_st* graph = nullptr;
  CUgraphNode_st* const* nodes = nullptr;
  size_t count = 0;
  driver().check(driver().capture_info(stream, &status, &id, &graph, &nodes, &count),
                 "asking about a stream");
  if (status != 0)
    throw StateError(
        name_ +
        ": expected a stream to be ordered with, found one that is being captured into a graph. "
        "Order the two before or after the capture.");
}

// Whether the device reads the other's memory: what the driver says, and a trial shows.
bool Device::reaches(Device& other) {
  const std::lock_guard lock(peers_mutex_);
  const auto [at, added] = peers_.try_emplace(&other, false);
  if (!added) return at->second;
  const auto lost = [&](const char* why) {
    warn_once(fmt::format("{}: copies from {} pass through the host: {}", name_, other.name_, why));
  };
  const Driver& d = driver();
  if (!peer_copies() || !d.copy_across || !d.can_reach || !d.let_reach) return false;
  try {
    {
      const Session session(*this);
      int can = 0;
      d.check(d.can_reach(&can, d.device_handle(ordinal_), d.device_handle(other.ordinal_)),
              "asking whether devices reach each other");
      if (can == 0) return false;  // as on most machines with consumers' cards
      // Other code of the process may have asked before.
      if (const int result = d.let_reach(other.context_.handle(), 0); result != reaches_already)
        d.check(result, "letting a device read another's memory");
    }
    at->second = arrives_whole(other);
    if (!at->second)
      lost(
          "what was copied without it arrived damaged, as it does where an IOMMU stands between "
          "devices that believe to reach each other.");
  } catch (const MemoryError&) {
    // There may be some for a trial the next time.
    peers_.erase(at);
    return false;
  } catch (const Error& e) {
    lost(e.what());
  }
  return at->second;
}

bool Device::arrives_whole(Device& other) {
  std::vector<uint32_t> sent(trial_bytes / sizeof(uint32_t)), arrived(sent.size());
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<uint32_t>(i) * 2654435761u + 1;
  const auto block = [](Device& device) {
    return std::shared_ptr<void>(device.allocator_.allocate(trial_bytes), [&device](void* data) {
      device.allocator_.deallocate(data, trial_bytes);
    });
  };
  const std::shared_ptr<void> here = block(*this), there = block(other);
  {
    const Session session(other);
    other.copy_in(there.get(), sent.data(), trial_bytes);
  }
  {
    const Session session(*this);
    copy_in(here.get(), arrived.data(), trial_bytes);  // zeros
  }
  copy_across(other, here.get(), there.get(), trial_bytes);
  copy_out(arrived.data(), here.get(), trial_bytes);
  return arrived == sent;
}

bool Device::copy_from(Device& other, void* to, const void* data, size_t bytes) {
  if (bytes == 0) return true;
  if (!reaches(other)) return false;
  copy_across(other, to, data, bytes);
  return true;
}

// One lock at a time: two threads may copy in the two directions.
void Device::copy_across(Device& other, void* to, const void* data, size_t bytes) {
  std::optional<Event> ready, done;
  {
    const Session session(other);
    other.refuse_capture("copies to other devices");
    ready.emplace(other.events_.take());
    ready->record(other.compute_);
  }
  {
    const Session session(*this);
    refuse_capture("copies from other devices");
    ready->hold(compute_);
    driver().check(driver().copy_across(address_of(to), context_.handle(), address_of(data),
                                        other.context_.handle(), bytes, compute_.handle()),
                   "a copy from another device");
    count_work();
    done.emplace(events_.take());
    done->record(compute_);
  }
  {
    const Session session(other);
    // The memory that is read may go to others when this returns.
    done->hold(other.compute_);
    other.count_work();
    other.events_.give_back(std::move(*ready));
  }
  const Session session(*this);
  events_.give_back(std::move(*done));
}

}  // namespace cornu::backend::cuda
