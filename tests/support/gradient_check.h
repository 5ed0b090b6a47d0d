// Checks tapes against finite differences.
#pragma once
#include <cornu/framework/autodiff/tape.h>

#include <functional>
#include <vector>

namespace cornu::test {

/// The largest difference between the tape's gradients of sum(w * f(inputs)) (w: fixed
/// pseudo-random weights) and central differences, relative to the largest gradient (at least 1).
/// Inputs must be float64.
double gradient_error(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                      const std::vector<Tensor>& inputs, double step = 1e-6);

/// Pseudo-random float64 values in [low, high), the same each time.
Tensor noise(const Shape& shape, double low = -1, double high = 1, int seed = 1);
/// The same between -1 and 1. (A whole number alone is no bound.)
inline Tensor noise(const Shape& shape, int seed) { return noise(shape, -1, 1, seed); }

}  // namespace cornu::test
