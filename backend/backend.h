// The interface of a device: memory, and one call that runs a kernel.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernel.h"

namespace cornu::backend {

/// One operand of a kernel: dense, row-major, on the backend's device.
struct Operand {
  const Shape* shape;   ///< alive during the call
  DType dtype;          ///< of the elements
  void* data;           ///< aligned to 64, on the device
  bool number = false;  ///< a single number of the program's, whose `data` the host can read

  /// Of all elements.
  size_t bytes() const { return static_cast<size_t>(shape->numel()) * size_of(dtype); }
};

/// Bytes of a device's caching allocator.
struct MemoryStats {
  size_t live = 0;    ///< in use by tensors
  size_t cached = 0;  ///< freed by tensors, kept for reuse
  size_t peak = 0;    ///< largest live since the start or the last reset_peak
  size_t limit = 0;   ///< 0: none
};

/// Memory of a device. Blocks come from a cache that grows on demand; nothing is taken up front.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// `bytes` aligned to 64. Throws MemoryError beyond the limit or when the device has none left.
  virtual void* allocate(size_t bytes) = 0;
  /// Takes back a block of `bytes` bytes; null is ignored.
  virtual void deallocate(void* data, size_t bytes) noexcept = 0;
  /// Gives the cached blocks back to the system.
  virtual void release() = 0;
  /// Makes allocations beyond `bytes` in use throw; 0: none.
  virtual void set_limit(size_t bytes) = 0;
  virtual void reset_peak() = 0;          ///< the peak becomes what is in use now
  virtual MemoryStats stats() const = 0;  ///< current figures
};

/// A kernel made ready for operands of given shapes and dtypes, for running many times. One call at
/// a time, inside of a DenormalsAsZero where other kernels of the run are.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Runs on operands at these addresses: the inputs, then the outputs.
  virtual void run(void* const* data) = 0;
  /// Of inputs that rarely change (a bit each), those of which it wants to keep a copy in a layout
  /// of its own.
  virtual uint32_t inputs_to_prepack(uint32_t /*stable*/) { return 0; }
  /// Copies what it keeps; runs do not read those addresses after. Called again when the values
  /// have changed.
  virtual void keep(void* const* /*data*/) {}
};

/// What a device's kernels can do together. Plans put such steps into one where it is offered.
struct Fusions {
  bool conv_pool = false;           ///< Conv with `pool`, of float32
  bool softmax_sums = false;        ///< Softmax with `sums`
  bool conv_bias_gradient = false;  ///< Conv backward_weights with `bias`, of float32
  bool int8_products = false;       ///< Matmul of int8 into int32, faster than that of floats
  bool float8_products = false;     ///< Matmul of 8-bit floats, faster than that of wider ones
};

/// A device. Kernels may be called from several threads at once.
class Backend {
 public:
  virtual ~Backend() = default;
  /// "cpu", "cuda:0".
  virtual const std::string& name() const = 0;
  /// For people: "NVIDIA H100 80GB HBM3, 79 GiB, driver 580.65".
  virtual std::string description() const { return name(); }
  /// Whether the host can read and write its memory.
  virtual bool on_host() const { return false; }
  virtual Allocator& allocator() = 0;  ///< lives as long as the device
  /// Runs `kernel` on operands whose shapes fit it (the caller has checked). Outputs do not overlap
  /// inputs, except that a Fused or MultiTensorFused kernel may write over an operand of the same
  /// shape and dtype.
  virtual void run(const Kernel& kernel, std::span<const Operand> inputs,
                   std::span<const Operand> outputs) = 0;
  /// Makes a kernel ready; the operands' `data` may be null. By default it keeps the description
  /// and calls `run`.
  virtual std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                              std::span<const Operand> outputs);
  /// The size of channel blocks with which float32 convolutions run best, or 0 for channels last.
  virtual int64_t channel_block() const { return 0; }
  virtual Fusions fusions() const { return {}; }  ///< none by default
  /// Copies to the device; `host` may be changed when it returns.
  virtual void copy_from_host(void* device, const void* host, size_t bytes) = 0;
  /// Copies to the host, after all work that was begun before.
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;
  /// Copies within the device; the two do not overlap.
  virtual void copy(void* to, const void* from, size_t bytes) = 0;
  /// Records what `work` asks of this device, without doing it: `run` of the result, which takes no
  /// addresses, does it again as one piece. `work` has been run once before, and does not wait for
  /// the device. Null where there is no such thing.
  virtual std::unique_ptr<Executable> capture(const std::function<void()>& /*work*/) {
    return nullptr;
  }
  /// Whether float32 matrix products and convolutions may round their operands to TF32, 10 bits of
  /// mantissa, where the device is faster so. Kernels made ready before keep what they were made
  /// with.
  virtual bool tf32() const { return false; }
  /// Ignored by devices without TF32.
  virtual void set_tf32(bool /*allowed*/) {}
  /// Waits for all work that was begun. Kernels and copies on the device may still run when their
  /// call returns, in the order of the calls; copy_to_host waits by itself.
  virtual void synchronize() {}
};

/// The CPU: always there.
Backend& cpu_backend();

/// Number of threads that CPU kernels use, of all callers without a ThreadScope (thread_scope.h).
/// Default: OMP_NUM_THREADS, or the cores that the process may use. No result depends on it.
/// Callers on several threads share one pool, which never holds more threads than the largest
/// number that was asked for; idle ones sleep. A child of fork() computes on one thread. Throws
/// ValueError below 1.
void set_threads(int count);
/// Number of threads that the calling thread's kernels use, itself included; 1 inside of a kernel's
/// loop and in a child of fork().
int threads();

}  // namespace cornu::backend
