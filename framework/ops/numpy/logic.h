// Tests of elements that the table of elementwise operations does not have.
#pragma once
#include "../condition.h"
#include "../op.h"

namespace cornu::ops {

/// Whether |x1 - x2| <= atol + rtol * |x2|; integers and bools must be equal. NaN equals NaN with
/// `equal_nan`; infinities are close when equal.
Condition isclose(const Tensor& x1, const Tensor& x2, double rtol = 1e-5, double atol = 1e-8,
                  bool equal_nan = false);
/// Whether isclose holds everywhere; a bool tensor without axes.
Condition allclose(const Tensor& x1, const Tensor& x2, double rtol = 1e-5, double atol = 1e-8,
                   bool equal_nan = false);
/// Whether x is minus infinity.
Condition isneginf(const Tensor& x);
/// Whether x is plus infinity.
Condition isposinf(const Tensor& x);
/// Whether the sign is negative, also of -0.
Condition signbit(const Tensor& x);

}  // namespace cornu::ops
