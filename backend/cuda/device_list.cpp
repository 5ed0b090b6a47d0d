// Asking the driver for its devices.
#include "device_list.h"

#include <fmt/core.h>

#include "../error.h"

namespace cornu::backend::cuda {

std::vector<std::unique_ptr<CudaBackend>> list_devices(
    const Services& services, const std::function<void(int architecture)>& check,
    const std::function<std::string()>& versions, std::string& note) {
  int count = 0;
  services.driver->check(services.driver->device_count(&count), "counting devices");
  if (count == 0) note = "CUDA: the driver shows no device (CUDA_VISIBLE_DEVICES hides some).";
  std::vector<std::unique_ptr<CudaBackend>> devices;
  for (int i = 0; i < count; ++i) {
    // One that cannot be used must not hide those behind it.
    try {
      auto device = std::make_unique<CudaBackend>(i, services, versions);
      check(device->facts().architecture);
      devices.push_back(std::move(device));
    } catch (const Error& e) {
      note += fmt::format("{}cuda:{} is left out: {}", note.empty() ? "" : " ", i, e.what());
    }
  }
  return devices;
}

}  // namespace cornu::backend::cuda
