// Products of 8-bit factors in the form that tensor cores take.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "context.h"

namespace cornu::backend::cuda {

/// A product of int8 with results of int32, or of 8-bit floats with results of float32, as
/// Matmul{.transpose_b = true}: a library's kernels for tensor cores want what is summed along the
/// rows of both factors, rows of whole 16 bytes, and 32 of them or so. They are filled up with
/// zeros, which add nothing.
struct EightBitForm {
  Shape a;                             ///< (batch..., m, k)
  Shape b;                             ///< (batch..., n, k)
  Shape out;                           ///< (batch..., m, n)
  std::optional<Copy> copy_a, copy_b;  ///< to these; none where an operand is so already
  std::optional<Copy> copy_out;        ///< from out, where it is larger than the result

  /// Whether the operands are not as the form wants them.
  bool copies() const { return copy_a || copy_b || copy_out; }
};

/// The form of a Matmul of such factors of these shapes.
EightBitForm eight_bit_form(const Matmul& matmul, const Shape& a, const Shape& b, const Shape& out);

/// Makes a Matmul ready; null where it cannot.
using MatmulMaker = std::function<std::unique_ptr<Executable>(
    const Matmul&, std::span<const Operand> inputs, std::span<const Operand> outputs)>;

/// A product as copies to such a form, the product that `make` makes of it, and a copy back. A bias
/// has the type of the result. Copies of factors that rarely change are kept. Null where `make`
/// gives null.
std::unique_ptr<Executable> eight_bit_product(const Matmul& matmul, const EightBitForm& form,
                                              std::span<const Operand> inputs,
                                              std::span<const Operand> outputs, Context& context,
                                              const MatmulMaker& make);

}  // namespace cornu::backend::cuda
