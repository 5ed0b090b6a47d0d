// A kernel with its operands, kept for later runs at other addresses.
#pragma once
#include <span>
#include <vector>

#include "backend.h"

namespace cornu::backend {

/// A copy of a kernel's description with the shapes and dtypes of its operands.
class DeferredCall {
 public:
  /// Copies everything but the operands' addresses.
  DeferredCall(const Kernel& kernel, std::span<const Operand> inputs,
               std::span<const Operand> outputs)
      : kernel_(kernel), inputs_(inputs.size()) {
    shapes_.reserve(inputs.size() + outputs.size());  // operands point into it
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) {
        shapes_.push_back(*operand.shape);
        operands_.push_back({&shapes_.back(), operand.dtype, nullptr});
      }
  }
  DeferredCall(const DeferredCall&) = delete;

  /// f(kernel, inputs, outputs) with the operands at these addresses.
  template <class F>
  void run(void* const* data, F f) {
    for (size_t i = 0; i < operands_.size(); ++i) operands_[i].data = data[i];
    const std::span<const Operand> all(operands_);
    f(kernel_, all.first(inputs_), all.subspan(inputs_));
  }

 private:
  Kernel kernel_;
  size_t inputs_;
  std::vector<Shape> shapes_;
  std::vector<Operand> operands_;
};

}  // namespace cornu::backend
