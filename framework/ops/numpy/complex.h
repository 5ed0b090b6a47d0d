// Complex numbers.
#pragma once
#include "../condition.h"
#include "../op.h"

namespace cornu::ops {

/// The real parts; real numbers are their own.
Tensor real(const Tensor& x);
/// The imaginary parts, of real numbers 0 in their dtype.
Tensor imag(const Tensor& x);
/// a - ib for a + ib. Also keras.ops.conj.
Tensor conjugate(const Tensor& x);
/// The same.
inline Tensor conj(const Tensor& x) { return conjugate(x); }
/// The angle to the positive real axis, in (-pi, pi]. Of real numbers: pi where x < 0, else 0.
Tensor angle(const Tensor& x);
/// Whether the imaginary part is 0.
Condition isreal(const Tensor& x);

}  // namespace cornu::ops
