// The handle of a device.
#include "cudnn_device.h"

#include <mutex>

#include "../error.h"

namespace cornu::backend::cuda::cudnn {
namespace {

std::mutex note_mutex;
std::string note;

}  // namespace

Device::Device(Context& context) {
  try {
    target_.emplace(Target::current_device(context.stream()));
  } catch (const UnsupportedError& error) {
    why_ = error.what();  // no cuDNN: kernels that lose it say so
  } catch (const StateError& error) {
    why_ = error.what();
    const std::lock_guard lock(note_mutex);
    note = why_;
  }
}

std::string device_note() {
  const std::lock_guard lock(note_mutex);
  return note;
}

}  // namespace cornu::backend::cuda::cudnn
