// Eager calls, prepared kernels, and copies on a CUDA device.
#include "cuda_backend.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "../compositions.h"
#include "../deferred_call.h"
#include "../error.h"
#include "settings.h"

namespace cornu::backend::cuda {
namespace {

// The version of the kernel's module, which is what people know drivers by: "580.65.06", or "".
std::string module_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  std::getline(file, version);
  return version;
}

// Where numbers among the operands lie on the device; all others where they are.
void place(Device& device, const Operand& operand, void*& data) {
  if (operand.number && data) data = device.number(operand.dtype, data);
}

// Kernels of one kind that must run one after the other within a graph: a
// persistent recurrent layer of cuDNN waits for all of its blocks, which two of them together may
// never have on the device at once, and transforms share a plan of cuFFT with its work area.
// What stands for that, or null.
const void* kept_apart(const Kernel& kernel) {
  static const char layers = 0, transforms = 0;
  if (std::holds_alternative<Rnn>(kernel)) return &layers;
  if (std::holds_alternative<Fft>(kernel)) return &transforms;
  return nullptr;
}

// Calls run(addresses) with those of `data`. Parts of tensors may begin anywhere, but generated
// kernels and libraries load vectors of 16 bytes, and a device faults where these are not aligned:
// such operands go by copies. bytes(i) is the size of operand i; the first `inputs` are read, the
// others written.
template <class Bytes, class Run>
void run_aligned(Device& device, std::span<void* const> data, size_t inputs, const Bytes& bytes,
                 const Run& run) {
  const auto odd = [](const void* address) { return address_of(address) % 16 != 0; };
  if (std::none_of(data.begin(), data.end(), odd)) return run(data.data());
  std::vector<void*> addresses(data.begin(), data.end());
  std::vector<std::shared_ptr<void>> copies;
  for (size_t i = 0; i < data.size(); ++i) {
    if (!odd(data[i])) continue;
    const size_t size = bytes(i);
    copies.emplace_back(device.allocator().allocate(size),
                        [&device, size](void* copy) { device.allocator().deallocate(copy, size); });
    addresses[i] = copies.back().get();
    if (i < inputs) device.copy_within(addresses[i], data[i], size);
  }
  run(addresses.data());
  for (size_t i = inputs; i < data.size(); ++i)
    if (addresses[i] != data[i]) device.copy_within(data[i], addresses[i], bytes(i));
}

// For callers outside of sessions, who pass numbers by their address on the host.
class Prepared final : public Executable {
 public:
  Prepared(Device& device, const Kernel& kernel, std::span<const Operand> inputs,
           std::span<const Operand> outputs)
      : device_(device),
        inner_(make_executable(device, kernel, inputs, outputs)),
        apart_(kept_apart(kernel)),
        inputs_(inputs.size()) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].number) numbers_.emplace_back(i, inputs[i].dtype);
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) bytes_.push_back(operand.bytes());
    if (!numbers_.empty()) addresses_.resize(bytes_.size());
  }
  ~Prepared() override {
    const Session session(device_, std::nothrow);
    // The libraries that it may call have ended before the driver; so it goes with the process.
    if (session.has_driver())
      inner_.reset();
    else
      static_cast<void>(inner_.release());
  }

  void run(void* const* data) override {
    const Session session(device_);
    device_.touch(apart_, true);
    run_aligned(
        device_, {placed(data), bytes_.size()}, inputs_, [this](size_t i) { return bytes_[i]; },
        [this](void* const* at) { inner_->run(at); });
  }
  uint32_t inputs_to_prepack(uint32_t stable) override { return inner_->inputs_to_prepack(stable); }
  void keep(void* const* data) override {
    const Session session(device_);
    run_aligned(  // reads inputs only
        device_, {placed(data), inputs_}, inputs_, [this](size_t i) { return bytes_[i]; },
        [this](void* const* at) { inner_->keep(at); });
  }

 private:
  void* const* placed(void* const* data) {
    if (numbers_.empty()) return data;
    std::copy(data, data + addresses_.size(), addresses_.begin());
    for (const auto& [i, dtype] : numbers_) addresses_[i] = device_.number(dtype, data[i]);
    return addresses_.data();
  }

  Device& device_;
  std::unique_ptr<Executable> inner_;
  const void* apart_;
  size_t inputs_;
  std::vector<size_t> bytes_;  // of all operands
  std::vector<std::pair<size_t, DType>> numbers_;
  std::vector<void*> addresses_;
};

