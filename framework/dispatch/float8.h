// Tensors of 8-bit floats. Kernels see their bits as uint8: moves act on these, casts are programs
// from and to them, and products are those of the numbers, unless a device multiplies bits. There
// is no other arithmetic on them.
#pragma once
#include "apply.h"

namespace cornu {

/// Whether an operand or a result is of 8-bit floats.
inline bool any_float8(std::span<const Tensor> inputs, std::span<const TensorSpec> outputs) {
  bool any = false;
  for (const Tensor& t : inputs) any |= is_float8(t.dtype());
  for (const TensorSpec& t : outputs) any |= is_float8(t.dtype);
  return any;
}

/// The program that rounds to the numbers of an 8-bit type; of two as near, to the even one. What
/// is beyond its range stays there.
backend::ProgramRef float8_rounding(DType dtype);

/// Whether both are 8-bit floats, whose product is float32.
inline bool both_float8(DType a, DType b) { return is_float8(a) && is_float8(b); }
/// Whether x's device multiplies 8-bit floats, faster than wider ones.
bool multiplies_float8(const Tensor& x);

/// Throws UnsupportedError: this operation does not take 8-bit floats.
[[noreturn]] void refuse_float8(const std::string& name);

/// Runs a kernel that moves, casts or multiplies elements. Throws UnsupportedError for others.
Tensors apply_to_float8(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                        std::span<const TensorSpec> outputs);

}  // namespace cornu
