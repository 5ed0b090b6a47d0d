// What the kernels of a CUDA device may use of it: its stream, scratch memory, and settings.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "../backend.h"

struct CUstream_st;

namespace cornu::backend::cuda {

struct KernelPlan;

/// One device while kernels are made ready and run. Its CUDA context is current on the calling
/// thread, and no other thread is at work on the device: all of it happens under one lock.
class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  virtual ~Context() = default;

  /// The device's number for the driver.
  virtual int ordinal() const = 0;
  /// 90 is compute capability 9.0.
  virtual int architecture() const = 0;
  /// "NVIDIA H100 80GB HBM3"; "" where nobody asks.
  virtual std::string model() const { return {}; }
  virtual int multiprocessors() const = 0;

  /// The stream on which everything runs in order, but for steps of a captured plan, see branches.h
  /// (a CUstream, the same as a cudaStream_t).
  virtual CUstream_st* stream() const = 0;

  /// Scratch memory, aligned to 256. It belongs to the caller for what it launches before anybody's
  /// next call of `workspace`. May be another address in each run. Null for 0 bytes.
  virtual void* workspace(size_t bytes) = 0;
  /// What a kernel should not ask more than, where it has a choice: a 64th of the device's memory,
  /// at least 32 MiB and at most 1 GiB.
  virtual size_t workspace_limit() const = 0;

  /// For memory that a kernel keeps between runs. Blocks may be given back while launched work
  /// still reads them.
  virtual Allocator& allocator() = 0;

  /// Another kernel made ready, to be run as a part of this one, with a copy of its own of anything
  /// that it keeps.
  virtual std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                              std::span<const Operand> outputs) = 0;

  /// The same by the generator alone; null where it has no such kernel.
  virtual std::unique_ptr<Executable> prepare_generated(const Kernel& /*kernel*/,
                                                        std::span<const Operand> /*inputs*/,
                                                        std::span<const Operand> /*outputs*/) {
    return nullptr;
  }

  /// Stages that the generator made, of so many inputs and outputs.
  virtual std::unique_ptr<Executable> prepare_stages(const KernelPlan& plan, size_t operands) = 0;

  /// What `work` launches as one graph, see Device::capture; null where nothing is captured.
  virtual std::unique_ptr<Executable> capture(const std::function<void()>& /*work*/) {
    return nullptr;
  }

  /// Notes how the kernel that was made ready last runs, for reports: "cuDNN 9.19.0, engine 12".
  void set_path(std::string path) { path_ = std::move(path); }
  const std::string& path() const { return path_; }

  /// What a library keeps for each device (its handle, say): made by T(Context&) at the first call,
  /// destroyed with the device.
  template <class T>
  T& part() {
    std::shared_ptr<void>& part = parts_[std::type_index(typeid(T))];
    if (!part) part = std::make_shared<T>(*this);
    return *static_cast<T*>(part.get());
  }

 protected:
  void drop_parts() { parts_.clear(); }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> parts_;
  std::string path_;
};

/// Whether float32 products in matrix products and convolutions may be rounded to TF32 (10 bits of
/// mantissa). Default: what the environment variable CORNU_TF32 says (1 or 0), else false.
bool tf32();
/// Takes effect for kernels that are made ready after it; eager calls forget theirs.
void set_tf32(bool allowed);

/// Whether kernels that may give other bits in each run are left out even where the others take
/// memory quadratic in the length of a sequence: what CORNU_CUDA_SAME_BITS says (1 or 0), else
/// false.
bool same_bits();

}  // namespace cornu::backend::cuda
