// libcuda.so.1 of the emulated GPU: the tests' fake driver under the names that the plugin looks
// for, with kernels that run. Stricter than a device where that brings faults to light: queued work
// runs late, graphs in another order than their launches, fresh memory holds NaN, and a process
// that was forked has no device.
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "../backend/cuda/fake_driver.h"
#include "../backend/cuda/host_form.h"
#include "image.h"

using namespace cornu::backend;
using namespace cornu::backend::testing;
using cuda::DeviceAddress;

namespace {

// Of cuda.h's CUresult.
constexpr int success = 0, invalid_value = 1, not_initialized = 3, invalid_image = 200,
              not_found = 500;
constexpr size_t memory = size_t{16} << 30;
constexpr int work_between_runs = 512;

/// A kernel in a library of the host. Work on streams and graphs keep it.
struct Kernel {
  std::string name;
  std::shared_ptr<void> library;
  HostRun* run = nullptr;
  unsigned words = 0;
};

std::mutex& mutex() {
  static std::mutex& all = *new std::mutex;
  return all;
}

/// As long as the process: devices use it to the end.
FakeDriver& driver() {
  static FakeDriver& emulated = *[] {
    auto* made = new FakeDriver;
    made->capacity = memory;
    if (const char* const devices = std::getenv("CORNU_EMULATED_DEVICES"))
      made->devices = std::atoi(devices);
    for (int i = 0; i < made->devices; ++i)
      for (int j = 0; j < made->devices; ++j)
        if (i != j) made->reach.insert({i, j});
    return made;
  }();
  return emulated;
}

pid_t owner = 0;  // the process that started the driver

/// What the driver says to each call.
int state() { return owner == getpid() ? success : not_initialized; }

/// Calls a function of the fake driver.
template <auto function, class... Arguments>
int call(Arguments... arguments) {
  const std::scoped_lock lock(mutex());
  if (const int fault = state()) return fault;
  return (driver().table().*function)(arguments...);
}

/// What waits on streams takes memory, so it runs now and then though nobody waits for it. Nobody
/// asks for the records of what ran.
void bound_work() {
  static int count = 0;
  if (++count % work_between_runs != 0) return;
  driver().run_all();
  driver().put.clear();
  driver().ran.clear();
}

/// Calls one that puts work on a stream.
template <auto function, class... Arguments>
int call_work(Arguments... arguments) {
  const std::scoped_lock lock(mutex());
  if (const int fault = state()) return fault;
  bound_work();
  return (driver().table().*function)(arguments...);
}

/// Null when the image is none, or does not load.
std::unique_ptr<Kernel> load(const char* bytes) {
  const std::optional<EmulatedImage> image = read_image(bytes);
  if (!image) return nullptr;
  const TemporaryFolder folder;
  const std::string file = (folder.path() / (image->name + ".so")).string();
  std::ofstream(file, std::ios::binary) << image->library;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  auto kernel = std::make_unique<Kernel>();
  kernel->name = image->name;
  kernel->library = {library, dlclose};
  kernel->run = reinterpret_cast<HostRun*>(dlsym(library, ("run_" + image->name).c_str()));
  kernel->words = *static_cast<unsigned*>(dlsym(library, ("words_" + image->name).c_str()));
  return kernel;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the driver's own names.
#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned flags) {
  const std::scoped_lock lock(mutex());
  // A driver reserves addresses without end, so it does not start where they are bounded.
  rlimit addresses;
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
    return cuda::out_of_memory;
  if (owner != 0 && owner != getpid()) return not_initialized;
  owner = getpid();
  return driver().table().initialize(flags);
}

int cuGetErrorName(int result, const char** name) {
  return driver().table().error_name(result, name);
}
int cuGetErrorString(int, const char** text) {
  *text = "says the driver of an emulated GPU";
  return success;
}
int cuDriverGetVersion(int* version) { return call<&cuda::Driver::version>(version); }

int cuDeviceGetCount(int* count) { return call<&cuda::Driver::device_count>(count); }
int cuDeviceGet(int* device, int ordinal) { return call<&cuda::Driver::device>(device, ordinal); }
int cuDeviceGetName(char* name, int size, int device) {
  return call<&cuda::Driver::device_name>(name, size, device);
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return call<&cuda::Driver::device_memory>(bytes, device);
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return call<&cuda::Driver::device_attribute>(value, attribute, device);
}

int cuDevicePrimaryCtxRetain(CUctx_st** context, int device) {
  return call<&cuda::Driver::context_retain>(context, device);
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  return call<&cuda::Driver::context_release>(device);
}
int cuCtxGetCurrent(CUctx_st** context) { return call<&cuda::Driver::context_get>(context); }
int cuCtxSetCurrent(CUctx_st* context) { return call<&cuda::Driver::context_set>(context); }

int cuMemGetInfo_v2(size_t* free, size_t* total) {
  return call<&cuda::Driver::memory_info>(free, total);
}
int cuMemAlloc_v2(DeviceAddress* address, size_t bytes) {
  const int result = call<&cuda::Driver::memory_allocate>(address, bytes);
  // NaN in all floating types.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (result == success) std::memset(reinterpret_cast<void*>(*address), 0xFF, bytes);
  return result;
}
int cuMemFree_v2(DeviceAddress address) {
  const int result = call<&cuda::Driver::memory_free>(address);
  if (driver().early_frees > 0) {
    std::fputs("emulated GPU: memory was given back while work waited that may use it\n", stderr);
    std::abort();
  }
  return result;
}
int cuMemHostAlloc(void** data, size_t bytes, unsigned flags) {
  return call<&cuda::Driver::host_allocate>(data, bytes, flags);
}
int cuMemFreeHost(void* data) { return call<&cuda::Driver::host_free>(data); }
int cuMemcpyHtoDAsync_v2(DeviceAddress to, const void* from, size_t bytes, CUstream_st* stream) {
  return call_work<&cuda::Driver::copy_in>(to, from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, DeviceAddress from, size_t bytes, CUstream_st* stream) {
  return call_work<&cuda::Driver::copy_out>(to, from, bytes, stream);
}
int cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from, size_t bytes, CUstream_st* stream) {
  return call_work<&cuda::Driver::copy_within>(to, from, bytes, stream);
}
int cuMemcpyPeerAsync(DeviceAddress to, CUctx_st* to_context, DeviceAddress from,
                      CUctx_st* from_context, size_t bytes, CUstream_st* stream) {
  return call_work<&cuda::Driver::copy_across>(to, to_context, from, from_context, bytes, stream);
}
int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return call<&cuda::Driver::can_reach>(can, device, peer);
}
int cuCtxEnablePeerAccess(CUctx_st* peer, unsigned flags) {
  return call<&cuda::Driver::let_reach>(peer, flags);
}

