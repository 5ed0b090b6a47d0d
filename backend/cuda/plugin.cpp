// What the program sees of the CUDA plugin: its devices, or why there are none.
#include <cstdlib>
#include <memory>

#include "../devices.h"
#include "../error.h"
#include "device_list.h"
#include "library_kernels.h"
#include "library_search.h"
#include "nvrtc_cache.h"

namespace cornu::backend::cuda {
namespace {

std::vector<Backend*> open_devices(std::string& note) {
  std::vector<Backend*> devices;
  try {
    Services services;
    services.driver = &Driver::get();
    int version = 0;
    services.driver->check(services.driver->version(&version), "asking for the driver's version");
    Library::fit_driver(version / 1000);
    const Nvrtc& compiler = Nvrtc::get();
    // It lives as long as the process, like all devices.
    static NvrtcCache& cache = *new NvrtcCache;
    services.compile = [](const Source& source, int architecture) {
      return cache.image(source, architecture);
    };
    services.prefetch = [](const std::shared_ptr<const Source>& source, int architecture) {
      cache.prefetch(source, architecture);
    };
    // What a compiler's thread uses goes when the process ends.
    static const int at_end = std::atexit([] { cache.stop(); });
    static_cast<void>(at_end);
    services.library = library_executable;
    services.rnn_reserve = library_rnn_reserve;
    for (auto& device : list_devices(
             services, [&](int architecture) { compiler.check_architecture(architecture); },
             library_versions, note))
      devices.push_back(device.release());
  } catch (const Error& e) {
    note = e.what();
  }
  return devices;
}

}  // namespace
}  // namespace cornu::backend::cuda

extern "C" __attribute__((visibility("default"))) const cornu::backend::Plugin cornu_plugin;
extern "C" const cornu::backend::Plugin cornu_plugin = {CORNU_VERSION,
                                                        cornu::backend::cuda::open_devices};
