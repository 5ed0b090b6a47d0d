// NumPy's norms.
#include "norm.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/complex.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"
#include "decompositions.h"

namespace cornu::ops {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor vector_norm(const Tensor& x, const Value& ord, int64_t axis, bool keepdims) {
  if (ord.is<std::string>())
    throw ValueError(
        fmt::format("norm: order \"{}\" is one of matrices; for vectors give a number.",
                    ord.get<std::string>()));
  const double p = ord.is_null() ? 2 : ord.number();
  if (p == 2) return sqrt(sum(square(x), axis, keepdims));
  const Tensor size = absolute(x);
  if (p == infinity) return max(size, axis, keepdims);
  if (p == -infinity) return min(size, axis, keepdims);
  if (p == 0) return sum(cast(not_equal(x, 0), x.dtype()), axis, keepdims);
  if (p == 1) return sum(size, axis, keepdims);
  return power(sum(power(size, p), axis, keepdims), 1 / p);
}

// x has its rows and columns last.
Tensor matrix_norm(const Tensor& x, const Value& ord) {
  if (ord.is_null() || (ord.is<std::string>() && ord.get<std::string>() == "fro"))
    return sqrt(sum(square(x), std::vector<int64_t>{-2, -1}));
  if (ord.is<std::string>()) {
    if (ord.get<std::string>() != "nuc")
      throw ValueError(
          fmt::format("norm: order must be a number, \"fro\" or \"nuc\", found \"{}\".",
                      ord.get<std::string>()));
    return sum(svd(x, false, false).tensor(), -1);
  }
  const double p = ord.number();
  if (std::abs(p) == 2) {
    const Tensor s = svd(x, false, false).tensor();
    return p > 0 ? max(s, -1) : min(s, -1);
  }
  if (std::abs(p) != 1 && std::abs(p) != infinity)
    throw ValueError(fmt::format(
        "norm: matrices have norms of order 1, 2, infinity and their negatives, found {}.", p));
  const Tensor sums = sum(absolute(x), std::abs(p) == 1 ? -2 : -1);
  return p > 0 ? max(sums, -1) : min(sums, -1);
}

}  // namespace

Tensor norm(const Tensor& x, const Value& ord, const OptionalIntegers& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&norm, x, ord, axis, keepdims);
  if (is_complex(x.dtype())) refuse_complex("norm");
  const Tensor real = is_float(x.dtype()) ? x : cast(x, DType::float32);
  if (!axis && ord.is_null()) return sqrt(sum(square(real), {}, keepdims));
  std::vector<int64_t> axes;
  if (axis)
    for (int64_t a : *axis) axes.push_back(normalize_axis(a, x.rank(), "norm: axis"));
  else
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  if (axes.size() == 1) return vector_norm(real, ord, axes[0], keepdims);
  if (axes.size() != 2 || axes[0] == axes[1])
    throw ValueError(
        fmt::format("norm: expected one axis or two different ones, found {} for shape {}.",
                    axes.size(), x.shape().str()));
  const Tensor y = matrix_norm(moveaxis(real, axes, {-2, -1}), ord);
  if (!keepdims) return y;
  std::sort(axes.begin(), axes.end());
  return expand_dims(y, axes);
}

void list_linalg_norm(OpCatalog& catalog) {
  catalog.add("linalg.Norm", {"x", "ord=None", "axis=None", "keepdims=False"}, &norm);
}

}  // namespace cornu::ops
