// What the program sees of the CUDA plugin: its devices, or why there are none.
#include <fmt/core.h>

#include <memory>

#include "../devices.h"
#include "../error.h"
#include "cuda_backend.h"
#include "library_kernels.h"
#include "library_search.h"
#include "nvrtc_cache.h"

namespace cornu::backend::cuda {
namespace {

std::vector<Backend*> open_devices(std::string& note) {
  const Driver* driver = nullptr;
  int count = 0;
  try {
    driver = &Driver::get();
    int version = 0;
    driver->check(driver->version(&version), "asking for the driver's version");
    Library::fit_driver(version / 1000);
    driver->check(driver->device_count(&count), "counting devices");
    if (count == 0) {
      note = "CUDA: the driver shows no device (CUDA_VISIBLE_DEVICES hides some).";
      return {};
    }
    Nvrtc::get();
  } catch (const Error& e) {
    note = e.what();
    return {};
  }
  // Both live as long as the process, like all devices.
  static NvrtcCache& cache = *new NvrtcCache;
  std::vector<Backend*> devices;
  for (int i = 0; i < count; ++i) {
    try {
      Services services;
      services.driver = driver;
      services.compile = [](const Source& source, int architecture) {
        return cache.image(source, architecture);
      };
      services.library = library_executable;
      devices.push_back(new CudaBackend(i, std::move(services), library_versions));
    } catch (const Error& e) {
      note += fmt::format("{}cuda:{} is left out: {}", note.empty() ? "" : " ", i, e.what());
      break;  // numbers of devices have no gaps
    }
  }
  return devices;
}

}  // namespace
}  // namespace cornu::backend::cuda

extern "C" __attribute__((visibility("default"))) const cornu::backend::Plugin cornu_plugin;
extern "C" const cornu::backend::Plugin cornu_plugin = {CORNU_VERSION,
                                                        cornu::backend::cuda::open_devices};
