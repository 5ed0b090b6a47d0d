// Opening the driver, its errors, and owners of its objects.
#include "driver.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

#if __has_include(<cuda.h>)
#include <cuda.h>
#define CORNU_HAS_CUDA_HEADER
#endif

#include "../error.h"
#include "library_search.h"

namespace cornu::backend::cuda {
namespace {

#ifdef CORNU_HAS_CUDA_HEADER
// Where the header is at hand, the table of driver.h is compared with it.
template <class Ours, class Theirs>
constexpr bool same = std::is_same_v<Ours, Theirs> ||
                      (std::is_enum_v<Theirs> && std::is_integral_v<Ours> &&
                       sizeof(Ours) == sizeof(Theirs));

template <class Ours, class Theirs>
struct Compared : std::false_type {};
template <class A, class... As, class B, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct Compared<A (*)(As...), B (*)(Bs...)>
    : std::bool_constant<same<A, B> && (same<As, Bs> && ...)> {
};

template <auto Member, class Theirs>
constexpr bool fits =
    Compared<std::remove_cvref_t<decltype(std::declval<Driver>().*Member)>, Theirs>::value;

static_assert(fits<&Driver::error_name, decltype(&cuGetErrorName)>);
static_assert(fits<&Driver::error_text, decltype(&cuGetErrorString)>);
static_assert(fits<&Driver::initialize, decltype(&cuInit)>);
static_assert(fits<&Driver::version, decltype(&cuDriverGetVersion)>);
static_assert(fits<&Driver::device_count, decltype(&cuDeviceGetCount)>);
static_assert(fits<&Driver::device, decltype(&cuDeviceGet)>);
static_assert(fits<&Driver::device_name, decltype(&cuDeviceGetName)>);
static_assert(fits<&Driver::device_memory, decltype(&cuDeviceTotalMem)>);
static_assert(fits<&Driver::device_attribute, decltype(&cuDeviceGetAttribute)>);
static_assert(fits<&Driver::context_retain, decltype(&cuDevicePrimaryCtxRetain)>);
static_assert(fits<&Driver::context_release, decltype(&cuDevicePrimaryCtxRelease)>);
static_assert(fits<&Driver::context_get, decltype(&cuCtxGetCurrent)>);
static_assert(fits<&Driver::context_set, decltype(&cuCtxSetCurrent)>);
static_assert(fits<&Driver::memory_info, decltype(&cuMemGetInfo)>);
static_assert(fits<&Driver::memory_allocate, decltype(&cuMemAlloc)>);
static_assert(fits<&Driver::memory_free, decltype(&cuMemFree)>);
static_assert(fits<&Driver::host_allocate, decltype(&cuMemHostAlloc)>);
static_assert(fits<&Driver::host_free, decltype(&cuMemFreeHost)>);
static_assert(fits<&Driver::copy_in, decltype(&cuMemcpyHtoDAsync)>);
static_assert(fits<&Driver::copy_out, decltype(&cuMemcpyDtoHAsync)>);
static_assert(fits<&Driver::copy_within, decltype(&cuMemcpyDtoDAsync)>);
static_assert(fits<&Driver::copy_across, decltype(&cuMemcpyPeerAsync)>);
static_assert(fits<&Driver::can_reach, decltype(&cuDeviceCanAccessPeer)>);
static_assert(fits<&Driver::let_reach, decltype(&cuCtxEnablePeerAccess)>);
static_assert(fits<&Driver::stream_create, decltype(&cuStreamCreate)>);
static_assert(fits<&Driver::stream_destroy, decltype(&cuStreamDestroy)>);
static_assert(fits<&Driver::stream_synchronize, decltype(&cuStreamSynchronize)>);
static_assert(fits<&Driver::stream_wait, decltype(&cuStreamWaitEvent)>);
static_assert(fits<&Driver::event_create, decltype(&cuEventCreate)>);
static_assert(fits<&Driver::event_destroy, decltype(&cuEventDestroy)>);
static_assert(fits<&Driver::event_record, decltype(&cuEventRecord)>);
static_assert(fits<&Driver::event_query, decltype(&cuEventQuery)>);
static_assert(fits<&Driver::event_synchronize, decltype(&cuEventSynchronize)>);
static_assert(fits<&Driver::module_load, decltype(&cuModuleLoadData)>);
static_assert(fits<&Driver::module_unload, decltype(&cuModuleUnload)>);
static_assert(fits<&Driver::module_function, decltype(&cuModuleGetFunction)>);
static_assert(fits<&Driver::launch, decltype(&cuLaunchKernel)>);
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig) &&
              sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute) &&
              offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream) &&
              offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs) &&
              offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value) &&
              LaunchAttribute::programmatic_serialization ==
                  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
              graph_node_is_kernel == CU_GRAPH_NODE_TYPE_KERNEL);
