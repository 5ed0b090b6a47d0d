// Kernels made ready by a device that has nothing better than to remember them.
#include "backend.h"

#include <vector>

namespace cornu::backend {
namespace {

class Remembered final : public Executable {
 public:
  Remembered(Backend& backend, const Kernel& kernel, std::span<const Operand> inputs,
             std::span<const Operand> outputs)
      : backend_(backend), kernel_(kernel), inputs_(inputs.size()) {
    shapes_.reserve(inputs.size() + outputs.size());  // operands point into it
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) {
        shapes_.push_back(*operand.shape);
        operands_.push_back({&shapes_.back(), operand.dtype, nullptr});
      }
  }

  void run(void* const* data) override {
    for (size_t i = 0; i < operands_.size(); ++i) operands_[i].data = data[i];
    const std::span<const Operand> all(operands_);
    backend_.run(kernel_, all.first(inputs_), all.subspan(inputs_));
  }

 private:
  Backend& backend_;
  Kernel kernel_;
  size_t inputs_;
  std::vector<Shape> shapes_;
  std::vector<Operand> operands_;
};

}  // namespace

std::unique_ptr<Executable> Backend::prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                             std::span<const Operand> outputs) {
  return std::make_unique<Remembered>(*this, kernel, inputs, outputs);
}

}  // namespace cornu::backend
