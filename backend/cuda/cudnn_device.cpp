// The handle of a device.
#include "cudnn_device.h"

#include <mutex>

#include "../error.h"
#include "../log.h"

namespace cornu::backend::cuda::cudnn {
namespace {

std::mutex note_mutex;
std::string note;

}  // namespace

Device::Device(Context& context) {
  try {
    target_.emplace(Target::current_device(context.stream()));
  } catch (const UnsupportedError&) {
    // No cuDNN: library_versions() says why.
  } catch (const StateError& error) {
    warn_once(error.what());
    const std::lock_guard lock(note_mutex);
    note = error.what();
  }
}

std::string device_note() {
  const std::lock_guard lock(note_mutex);
  return note;
}

}  // namespace cornu::backend::cuda::cudnn
