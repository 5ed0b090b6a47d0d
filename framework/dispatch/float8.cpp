// Moves of bits, casts to and from these, and products.
#include "float8.h"

#include <fmt/core.h>

#include "complex.h"

namespace cornu {
namespace {

using backend::Fused;
using backend::Opcode;
using backend::Program;
using backend::ProgramRef;
namespace expr = backend::expr;
using backend::Expr;

// What is computed for a type, made once. Bits are numbers in programs.
struct Programs {
  ProgramRef rounding, to_bits, to_number;

  Programs(Expr (*bits)(Expr), Expr (*number)(Expr))
      : rounding(of([=](Expr x) { return number(bits(x)); })),
        to_bits(of(bits)),
        to_number(of(number)) {}

  template <class F>
  static ProgramRef of(F formula) {
    return Program::make(
        1, [&](const std::vector<Expr>& x) { return std::vector<Expr>{formula(x[0])}; });
  }
};

const Programs& programs_of(DType dtype) {
  static const Programs e4m3fn(&expr::e4m3_bits, &expr::e4m3_number),
      e5m2(&expr::e5m2_bits, &expr::e5m2_number);
  return dtype == DType::float8_e4m3fn ? e4m3fn : e5m2;
}

Tensor labeled(const Tensor& x, DType dtype) { return apply_view(x, {x.shape(), dtype}); }

// x may be spread over the result's shape.
Tensor encoded(const Tensor& x, const TensorSpec& to) {
  const Fused encode{programs_of(to.dtype).to_bits, DType::float32};
  return labeled(apply(encode, {x}, TensorSpec{to.shape, DType::uint8}), to.dtype);
}

Tensor decoded(const Tensor& x, const TensorSpec& to) {
  const Fused decode{programs_of(x.dtype()).to_number, DType::float32};
  return apply(decode, {labeled(x, DType::uint8)}, to);
}

struct OnFloat8 {
  std::span<const Tensor> inputs;
  std::span<const TensorSpec> outputs;

  Tensors operator()(const Fused& k) const {
    const bool casts = inputs.size() == 1 && outputs.size() == 1 &&
                       k.program == backend::program_of(Opcode::identity);
    if (!casts) refuse_float8(program_name(*k.program));
    const Tensor& x = inputs[0];
    const TensorSpec& to = outputs[0];
    // Broadcasts and copies move bits.
    if (x.dtype() == to.dtype)
      return {labeled(apply(k, {labeled(x, DType::uint8)}, {to.shape, DType::uint8}), to.dtype)};
    if (!is_float8(to.dtype)) return {decoded(x, to)};
    // From one 8-bit type to the other by way of float32, which holds both exactly.
    return {encoded(is_float8(x.dtype()) ? decoded(x, {x.shape(), DType::float32}) : x, to)};
  }

  // By the bits, where all that moves is of one type.
  Tensors moved(const backend::Kernel& kernel, size_t indices) const {
    Tensors bits;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i != indices && inputs[i].dtype() != outputs[0].dtype)
        refuse_float8(backend::kernel_name(kernel));
      bits.push_back(i == indices ? inputs[i] : labeled(inputs[i], DType::uint8));
    }
    return {labeled(apply(kernel, bits, {outputs[0].shape, DType::uint8}), outputs[0].dtype)};
  }
  static constexpr size_t no_indices = ~size_t{0};

  Tensors operator()(const backend::Copy& k) const {
    backend::Copy copy = k;
    if (!k.covers) copy.fill = float_to_float8(static_cast<float>(k.fill), outputs[0].dtype);
    return moved(copy, no_indices);
  }
  Tensors operator()(const backend::Gather& k) const { return moved(k, 1); }
  Tensors operator()(const backend::Scatter& k) const {
    if (k.op != backend::ScatterOp::set) refuse_float8("scatter");
    return moved(k, 1);
  }
  Tensors operator()(const backend::Matmul& k) const {
    if (k.bias || !both_float8(inputs[0].dtype(), inputs[1].dtype()) ||
        outputs[0].dtype != DType::float32)
      refuse_float8(backend::kernel_name(k));
    const Tensor &a = inputs[0], &b = inputs[1];
    if (multiplies_float8(a)) {
      backend::Matmul product = k;
      product.float8_a = a.dtype();
      product.float8_b = b.dtype();
      return {apply(product, {labeled(a, DType::uint8), labeled(b, DType::uint8)}, outputs[0])};
    }
    const auto wide = [](const Tensor& x) { return decoded(x, {x.shape(), DType::float32}); };
    return {apply(k, {wide(a), wide(b)}, outputs[0])};
  }
  template <class Kernel>
  Tensors operator()(const Kernel& k) const {
    refuse_float8(backend::kernel_name(k));
  }

  static std::string program_name(const Program& program) {
    const auto instructions = program.instructions();
    return instructions.size() == 1 ? std::string(backend::info(instructions[0].op).name)
                                    : "an elementwise operation";
  }
};

}  // namespace

void refuse_float8(const std::string& name) {
  throw UnsupportedError(fmt::format(
      "{}: 8-bit floats are only kept, moved, cast and multiplied as matrices. Use ops::cast to "
      "float16 or float32.",
      name));
}

bool multiplies_float8(const Tensor& x) {
  return x.is_eager() && x.impl()->storage && x.impl()->storage->backend->fusions().float8_products;
}

ProgramRef float8_rounding(DType dtype) { return programs_of(dtype).rounding; }

Tensors apply_to_float8(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                        std::span<const TensorSpec> outputs) {
  return std::visit(OnFloat8{inputs, outputs}, kernel);
}

}  // namespace cornu