// A kernel that is run as a sequence of others.
class Composed final : public Executable {
 public:
  Composed(Backend& backend, const Kernel& kernel, std::span<const Operand> inputs,
           std::span<const Operand> outputs)
      : backend_(backend), call_(kernel, inputs, outputs), kept_(backend) {}
  void run(void* const* data) override {
    call_.run(data, [&](const auto&... call) { composed(call..., backend_, &kept_); });
  }

 private:
  Backend& backend_;
  DeferredCall call_;
  KeptConstants kept_;
};

// A kernel that is run by the CPU, on copies of its operands; the caller waits for it.
class OnHost final : public Executable {
 public:
  OnHost(Backend& backend, const Kernel& kernel, std::span<const Operand> inputs,
         std::span<const Operand> outputs)
      : backend_(backend), call_(kernel, inputs, outputs) {}
  void run(void* const* data) override {
    call_.run(data, [&](const Kernel& kernel, std::span<const Operand> inputs,
                        std::span<const Operand> outputs) {
      std::vector<std::unique_ptr<char[]>> memory;
      std::vector<Operand> copies;
      for (const auto& list : {inputs, outputs})
        for (Operand operand : list) {
          memory.push_back(std::make_unique_for_overwrite<char[]>(operand.bytes()));
          operand.data = memory.back().get();
          copies.push_back(operand);
        }
      const std::span<const Operand> all(copies);
      for (size_t i = 0; i < inputs.size(); ++i)
        backend_.copy_to_host(copies[i].data, inputs[i].data, inputs[i].bytes());
      cpu_backend().run(kernel, all.first(inputs.size()), all.subspan(inputs.size()));
      for (size_t i = 0; i < outputs.size(); ++i)
        backend_.copy_from_host(outputs[i].data, copies[inputs.size() + i].data,
                                outputs[i].bytes());
    });
  }

 private:
  Backend& backend_;
  DeferredCall call_;
};

Services with_compositions(Services services, Backend& backend) {
  if (!services.composition)
    services.composition = [&backend](const Kernel& kernel, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs,
                                      Context&) -> std::unique_ptr<Executable> {
      if (std::holds_alternative<Linalg>(kernel))
        return std::make_unique<OnHost>(backend, kernel, inputs, outputs);
      if (!std::holds_alternative<Rnn>(kernel) && !std::holds_alternative<Attention>(kernel) &&
          !std::holds_alternative<MultiTensorFused>(kernel) && !std::holds_alternative<Fft>(kernel))
        return nullptr;
      return std::make_unique<Composed>(backend, kernel, inputs, outputs);
    };
  return services;
}

}  // namespace

CudaBackend::CudaBackend(int ordinal, Services services, std::function<std::string()> versions)
    : ordinal_(ordinal),
      name_("cuda:" + std::to_string(ordinal)),
      services_(with_compositions(std::move(services), *this)),
      facts_(device_facts(*services_.driver, ordinal)),
      versions_(std::move(versions)) {}

CudaBackend::~CudaBackend() {
  if (!device_) return;
  const Session session(*device_, std::nothrow);
  cache_.clear();
}

Device& CudaBackend::device() {
  if (Device* const opened = opened_.load(std::memory_order_acquire)) return *opened;
  std::call_once(once_, [this] {
    const auto text = [this](const Error& e) {
      return fmt::format(
          "{} ({}) cannot be used. {} Other programs may have taken it, or all of its memory (see "
          "nvidia-smi). CORNU_DEVICE names another device, such as cuda:{} or cpu.",
          name_, facts_.model, e.what(), ordinal_ == 0 ? 1 : 0);
    };
    try {
      device_ = std::make_unique<Device>(ordinal_, services_, facts_);
    } catch (const MemoryError& e) {
      throw MemoryError(text(e));
    } catch (const Error& e) {
      throw StateError(text(e));
    }
    opened_.store(device_.get(), std::memory_order_release);
  });
  return *device_;
}

