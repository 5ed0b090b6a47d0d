// The CUDA driver's interface, opened at run time: a machine without a driver runs the rest.
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;

namespace cornu::backend::cuda {

/// An address in a device's memory, as the driver takes it.
using DeviceAddress = unsigned long long;

/// A launch, as CUlaunchConfig and CUlaunchAttribute have it.
struct LaunchAttribute {
  /// The launch may begin before the one that it follows has ended.
  static constexpr unsigned programmatic_serialization = 6;
  unsigned id;
  int value alignas(8);
  char rest_of_union[60];
};
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  CUstream_st* stream;
  LaunchAttribute* attributes;
  unsigned number_of_attributes;
};

/// The functions of libcuda.so.1 that are used, as cuda.h has them (results are CUresult). Tests
/// fill one with functions of the host.
struct Driver {
  int (*error_name)(int, const char**) = nullptr;
  int (*error_text)(int, const char**) = nullptr;
  int (*initialize)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;

  int (*device_count)(int*) = nullptr;
  int (*device)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_memory)(size_t*, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;

  int (*context_retain)(CUctx_st**, int) = nullptr;
  int (*context_release)(int) = nullptr;
  int (*context_get)(CUctx_st**) = nullptr;
  int (*context_set)(CUctx_st*) = nullptr;

  int (*memory_info)(size_t*, size_t*) = nullptr;
  int (*memory_allocate)(DeviceAddress*, size_t) = nullptr;
  int (*memory_free)(DeviceAddress) = nullptr;
  int (*host_allocate)(void**, size_t, unsigned) = nullptr;
  int (*host_free)(void*) = nullptr;
  int (*copy_in)(DeviceAddress, const void*, size_t, CUstream_st*) = nullptr;
  int (*copy_out)(void*, DeviceAddress, size_t, CUstream_st*) = nullptr;
  int (*copy_within)(DeviceAddress, DeviceAddress, size_t, CUstream_st*) = nullptr;
  int (*copy_across)(DeviceAddress, CUctx_st*, DeviceAddress, CUctx_st*, size_t,
                     CUstream_st*) = nullptr;
  int (*can_reach)(int*, int device, int peer) = nullptr;
  int (*let_reach)(CUctx_st*, unsigned) = nullptr;

  int (*stream_create)(CUstream_st**, unsigned) = nullptr;
  int (*stream_destroy)(CUstream_st*) = nullptr;
  int (*stream_synchronize)(CUstream_st*) = nullptr;
  int (*stream_wait)(CUstream_st*, CUevent_st*, unsigned) = nullptr;
  int (*event_create)(CUevent_st**, unsigned) = nullptr;
  int (*event_destroy)(CUevent_st*) = nullptr;
  int (*event_record)(CUevent_st*, CUstream_st*) = nullptr;
  int (*event_query)(CUevent_st*) = nullptr;
  int (*event_synchronize)(CUevent_st*) = nullptr;

  int (*module_load)(CUmod_st**, const void*) = nullptr;
  int (*module_unload)(CUmod_st*) = nullptr;
  int (*module_function)(CUfunc_st**, CUmod_st*, const char*) = nullptr;
  int (*launch)(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                CUstream_st*, void**, void**) = nullptr;

  /// Null in drivers without it.
  int (*launch_with)(const LaunchConfig*, CUfunc_st*, void**, void**) = nullptr;

  int (*capture_begin)(CUstream_st*, int) = nullptr;
  int (*capture_end)(CUstream_st*, CUgraph_st**) = nullptr;
  // Null in drivers without them.
  int (*capture_info)(CUstream_st*, int*, unsigned long long*, CUgraph_st**,
                      CUgraphNode_st* const**, size_t*) = nullptr;
  int (*capture_depend)(CUstream_st*, CUgraphNode_st**, size_t, unsigned) = nullptr;
  int (*node_type)(CUgraphNode_st*, int*) = nullptr;
  int (*graph_instantiate)(CUgraphExec_st**, CUgraph_st*, unsigned long long) = nullptr;
  int (*graph_launch)(CUgraphExec_st*, CUstream_st*) = nullptr;
  int (*graph_destroy)(CUgraph_st*) = nullptr;
  int (*graph_exec_destroy)(CUgraphExec_st*) = nullptr;

  /// The id of the process that initialized it, or 0: a process that is forked from it later can do
  /// nothing on a device.
  int process = 0;

  /// The driver of this machine, initialized; opened by the first call. Throws UnsupportedError
  /// when there is none, or when it refuses to start.
  static const Driver& get();

  /// Throws when `result` is not CUDA_SUCCESS: MemoryError for lack of memory, else StateError.
  /// Both say what was `wanted` ("launch of a kernel") and CUDA's name for the fault. In a forked
  /// process StateError says that.
  void check(int result, const char* wanted) const {
    if (result != 0) fail(result, wanted);
  }
  [[noreturn]] void fail(int result, const char* wanted) const;

  /// The handle of the device with this number.
  int device_handle(int ordinal) const {
    int handle = 0;
    check(device(&handle, ordinal), "finding a device");
    return handle;
  }
};