int cuStreamCreate(CUstream_st** stream, unsigned flags) {
  return call<&cuda::Driver::stream_create>(stream, flags);
}
int cuStreamDestroy_v2(CUstream_st* stream) { return call<&cuda::Driver::stream_destroy>(stream); }
int cuStreamSynchronize(CUstream_st* stream) {
  return call<&cuda::Driver::stream_synchronize>(stream);
}
int cuStreamWaitEvent(CUstream_st* stream, CUevent_st* event, unsigned flags) {
  return call_work<&cuda::Driver::stream_wait>(stream, event, flags);
}
int cuEventCreate(CUevent_st** event, unsigned flags) {
  return call<&cuda::Driver::event_create>(event, flags);
}
int cuEventDestroy_v2(CUevent_st* event) { return call<&cuda::Driver::event_destroy>(event); }
int cuEventRecord(CUevent_st* event, CUstream_st* stream) {
  return call<&cuda::Driver::event_record>(event, stream);
}
int cuEventQuery(CUevent_st* event) { return call<&cuda::Driver::event_query>(event); }
int cuEventSynchronize(CUevent_st* event) { return call<&cuda::Driver::event_synchronize>(event); }

// Modules and functions are the kernel itself: a module here has one.
int cuModuleLoadData(CUmod_st** module, const void* image) {
  const std::scoped_lock lock(mutex());
  if (const int fault = state()) return fault;
  std::unique_ptr<Kernel> kernel = load(static_cast<const char*>(image));
  if (!kernel) return invalid_image;
  *module = reinterpret_cast<CUmod_st*>(kernel.release());
  return success;
}
int cuModuleUnload(CUmod_st* module) {
  const std::scoped_lock lock(mutex());
  if (const int fault = state()) return fault;
  delete reinterpret_cast<Kernel*>(module);
  return success;
}
int cuModuleGetFunction(CUfunc_st** function, CUmod_st* module, const char* name) {
  if (reinterpret_cast<Kernel*>(module)->name != name) return not_found;
  *function = reinterpret_cast<CUfunc_st*>(module);
  return success;
}
int cuLaunchKernel(CUfunc_st* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned,
                   CUstream_st* stream, void** parameters, void**) {
  const std::scoped_lock lock(mutex());
  if (const int fault = state()) return fault;
  const bool grid_fits = grid_x > 0 && grid_x < 1u << 31 && grid_y > 0 && grid_y < 1u << 16;
  if (!grid_fits || grid_z != 1 || threads_x != cuda::Stage::block || threads_y != 1 ||
      threads_z != 1)
    return invalid_value;
  bound_work();
  const Kernel& kernel = *reinterpret_cast<Kernel*>(function);
  // The argument block is the caller's again when this returns.
  const auto* const words = static_cast<const uint64_t*>(parameters[0]);
  driver().enqueue(stream, [kernel, grid_x, grid_y, threads_x,
                            block = std::vector<uint64_t>(words, words + kernel.words)] {
    kernel.run(block.data(), grid_x, grid_y, threads_x);
  });
  return success;
}
int cuLaunchKernelEx(const cuda::LaunchConfig* config, CUfunc_st* function, void** parameters,
                     void** extra) {
  for (unsigned i = 0; i < config->number_of_attributes; ++i)
    if (config->attributes[i].id != cuda::LaunchAttribute::programmatic_serialization)
      return invalid_value;
  return cuLaunchKernel(function, config->grid_x, config->grid_y, config->grid_z, config->block_x,
                        config->block_y, config->block_z, config->shared_bytes, config->stream,
                        parameters, extra);
}

