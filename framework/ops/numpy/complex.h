// Complex numbers: their parts, and making them. Elsewhere in cornu::ops they are taken by what
// moves elements (reshape, transpose, take, concatenate, where, ...), by +, -, *, / and powers,
// matmul and what is made of it, sum, mean and cumsum, ==, exp, log, sqrt, the trigonometric and
// hyperbolic functions, and eig. What needs an order or an integer throws UnsupportedError.
//
// complex64 has parts of float32, complex128 of float64. What meets complex numbers becomes
// complex64, unless one of them is complex128.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// The real parts; real numbers are their own.
Tensor real(const Tensor& x);
/// The imaginary parts, of real numbers 0 in their dtype.
Tensor imag(const Tensor& x);
/// a - ib for a + ib. Also keras.ops.conj.
Tensor conjugate(const Tensor& x);
inline Tensor conj(const Tensor& x) { return conjugate(x); }
/// The angle to the positive real axis, in (-pi, pi]. Of real numbers: pi where x < 0, else 0.
Tensor angle(const Tensor& x);
/// Whether the imaginary part is 0.
Tensor isreal(const Tensor& x);
/// x (...) as real and imaginary part side by side (..., 2). Of complex numbers it shares memory.
Tensor view_as_real(const Tensor& x);
/// x (..., 2) as complex64 (...), from real and imaginary parts. Throws ValueError when the last
/// axis is not of size 2.
Tensor view_as_complex(const Tensor& x);
/// Complex numbers of these absolute values and angles (radians), which broadcast: complex128 for
/// float64, else complex64. Throws ValueError for integers.
Tensor polar(const Tensor& abs, const Tensor& angle);

void list_complex(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
