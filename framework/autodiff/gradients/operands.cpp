// Which operands the rules of the gradients read.
#include "../gradients.h"

namespace cornu {
namespace {

uint32_t first_bits(size_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }

// The inputs whose gradient may be asked for.
uint32_t differentiable(const backend::Program& program, std::span<const Tensor> inputs) {
  uint32_t wanted = 0;
  for (size_t i = 0; i < inputs.size() && i < 32; ++i)
    if (is_float(inputs[i].dtype()) && !program.is_constant_in(static_cast<int>(i)))
      wanted |= 1u << i;
  return wanted;
}

struct Reads {
  std::span<const Tensor> inputs;

  template <class Kernel>
  ReadOperands operator()(const Kernel&) const {
    return {};
  }
  ReadOperands operator()(const backend::Fused& k) const {
    const size_t n = inputs.size(), outputs = k.program->outputs().size();
    const uint32_t wanted = differentiable(*k.program, inputs);
    ReadOperands read{0, 0};
    if (!wanted || n + outputs > 32) return wanted ? ReadOperands{} : read;
    const backend::ProgramRef derivative = k.program->derivative(wanted);
    for (size_t i = 0; i < n; ++i)
      read.inputs |= uint32_t{derivative->reads(static_cast<int>(i))} << i;
    for (size_t i = 0; i < outputs; ++i)
      read.outputs |= uint32_t{derivative->reads(static_cast<int>(n + i))} << i;
    return read;
  }
  ReadOperands operator()(const backend::Reduce& k) const {
    if (k.op != backend::ReduceOp::sum) return {};
    const size_t n = inputs.size();
    const uint32_t wanted = differentiable(*k.program, inputs);
    if (!wanted || n > 30) return {};
    const backend::ProgramRef derivative = k.program->derivative(wanted);
    ReadOperands read{0, 0};
    for (size_t i = 0; i < n; ++i)
      read.inputs |= uint32_t{derivative->reads(static_cast<int>(i))} << i;
    // The elements themselves are computed again from all inputs.
    if (derivative->reads(static_cast<int>(n))) read.inputs = first_bits(n);
    return read;
  }
  ReadOperands operator()(const backend::Matmul&) const { return {~0u, 0}; }
  ReadOperands operator()(const backend::Conv&) const { return {~0u, 0}; }
  ReadOperands operator()(const backend::Copy&) const { return {0, 0}; }
  ReadOperands operator()(const backend::Fft&) const { return {0, 0}; }
  ReadOperands operator()(const backend::Linalg& k) const {
    using Op = backend::LinalgOp;
    const bool system = k.op == Op::solve || k.op == Op::solve_triangular;
    return {system ? 1u : 0u, k.op == Op::lu ? 0u : ~0u};
  }
  ReadOperands operator()(const backend::Softmax&) const { return {0, ~0u}; }
  ReadOperands operator()(const backend::Normalize& k) const {
    return k.backward ? ReadOperands{} : ReadOperands{~0u, ~1u};
  }
};

}  // namespace

ReadOperands operands_read(const backend::Kernel& kernel, std::span<const Tensor> inputs) {
  return std::visit(Reads{inputs}, kernel);
}

}  // namespace cornu
