// Casts, selections.
#include "core.h"

#include <cmath>

#include "catalog.h"
#include "elementwise.h"

namespace cornu::ops {

Tensor cast(const Tensor& x, DType dtype) {
  return op(&cast, [](const Tensor& x, DType dtype) {
    if (x.dtype() == dtype && !x.is_weak()) return x;
    // The wider of the two types computes, so that neither conversion loses what the other keeps.
    const DType compute = is_float(x.dtype()) ? compute_type(x.dtype())
                          : is_float(dtype) && x.dtype() != DType::uint64 ? compute_type(dtype)
                                                                          : compute_type(x.dtype());
    return apply(backend::Fused{backend::program_of(backend::Opcode::identity), compute}, {x},
                 TensorSpec{x.shape(), dtype});
  }, x, dtype);
}

Tensor stop_gradient(const Tensor& x) {
  return op(&stop_gradient, [](const Tensor& x) { return cornu::stop_gradient(x); }, x);
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  return op(&where, [](const Tensor& condition, const Tensor& x, const Tensor& y) {
    const DType dtype = result_type(x, y);
    const Tensor inputs[] = {cast(condition, DType::boolean), cast(x, dtype), cast(y, dtype)};
    return detail::run_program_many(backend::program_of(backend::Opcode::select), inputs, dtype, "where")[0];
  }, condition, x, y);
}

Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max) {
  return op(&clip, [](const Tensor& x, const Tensor& low, const Tensor& high) {
    const DType dtype = x.dtype() == DType::boolean ? DType::int32 : x.dtype();
    static const backend::ProgramRef program = backend::Program::make(3, [](const std::vector<Expr>& x) {
      return std::vector<Expr>{expr::minimum(expr::maximum(x[0], x[1]), x[2])};
    });
    const Tensor inputs[] = {x, low, high};
    return detail::run_program_many(program, inputs, dtype, "clip")[0];
  }, x, x_min, x_max);
}

bool all_close(const Tensor& x, const Tensor& y, double rtol, double atol) {
  if (x.shape() != y.shape()) return false;
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

void list_core(OpCatalog& catalog) {
  catalog.add("core.Cast", {"x", "dtype"}, &cast);
  catalog.add("core.StopGradient", {"variable"}, &stop_gradient);
  catalog.add("numpy.Where", {"condition", "x1=None", "x2=None"}, &where);
  catalog.add("numpy.Clip", {"x", "x_min", "x_max"}, &clip);
}

}  // namespace cornu::ops
