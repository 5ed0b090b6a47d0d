// Kernels made ready by a device that has nothing better than to remember them.
#include "backend.h"

#include "deferred_call.h"

namespace cornu::backend {
namespace {

class KernelCall final : public Executable {
 public:
  KernelCall(Backend& backend, const Kernel& kernel, std::span<const Operand> inputs,
             std::span<const Operand> outputs)
      : backend_(backend), call_(kernel, inputs, outputs) {}
  void run(void* const* data) override {
    call_.run(data, [&](const auto&... call) { backend_.run(call...); });
  }

 private:
  Backend& backend_;
  DeferredCall call_;
};

}  // namespace

std::unique_ptr<Executable> Backend::prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                             std::span<const Operand> outputs) {
  return std::make_unique<KernelCall>(*this, kernel, inputs, outputs);
}

}  // namespace cornu::backend