std::string CudaBackend::description() const {
  int version = 0;
  services_.driver->version(&version);
  std::string text =
      fmt::format("{}, {:.0f} GiB", facts_.model, static_cast<double>(facts_.memory) / (1 << 30));
  if (const std::string module = module_version(); !module.empty()) text += ", driver " + module;
  text += fmt::format(", CUDA {}.{}", version / 1000, version % 1000 / 10);
  if (versions_) text += ", " + versions_();
  return text;
}

void CudaBackend::run(const Kernel& kernel, std::span<const Operand> inputs,
                      std::span<const Operand> outputs) {
  Device& device = this->device();
  const Session session(device);
  if (const uint64_t now = settings_version(); now != settings_) {
    cache_.clear();
    settings_ = now;
  }
  // A copy: kernels that it runs itself may push it out.
  const std::shared_ptr<Executable> executable = cache_.get(
      kernel, inputs, outputs, [&] { return make_executable(device, kernel, inputs, outputs); });
  device.keep_for_graph(executable);
  // Steps of a graph that are made of other kernels come here. Equal kernels are one object, which
  // may have memory of its own.
  device.touch(executable.get(), true);
  device.touch(kept_apart(kernel), true);
  for (const Operand& operand : inputs) device.touch({operand.data, operand.bytes()}, false);
  for (const Operand& operand : outputs) device.touch({operand.data, operand.bytes()}, true);
  InlineVector<void*, 16> data;
  for (const auto& list : {inputs, outputs})
    for (const Operand& operand : list) {
      data.push_back(operand.data);
      place(device, operand, data.back());
    }
  run_aligned(
      device, {data.data(), data.size()}, inputs.size(),
      [&](size_t i) {
        return (i < inputs.size() ? inputs[i] : outputs[i - inputs.size()]).bytes();
      },
      [&](void* const* at) { executable->run(at); });
}

std::unique_ptr<Executable> CudaBackend::prepare(const Kernel& kernel,
                                                 std::span<const Operand> inputs,
                                                 std::span<const Operand> outputs) {
  Device& device = this->device();
  const Session session(device);
  return std::make_unique<Prepared>(device, kernel, inputs, outputs);
}

void CudaBackend::copy_from_host(void* to, const void* host, size_t bytes) {
  const Session session(device());
  device().copy_in(to, host, bytes);
}

void CudaBackend::copy_to_host(void* host, const void* from, size_t bytes) {
  device().copy_out(host, from, bytes);
}

void CudaBackend::copy(void* to, const void* from, size_t bytes) {
  const Session session(device());
  device().copy_within(to, from, bytes);
}

void CudaBackend::synchronize() {
  if (!opened_.load(std::memory_order_acquire)) return;  // no work was begun
  const Session session(device());
  device().synchronize();
}

void CudaBackend::wait_for_stream(void* stream) {
  const Session session(device());
  device().wait_for_stream(static_cast<CUstream_st*>(stream));
}

void CudaBackend::let_stream_wait(void* stream) {
  if (!opened_.load(std::memory_order_acquire)) return;  // no work was begun
  const Session session(device());
  device().let_stream_wait(static_cast<CUstream_st*>(stream));
}

bool CudaBackend::copy_from(Backend& from, void* to, const void* data, size_t bytes) {
  auto* const other = dynamic_cast<CudaBackend*>(&from);
  return other && other != this && device().copy_from(other->device(), to, data, bytes);
}

size_t CudaBackend::rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel) {
  if (!services_.rnn_reserve) return 0;
  const Session session(device());
  return services_.rnn_reserve(rnn, dtype, x, kernel, device());
}

std::unique_ptr<Executable> CudaBackend::capture(const std::function<void()>& work) {
  const Session session(device());
  return device().capture(work);
}

void CudaBackend::begin_step(std::span<const MemoryRange> reads,
                             std::span<const MemoryRange> writes) {
  const Session session(device());
  device().begin_step(reads, writes);
}

}  // namespace cornu::backend::cuda
