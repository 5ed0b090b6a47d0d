// The order between a device's work and the streams of other code in the process.
#pragma once

namespace cornu::backend {

/// What a device offers besides Backend whose work others can be ordered with. A `stream` is the
/// handle of the device's own interface (a CUstream or cudaStream_t; null: its default stream), of
/// this device. The host waits for nothing. Both throw StateError where the device refuses, as for
/// a stream of another device, for one that is being captured, or inside of Backend::capture.
class StreamOrder {
 public:
  virtual ~StreamOrder() = default;
  /// What the device is asked for from now on runs after what was put on `stream` before. This
  /// holds for its memory too: blocks that are given back from now on get new users after that.
  virtual void wait_for_stream(void* stream) = 0;
  /// What is put on `stream` from now on runs after what the device was asked for before.
  virtual void let_stream_wait(void* stream) = 0;
};

}  // namespace cornu::backend