static_assert(fits<&Driver::capture_begin, decltype(&cuStreamBeginCapture)>);
static_assert(fits<&Driver::capture_end, decltype(&cuStreamEndCapture)>);
static_assert(fits<&Driver::graph_instantiate, decltype(&cuGraphInstantiateWithFlags)>);
static_assert(fits<&Driver::graph_launch, decltype(&cuGraphLaunch)>);
static_assert(fits<&Driver::graph_destroy, decltype(&cuGraphDestroy)>);
static_assert(fits<&Driver::graph_exec_destroy, decltype(&cuGraphExecDestroy)>);
static_assert(out_of_memory == CUDA_ERROR_OUT_OF_MEMORY && not_ready == CUDA_ERROR_NOT_READY &&
              reaches_already == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
#endif

// The driver comes with the system, not with toolkits: a machine without it is known at once,
// unless the user names folders.
Library open_library() {
  void* found = nullptr;
  if (searches_usual_places()) {
    found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    // Where containers and WSL put it, which the loader may not have been told.
    for (const char* folder : {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"})
      if (!found)
        found = dlopen(fmt::format("{}/libcuda.so.1", folder).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  const char* const folders = std::getenv("CORNU_CUDA_LIBRARIES");
  try {
    if (found || (folders && *folders)) return Library::open("cuda", {1});
  } catch (const UnsupportedError&) {
    // Where else was looked is of no use to the reader.
  }
  throw UnsupportedError(
      "CUDA: expected the driver's libcuda.so.1, found none. Install NVIDIA's driver; in a "
      "container, start it with the GPU (docker run --gpus all).");
}

Driver open_driver() {
  const Library library = open_library();
  Driver d;
  const auto open = [&]<class F>(F*& member, const char* name) {
    member = library.function<F>(name);
  };
  const auto open_if_any = [&]<class F>(F*& member, const char* name) {
    member = reinterpret_cast<F*>(library.find(name));
  };
  open(d.error_name, "cuGetErrorName");
  open(d.error_text, "cuGetErrorString");
  open(d.initialize, "cuInit");
  open(d.version, "cuDriverGetVersion");
  open(d.device_count, "cuDeviceGetCount");
  open(d.device, "cuDeviceGet");
  open(d.device_name, "cuDeviceGetName");
  open(d.device_memory, "cuDeviceTotalMem_v2");
  open(d.device_attribute, "cuDeviceGetAttribute");
  open(d.context_retain, "cuDevicePrimaryCtxRetain");
  open(d.context_release, "cuDevicePrimaryCtxRelease_v2");
  open(d.context_get, "cuCtxGetCurrent");
  open(d.context_set, "cuCtxSetCurrent");
  open(d.memory_info, "cuMemGetInfo_v2");
  open(d.memory_allocate, "cuMemAlloc_v2");
  open(d.memory_free, "cuMemFree_v2");
  open(d.host_allocate, "cuMemHostAlloc");
  open(d.host_free, "cuMemFreeHost");
  open(d.copy_in, "cuMemcpyHtoDAsync_v2");
  open(d.copy_out, "cuMemcpyDtoHAsync_v2");
  open(d.copy_within, "cuMemcpyDtoDAsync_v2");
  open_if_any(d.copy_across, "cuMemcpyPeerAsync");
  open_if_any(d.can_reach, "cuDeviceCanAccessPeer");
  open_if_any(d.let_reach, "cuCtxEnablePeerAccess");
  open(d.stream_create, "cuStreamCreate");
  open(d.stream_destroy, "cuStreamDestroy_v2");
  open(d.stream_synchronize, "cuStreamSynchronize");
  open(d.stream_wait, "cuStreamWaitEvent");
  open(d.event_create, "cuEventCreate");
  open(d.event_destroy, "cuEventDestroy_v2");
  open(d.event_record, "cuEventRecord");
  open(d.event_query, "cuEventQuery");
  open(d.event_synchronize, "cuEventSynchronize");
  open(d.module_load, "cuModuleLoadData");
  open(d.module_unload, "cuModuleUnload");
  open(d.module_function, "cuModuleGetFunction");
  open(d.launch, "cuLaunchKernel");
  open_if_any(d.launch_with, "cuLaunchKernelEx");
  open(d.capture_begin, "cuStreamBeginCapture_v2");
  open(d.capture_end, "cuStreamEndCapture");
  open_if_any(d.capture_info, "cuStreamGetCaptureInfo_v2");
  open_if_any(d.capture_depend, "cuStreamUpdateCaptureDependencies");
  open_if_any(d.node_type, "cuGraphNodeGetType");
  open(d.graph_instantiate, "cuGraphInstantiateWithFlags");
  open(d.graph_launch, "cuGraphLaunch");
  open(d.graph_destroy, "cuGraphDestroy");
  open(d.graph_exec_destroy, "cuGraphExecDestroy");
  if (const int result = d.initialize(0); result != 0) {
    const char* name = nullptr;
    const char* text = nullptr;
    d.error_name(result, &name);
    d.error_text(result, &text);
    throw UnsupportedError(
        fmt::format("CUDA: the driver ({}) does not start: {} ({}). Does nvidia-smi show a device?",
                    library.path(), name ? name : "an unknown error", text ? text : "no text"));
  }
  d.process = getpid();
  return d;
}

}  // namespace

const Driver& Driver::get() {
  static const Driver driver = open_driver();
  return driver;
}

void Driver::fail(int result, const char* wanted) const {
  constexpr int not_initialized = 3;
  if (result == not_initialized && process != 0 && process != getpid())
    throw StateError(fmt::format(
        "CUDA: {}: expected the process that first looked for GPUs, found one that was forked from "
        "it later, where the driver does nothing. Fork before that, or begin a program anew (exec, "
        "posix_spawn).",
        wanted));
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(result, &name);
  error_text(result, &text);
  const std::string fault =
      fmt::format("CUDA: {} failed: {} ({})", wanted, name ? name : "an unknown error",
                  text ? text : std::to_string(result).c_str());
  if (result == out_of_memory)
    throw MemoryError(fault + ". Use smaller batches, or end other programs on the device.");
  // Faults of kernels come to light in whatever call is next, and leave the context useless: wrong
  // addresses, a time-out, an assertion, wrong instructions and launches. What else is near them,
  // such as too few resources for a launch (701) or too many peers (711), does not.
  const bool lasting =
      result == 700 || result == 702 || result == 710 || (result >= 714 && result < 720);
  throw StateError(fault + (lasting ? ". A kernel that was launched before is at fault, and this "
                                      "process cannot use the device any more. CORNU_DEVICE=cpu "
                                      "computes without it."
                                    : "."));
}

PrimaryContext::PrimaryContext(const Driver& driver, int device)
    : driver_(driver), device_(device) {
  driver_.check(driver_.context_retain(&handle_, device), "opening a device");
}
PrimaryContext::~PrimaryContext() { driver_.context_release(device_); }

ContextScope::ContextScope(const PrimaryContext& context) : ContextScope(context, std::nothrow) {
  driver_.check(result_, "use of a device");
}
ContextScope::ContextScope(const PrimaryContext& context, std::nothrow_t) noexcept
    : driver_(context.driver_) {
  result_ = driver_.context_get(&outer_);
  if (result_ != 0 || outer_ == context.handle_) return;
  result_ = driver_.context_set(context.handle_);
  changed_ = result_ == 0;
}
ContextScope::~ContextScope() {
  if (changed_) driver_.context_set(outer_);
}

Stream::Stream(const Driver& driver) : driver_(driver) {
  constexpr unsigned non_blocking = 1;  // does not wait for work on the default stream
  driver_.check(driver_.stream_create(&handle_, non_blocking), "making a stream");
}
Stream::~Stream() { driver_.stream_destroy(handle_); }
void Stream::synchronize() const {
  driver_.check(driver_.stream_synchronize(handle_), "waiting for the device");
}

Event::Event(const Driver& driver) : driver_(driver) {
  // Events that take no times are cheaper to record.
  constexpr unsigned no_timing = 2;
  driver_.check(driver_.event_create(&handle_, no_timing), "making an event");
}
Event::Event(Event&& other) noexcept
    : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}
Event::~Event() {
  if (handle_) driver_.event_destroy(handle_);
}
void Event::record(CUstream_st* stream) {
  driver_.check(driver_.event_record(handle_, stream), "recording an event");
}
bool Event::passed() const {
  const int result = driver_.event_query(handle_);
  if (result != not_ready) driver_.check(result, "asking for an event");
  return result == 0;
}
void Event::wait() const {
  driver_.check(driver_.event_synchronize(handle_), "waiting for an event");
}
void Event::hold(CUstream_st* stream) const {
  driver_.check(driver_.stream_wait(stream, handle_, 0), "ordering two streams");
}

Event EventPool::take() {
  if (spare_.empty()) return Event(driver_);
  Event event = std::move(spare_.back());
  spare_.pop_back();
  return event;
}

Module::Module(const Driver& driver, const char* image) : driver_(driver) {
  driver_.check(driver_.module_load(&handle_, image), "loading a compiled kernel");
}
Module::~Module() { driver_.module_unload(handle_); }
CUfunc_st* Module::function(const char* name) const {
  CUfunc_st* function = nullptr;
  driver_.check(driver_.module_function(&function, handle_, name), "finding a compiled kernel");
  return function;
}

}  // namespace cornu::backend::cuda