int cuStreamBeginCapture_v2(CUstream_st* stream, int mode) {
  return call<&cuda::Driver::capture_begin>(stream, mode);
}
int cuStreamEndCapture(CUstream_st* stream, CUgraph_st** graph) {
  return call<&cuda::Driver::capture_end>(stream, graph);
}
int cuStreamGetCaptureInfo_v2(CUstream_st* stream, int* status, unsigned long long* id,
                              CUgraph_st** graph, CUgraphNode_st* const** nodes, size_t* number) {
  return call<&cuda::Driver::capture_info>(stream, status, id, graph, nodes, number);
}
int cuStreamUpdateCaptureDependencies(CUstream_st* stream, CUgraphNode_st** nodes, size_t number,
                                      unsigned flags) {
  return call<&cuda::Driver::capture_depend>(stream, nodes, number, flags);
}
int cuGraphNodeGetType(CUgraphNode_st* node, int* type) {
  return call<&cuda::Driver::node_type>(node, type);
}
int cuGraphInstantiateWithFlags(CUgraphExec_st** exec, CUgraph_st* graph,
                                unsigned long long flags) {
  return call<&cuda::Driver::graph_instantiate>(exec, graph, flags);
}
int cuGraphLaunch(CUgraphExec_st* exec, CUstream_st* stream) {
  return call_work<&cuda::Driver::graph_launch>(exec, stream);
}
int cuGraphDestroy(CUgraph_st* graph) { return call<&cuda::Driver::graph_destroy>(graph); }
int cuGraphExecDestroy(CUgraphExec_st* exec) {
  return call<&cuda::Driver::graph_exec_destroy>(exec);
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
