// Complex tensors. No kernel takes them: the memory of a complex tensor is that of a real one with
// an axis of 2 behind, and each kernel on complex numbers becomes kernels on that one.
#pragma once
#include "apply.h"

namespace cornu {

/// Whether an operand or a result is of complex numbers.
inline bool any_complex(std::span<const Tensor> inputs, std::span<const TensorSpec> outputs) {
  bool any = false;
  for (const Tensor& t : inputs) any |= is_complex(t.dtype());
  for (const TensorSpec& t : outputs) any |= is_complex(t.dtype);
  return any;
}

/// Whether tensors of this type have gradients. The gradient of a real number L by z = x + iy is
/// dL/dx + i dL/dy, which is what TensorFlow computes.
constexpr bool has_gradient(DType dtype) { return is_float(dtype) || is_complex(dtype); }

/// Whether kernels see tensors of this type in another form.
constexpr bool has_emulated_storage(DType dtype) { return is_complex(dtype) || is_float8(dtype); }

/// The tensor in whose form kernels see one of a type that they do not take: complex64 (a, b) is
/// float32 (a, b, 2), an 8-bit float its bits as uint8. Other specs stay what they are.
TensorSpec stored_spec(const TensorSpec& spec);

/// The same memory as a tensor of this spec, whose elements have as many bytes in all. Recorders
/// see nothing of it.
Tensor bitcast(const Tensor& x, const TensorSpec& spec);

/// The same in a computation: between a complex tensor and the real one in whose form it is stored.
Tensor apply_view(const Tensor& x, const TensorSpec& spec);

/// Complex z (...) as real and imaginary parts (..., 2); shares memory.
Tensor as_pairs(const Tensor& z);
/// Pairs (..., 2) of float32 or float64 as complex numbers (...); shares memory.
Tensor from_pairs(const Tensor& x);
/// The real part (0) or the imaginary part (1) of complex z, of z's shape.
Tensor part_of_complex(const Tensor& z, int which);
/// re + i im; zero in place of `im` if there is none. Both are float32 or both float64.
Tensor join_complex(const Tensor& re, const Tensor& im = {});

/// A program on complex numbers as one on their parts.
struct PartsProgram {
  /// Inputs: the real part of each input of the first program, after it the imaginary part of a
  /// complex one. Outputs likewise.
  backend::ProgramRef program;
  std::vector<bool> complex;  ///< of the first program's outputs
};

/// `complex[i]` tells whether input i is complex. Throws UnsupportedError for what is not defined
/// for complex numbers, such as an order.
PartsProgram on_parts(const backend::Program& program, const std::vector<bool>& complex);

/// Runs a kernel on complex tensors by kernels on their parts. Throws UnsupportedError where it
/// cannot.
Tensors apply_to_complex(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                         std::span<const TensorSpec> outputs);

/// Throws UnsupportedError: this operation does not take complex numbers.
[[noreturn]] void refuse_complex(const std::string& name);

}  // namespace cornu
