// A CUDA device as a Backend.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "../grouped_attention.h"
#include "../kernel_paths.h"
#include "../peer_copies.h"
#include "../rnn_reserve.h"
#include "../step_order.h"
#include "../stream_order.h"
#include "device.h"
#include "dispatch.h"

namespace cornu::backend::cuda {

/// "cuda:0". Kernels and copies are launched in the order of the calls and run by themselves.
class CudaBackend final : public Backend,
                          public GroupedAttention,
                          public KernelPaths,
                          public PeerCopies,
                          public RnnReserve,
                          public StepOrder,
                          public StreamOrder {
 public:
  /// Asks the driver about the device, but does not open it: the first use does, and throws
  /// StateError when that fails, as each later one tries again. `versions` names the libraries, for
  /// `description`.
  CudaBackend(int ordinal, Services services, std::function<std::string()> versions = {});
  CudaBackend(const CudaBackend&) = delete;
  ~CudaBackend() override;

  const std::string& name() const override { return name_; }
  /// Tensor cores multiply 8-bit floats since compute capability 8.9.
  Fusions fusions() const override {
    return {
        .softmax_sums = true, .int8_products = true, .float8_products = facts_.architecture >= 89};
  }
  std::string description() const override;
  Allocator& allocator() override { return device().allocator(); }
  void run(const Kernel& kernel, std::span<const Operand> inputs,
           std::span<const Operand> outputs) override;
  std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs) override;
  void copy_from_host(void* to, const void* host, size_t bytes) override;
  void copy_to_host(void* host, const void* from, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;
  bool tf32() const override { return cuda::tf32(); }
  void set_tf32(bool allowed) override { cuda::set_tf32(allowed); }
  void synchronize() override;

  /// What `work` launches on this device, as an executable that launches all of it by one call of
  /// the driver; see Device::capture.
  std::unique_ptr<Executable> capture(const std::function<void()>& work) override;
  void begin_step(std::span<const MemoryRange> reads, std::span<const MemoryRange> writes) override;

  /// Of 16-bit floats, which cuDNN's attention is for.
  bool groups_heads(DType dtype) override {
    return grouped_heads() && (dtype == DType::float16 || dtype == DType::bfloat16);
  }
  void wait_for_stream(void* stream) override;
  void let_stream_wait(void* stream) override;
  bool copy_from(Backend& from, void* to, const void* data, size_t bytes) override;

  std::vector<KernelPath> kernel_paths() override;
  size_t rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel) override;

  /// Opened by the first call.
  Device& device();
  const DeviceFacts& facts() const { return facts_; }
  /// Executables of eager calls that are kept.
  size_t cached() const { return cache_.size(); }

 private:
  int ordinal_;
  std::string name_;
  Services services_;
  DeviceFacts facts_;
  std::once_flag once_;
  std::unique_ptr<Device> device_;
  std::atomic<Device*> opened_{nullptr};
  std::function<std::string()> versions_;
  ExecutableCache cache_;
  uint64_t settings_ = 0;
};

}  // namespace cornu::backend::cuda
