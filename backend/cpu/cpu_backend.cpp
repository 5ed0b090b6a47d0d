// Sends each kernel to its implementation.
#include "cpu_backend.h"

#include <cstring>
#include <variant>

#include "kernels.h"

namespace cornu::backend {
namespace cpu {

void CpuBackend::run(const Kernel& kernel, std::span<const Operand> inputs,
                     std::span<const Operand> outputs) {
  std::visit([&](const auto& chosen) { cpu::run(chosen, inputs, outputs); }, kernel);
}

void CpuBackend::copy_from_host(void* device, const void* host, size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void CpuBackend::copy_to_host(void* host, const void* device, size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}

}  // namespace cpu

Backend& cpu_backend() {
  // Never destroyed: tensors in static variables give their memory back after any local static is
  // gone.
  static cpu::CpuBackend& backend = *new cpu::CpuBackend;
  return backend;
}

}  // namespace cornu::backend
