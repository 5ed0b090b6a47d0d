// Sends each kernel to its implementation.
#include "cpu_backend.h"

#include <cstring>
#include <fstream>
#include <utility>
#include <variant>

#include "../denormals.h"
#include "../error.h"
#include "instruction_set.h"
#include "kernels.h"
#include "onednn.h"
#include "prepare.h"
#include "prepare_conv.h"

namespace cornu::backend {
namespace cpu {
namespace {

template <class K>
void run_optional(const K& kernel, Operands inputs, Operands outputs, const char* use) {
  const auto code = optional_code<K>.load();
  if (!code)
    throw StateError(
        std::string("This program runs a kernel whose code it does not contain: call ") + use +
        " of backend/optional_kernels.h first.");
  code(kernel, inputs, outputs);
}

}  // namespace

void run(const Rnn& kernel, Operands inputs, Operands outputs) {
  run_optional(kernel, inputs, outputs, "use_rnn_kernel()");
}

void run(const Attention& kernel, Operands inputs, Operands outputs) {
  run_optional(kernel, inputs, outputs, "use_attention_kernel()");
}

void CpuBackend::run(const Kernel& kernel, std::span<const Operand> inputs,
                     std::span<const Operand> outputs) {
  const DenormalsAsZero scope;
  std::visit([&](const auto& chosen) { cpu::run(chosen, inputs, outputs); }, kernel);
}

std::unique_ptr<Executable> CpuBackend::prepare(const Kernel& kernel,
                                                std::span<const Operand> inputs,
                                                std::span<const Operand> outputs) {
  auto made = std::visit(
      [&](const auto& chosen) -> std::unique_ptr<Executable> {
        if constexpr (requires { cpu::prepare(chosen, inputs, outputs); })
          return cpu::prepare(chosen, inputs, outputs);
        else
          return nullptr;
      },
      kernel);
  return made ? std::move(made) : Backend::prepare(kernel, inputs, outputs);
}

int64_t CpuBackend::channel_block() const { return onednn_channel_block(); }

void CpuBackend::copy_from_host(void* device, const void* host, size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void CpuBackend::copy_to_host(void* host, const void* device, size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void CpuBackend::copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

std::string CpuBackend::description() const {
  std::ifstream info("/proc/cpuinfo");
  std::string model = "CPU";
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  return model + ", " + instruction_set() + ", " + std::to_string(threads()) + " threads";
}

CachingAllocator& Scratch::allocator() {
  static CachingAllocator& allocator = static_cast<CpuBackend&>(cpu_backend()).allocator();
  return allocator;
}

}  // namespace cpu

Backend& cpu_backend() {
  // Never destroyed: tensors in static variables give their memory back after any local static is
  // gone.
  static cpu::CpuBackend& backend = *[] {
    cpu::limit_instructions();
    return new cpu::CpuBackend;
  }();
  return backend;
}

}  // namespace cornu::backend
