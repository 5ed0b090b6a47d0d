// Which device is current.
#include "device.h"

namespace cornu {
namespace {
thread_local backend::Backend* scoped = nullptr;
}

std::vector<Device> devices() {
  std::vector<Device> result;
  for (backend::Backend* backend : backend::devices()) result.emplace_back(*backend);
  return result;
}

namespace detail {
backend::Backend& current_backend() { return scoped ? *scoped : backend::default_device(); }
}  // namespace detail

Device default_device() { return Device(detail::current_backend()); }

void set_default_device(const Device& device) { backend::set_default_device(device.backend()); }

DeviceScope::DeviceScope(const Device& device) : outer_(scoped) { scoped = &device.backend(); }

DeviceScope::~DeviceScope() { scoped = outer_; }

}  // namespace cornu
