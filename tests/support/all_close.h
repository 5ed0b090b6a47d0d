// Whether two tensors hold nearly the same numbers, as one bool.
#pragma once
#include <cornu/framework/ops/numpy/logic.h>

#include <cmath>

namespace cornu::test {

/// Whether shapes are equal and all pairs of elements within atol + rtol * |y|; NaN equals NaN.
inline bool all_close(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8) {
  if (x.shape() != y.shape()) return false;
  if (is_complex(x.dtype()) || is_complex(y.dtype()))
    return ops::allclose(x, y, rtol, atol, true).item() != 0;
  const auto a = x.to_vector<double>(), b = y.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) {
      if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    } else if (a[i] != b[i] && !(std::abs(a[i] - b[i]) <= atol + rtol * std::abs(b[i]))) {
      return false;
    }
  }
  return true;
}

}  // namespace cornu::test
