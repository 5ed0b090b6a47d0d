// Order between Cornu's work on a GPU and the CUDA streams of the program.
#pragma once
#include "device.h"

namespace cornu {

/// What is computed on `device` from now on runs after what the program has put on its CUDA stream
/// `stream` (a cudaStream_t or CUstream of that device; null: the default stream) so far. The host
/// does not wait. A device has one order of work, so this holds for all threads. Tensors whose
/// memory the stream's work uses have to live until then; what is freed after the call is used
/// again after that work. Does nothing on devices without streams, such as the CPU. Throws
/// StateError for a stream of another device or one that is being captured into a graph. In a
/// function that is being compiled: the function stays eager.
void wait_for_stream(void* stream, const Device& device = default_device());

/// What the program puts on `stream` from now on runs after what was computed on `device` so far.
/// Otherwise as wait_for_stream.
void let_stream_wait(void* stream, const Device& device = default_device());

/// Puts what is computed on a device during its life into the order of a CUDA stream: after what
/// was put there before, and before what is put there later. The host does not wait. The stream
/// itself stays free for other work meanwhile, which runs beside Cornu's.
class StreamScope {
 public:
  /// Begins with wait_for_stream(stream, device), and throws what that throws.
  explicit StreamScope(void* stream, const Device& device = default_device());
  /// Ends with let_stream_wait(stream, device); should the device refuse, the host waits instead.
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;

 private:
  void* stream_;
  Device device_;
};

}  // namespace cornu
