// Kernels of the CPU behind addresses that are turned upside down.
#include "remote_backend.h"

#include <cornu/backend/compositions.h>
#include <cornu/backend/cpu/allocator.h>
#include <cornu/backend/rnn_reserve.h>

#include <functional>
#include <string>
#include <vector>

namespace cornu::testing {
namespace {

using namespace backend;

// No address of a process has this bit: reading through one fails at once.
constexpr ptrdiff_t far = ptrdiff_t{1} << 62;

bool is_far(const void* p) { return (reinterpret_cast<uintptr_t>(p) >> 62) != 0; }

void* near_of(const void* p) {
  char* const address = static_cast<char*>(const_cast<void*>(p));
  return is_far(p) ? address - far : address;
}
void* far_of(const void* p) {
  char* const address = static_cast<char*>(const_cast<void*>(p));
  return p && !is_far(p) ? address + far : address;
}

class RemoteAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override { return far_of(memory_.allocate(bytes)); }
  void deallocate(void* data, size_t bytes) noexcept override {
    memory_.deallocate(near_of(data), bytes);
  }
  void release() override { memory_.release(); }
  void set_limit(size_t bytes) override { memory_.set_limit(bytes); }
  void reset_peak() override { memory_.reset_peak(); }
  MemoryStats stats() const override { return memory_.stats(); }

 private:
  cpu::CachingAllocator memory_;
};

// Has what GPUs have beyond the CPU: sums of softmax, products of int8, and a form of its own of
// what recurrent layers keep.
class RemoteBackend final : public Backend, public RnnReserve {
 public:
  const std::string& name() const override { return name_; }
  Allocator& allocator() override { return allocator_; }
  Fusions fusions() const override { return {.softmax_sums = true, .int8_products = true}; }
  void run(const Kernel& kernel, std::span<const Operand> inputs,
           std::span<const Operand> outputs) override {
    if (const auto* const rnn = std::get_if<Rnn>(&kernel); rnn && rnn->cell != RnnCell::simple) {
      run_reserved(*rnn, here(inputs), here(outputs));
    } else {
      cpu_backend().run(kernel, here(inputs), here(outputs));
    }
  }
  // Gates, and behind them what is `extra` on the CPU.
  size_t rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel) override {
    const int64_t units = kernel[1] / (rnn.cell == RnnCell::lstm ? 4 : 3);
    return static_cast<size_t>(x[0] * x[1] * (kernel[1] + units)) * size_of(wide(dtype));
  }
  void copy_from_host(void* device, const void* host, size_t bytes) override {
    cpu_backend().copy(near_of(device), host, bytes);
  }
  void copy_to_host(void* host, const void* device, size_t bytes) override {
    cpu_backend().copy(host, near_of(device), bytes);
  }
  void copy(void* to, const void* from, size_t bytes) override {
    cpu_backend().copy(near_of(to), near_of(from), bytes);
  }
  std::unique_ptr<Executable> capture(const std::function<void()>& work) override {
    struct Captured final : Executable {
      explicit Captured(std::function<void()> w) : work(std::move(w)) {}
      void run(void* const*) override { work(); }
      std::function<void()> work;
    };
    return std::make_unique<Captured>(work);
  }

 private:
  static DType wide(DType dtype) {
    return dtype == DType::float64 ? DType::float64 : DType::float32;
  }

  static void run_reserved(const Rnn& rnn, std::vector<Operand> inputs,
                           std::vector<Operand> outputs) {
    const bool lstm = rnn.cell == RnnCell::lstm;
    const size_t first = (rnn.bias ? 4u : 3u) + (lstm ? 2 : 1);  // operands of the layer
    std::vector<Operand>& list = rnn.backward ? inputs : outputs;
    Operand& gates = list[rnn.backward ? first + 1 : lstm ? 3 : 2];
    Operand& extra = (&gates)[1];
    const Shape &x = *inputs[0].shape, &kernel = *inputs[1].shape;
    const int64_t units = kernel[1] / (lstm ? 4 : 3);
    const Shape of_gates{x[1], x[0], kernel[1]}, of_extra{x[1], x[0], units};
    const size_t size = size_of(gates.dtype);
    std::vector<char> memory;  // where nothing is to be kept
    if (gates.shape->numel() == 0) {
      memory.resize(static_cast<size_t>(of_gates.numel() + of_extra.numel()) * size);
      gates.data = memory.data();
    }
    if (gates.shape->rank() == 1) {
      extra.data = static_cast<char*>(gates.data) + static_cast<size_t>(of_gates.numel()) * size;
      gates.shape = &of_gates;
      extra.shape = &of_extra;
    }
    cpu_backend().run(rnn, inputs, outputs);
  }

  static std::vector<Operand> here(std::span<const Operand> operands) {
    std::vector<Operand> result(operands.begin(), operands.end());
    for (Operand& operand : result)
      if (!operand.number) operand.data = near_of(operand.data);
    return result;
  }

  std::string name_ = "remote:0";
  RemoteAllocator allocator_;
};

}  // namespace

backend::Backend& remote_backend() {
  static RemoteBackend& backend = *new RemoteBackend;
  return backend;
}

}  // namespace cornu::testing
