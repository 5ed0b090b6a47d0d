// Calls of devices that have streams.
#include "stream.h"

#include "../../backend/log.h"
#include "../../backend/stream_order.h"
#include "recorder.h"

namespace cornu {
namespace {

backend::StreamOrder* order_of(const Device& device) {
  return dynamic_cast<backend::StreamOrder*>(&device.backend());
}

// A replay would launch the kernels without the waits between them.
void tell_tracer(const char* call) {
  if (Tracer* tracer = graph_context().tracer) tracer->give_up(call);
}

}  // namespace

void wait_for_stream(void* stream, const Device& device) {
  tell_tracer("wait_for_stream");
  if (auto* const order = order_of(device)) order->wait_for_stream(stream);
}

void let_stream_wait(void* stream, const Device& device) {
  tell_tracer("let_stream_wait");
  if (auto* const order = order_of(device)) order->let_stream_wait(stream);
}

StreamScope::StreamScope(void* stream, const Device& device) : stream_(stream), device_(device) {
  wait_for_stream(stream, device);
}

StreamScope::~StreamScope() {
  try {
    let_stream_wait(stream_, device_);
  } catch (const Error&) {
    try {
      device_.synchronize();
    } catch (const Error& e) {
      warn_once(e.what());
    }
  }
}

}  // namespace cornu