/// Results of driver functions that are no faults.
inline constexpr int out_of_memory = 2;
inline constexpr int not_ready = 600;
inline constexpr int reaches_already = 704;

/// What Driver::node_type says of kernels.
inline constexpr int graph_node_is_kernel = 0;

inline DeviceAddress address_of(const void* data) { return reinterpret_cast<DeviceAddress>(data); }

/// The device's primary context, which other CUDA code in the process shares.
class PrimaryContext {
 public:
  PrimaryContext(const Driver& driver, int device);
  PrimaryContext(const PrimaryContext&) = delete;
  ~PrimaryContext();

  CUctx_st* handle() const { return handle_; }

 private:
  friend class ContextScope;
  const Driver& driver_;
  int device_;
  CUctx_st* handle_ = nullptr;
};

/// Makes a context the calling thread's, and puts back the one that was: other code of the thread
/// may be at work on another device.
class ContextScope {
 public:
  /// Throws StateError when the driver refuses.
  explicit ContextScope(const PrimaryContext& context);
  /// For destructors: at the end of a process the driver may be gone.
  ContextScope(const PrimaryContext& context, std::nothrow_t) noexcept;
  ContextScope(const ContextScope&) = delete;
  ~ContextScope();
  /// False where the driver refused.
  bool holds() const { return result_ == 0; }

 private:
  const Driver& driver_;
  int result_ = 0;
  bool changed_ = false;
  CUctx_st* outer_ = nullptr;
};

class Stream {
 public:
  explicit Stream(const Driver& driver);
  Stream(const Stream&) = delete;
  ~Stream();
  CUstream_st* handle() const { return handle_; }
  /// Waits until all that was launched on it has run.
  void synchronize() const;

 private:
  const Driver& driver_;
  CUstream_st* handle_ = nullptr;
};

/// A place in the order of a stream.
class Event {
 public:
  explicit Event(const Driver& driver);
  Event(Event&& other) noexcept;
  Event(const Event&) = delete;
  ~Event();
  void record(const Stream& stream) { record(stream.handle()); }
  void record(CUstream_st* stream);
  /// Whether the stream has come past it.
  bool passed() const;
  void wait() const;
  /// Lets `stream` wait for it.
  void hold(const Stream& stream) const { hold(stream.handle()); }
  void hold(CUstream_st* stream) const;

 private:
  const Driver& driver_;
  CUevent_st* handle_ = nullptr;
};

/// Events that are used again.
class EventPool {
 public:
  explicit EventPool(const Driver& driver) : driver_(driver) {}
  Event take();
  void give_back(Event&& event) { spare_.push_back(std::move(event)); }

 private:
  const Driver& driver_;
  std::vector<Event> spare_;
};

/// Compiled code on the device.
class Module {
 public:
  /// `image` is a cubin, or PTX that ends in a 0.
  Module(const Driver& driver, const char* image);
  Module(const Module&) = delete;
  ~Module();
  CUfunc_st* function(const char* name) const;

 private:
  const Driver& driver_;
  CUmod_st* handle_ = nullptr;
};

}  // namespace cornu::backend::cuda
