// Tensors of 8-bit floats. No kernel takes them: moves act on their bits as uint8, casts are
// programs from and to such bits. There is no arithmetic on them, as in Keras.
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

/// Throws UnsupportedError: this operation does not take 8-bit floats.
[[noreturn]] void refuse_float8(const std::string& name);

/// Runs a kernel that moves or casts elements. Throws UnsupportedError for other kernels.
Tensors apply_to_float8(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                        std::span<const TensorSpec> outputs);

}  // namespace cornu
