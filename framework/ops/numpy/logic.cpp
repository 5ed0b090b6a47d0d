// Comparisons and choices, each one program.
#include "logic.h"

#include <fmt/core.h>

#include <limits>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "creation.h"
#include "../elementwise.h"
#include "reduction.h"

namespace cornu::ops {
namespace {

using backend::Domain;

double largest(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.FEp127;
    case DType::float32:
      return 0x1.FFFFFEp127;
    default:
      return std::numeric_limits<double>::max();
  }
}

Tensor is_infinity(const Tensor& x, double infinity) {
  if (is_complex(x.dtype())) refuse_complex(infinity > 0 ? "isposinf" : "isneginf");
  if (!is_float(x.dtype())) return zeros_like(x, DType::boolean);
  return equal(x, Tensor(infinity));
}

}  // namespace

Tensor isclose(const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
  return op(
      &isclose,
      [](const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
        const DType dtype = result_type(strong(x1), strong(x2));
        const Tensor a = cast(x1, dtype), b = cast(x2, dtype);
        if (!is_float(dtype) && !is_complex(dtype)) return equal(a, b);
        return fused_in<Domain::boolean>(
            [](Expr a, Expr b, Expr rtol, Expr atol, Expr nan_too) {
              const Expr near =
                  expr::less_equal(expr::absolute(a - b), atol + rtol * expr::absolute(b));
              const Expr finite = expr::minimum(expr::isfinite(a), expr::isfinite(b));
              const Expr both_nan = expr::minimum(expr::isnan(a), expr::isnan(b));
              return expr::maximum(expr::maximum(near * finite, expr::equal(a, b)),
                                   both_nan * nan_too);
            },
            a, b, Tensor(rtol), Tensor(atol), Tensor(equal_nan ? 1.0 : 0.0));
      },
      x1, x2, rtol, atol, equal_nan);
}

Tensor allclose(const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
  return op(
      &allclose,
      [](const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
        return all(isclose(x1, x2, rtol, atol, equal_nan));
      },
      x1, x2, rtol, atol, equal_nan);
}

Tensor isneginf(const Tensor& x) {
  return op(
      &isneginf,
      [](const Tensor& x) { return is_infinity(x, -std::numeric_limits<double>::infinity()); }, x);
}

Tensor isposinf(const Tensor& x) {
  return op(
      &isposinf,
      [](const Tensor& x) { return is_infinity(x, std::numeric_limits<double>::infinity()); }, x);
}

Tensor signbit(const Tensor& x) {
  return op(
      &signbit,
      [](const Tensor& x) {
        if (!is_float(x.dtype())) return less(x, Tensor(0));
        // 1 / -0 is negative.
        return fused_in<Domain::boolean>(
            [](Expr x) { return expr::select(expr::equal(x, 0.0), expr::reciprocal(x), x) < 0.0; },
            x);
      },
      x);
}

Tensor nan_to_num(const Tensor& x, const Value& nan, const Value& posinf, const Value& neginf) {
  return op(
      &nan_to_num,
      [](const Tensor& x, const Value& nan, const Value& posinf, const Value& neginf) {
        if (is_complex(x.dtype())) refuse_complex("nan_to_num");
        if (!is_float(x.dtype())) return cast(x, x.dtype());
        const auto number = [&](const Value& v, double otherwise) {
          if (!v.is_null()) return cast(detail::from_value<Tensor>(v), x.dtype());
          // A scalar's type is float32, beyond which float64's largest lies.
          return x.dtype() == DType::float64 ? Tensor::from({otherwise}, {}) : Tensor(otherwise);
        };
        const double limit = largest(x.dtype());
        return fused(
            [](Expr x, Expr nan, Expr high, Expr low) {
              const Expr bounded =
                  expr::select(expr::isinf(x), expr::select(x > 0.0, high, low), x);
              return expr::select(expr::isnan(x), nan, bounded);
            },
            x, number(nan, 0), number(posinf, limit), number(neginf, -limit));
      },
      x, nan, posinf, neginf);
}

Tensor select_first(const std::vector<Tensor>& condlist, const std::vector<Tensor>& choicelist,
                    const Tensor& default_value) {
  return op(
      &select_first,
      [](const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
         const Tensor& otherwise) {
        if (conditions.size() != choices.size() || conditions.empty())
          throw ValueError(fmt::format(
              "select: {} conditions for {} choices; there must be a condition for each choice.",
              conditions.size(), choices.size()));
        std::vector<PromotionType> types = {promotion_type(otherwise)};
        for (const Tensor& choice : choices) types.push_back(promotion_type(choice));
        const DType dtype = result_type(types);
        Tensor y = cast(otherwise, dtype);
        for (size_t i = choices.size(); i-- > 0;)
          y = where(conditions[i], cast(choices[i], dtype), y);
        return y;
      },
      condlist, choicelist, default_value);
}

void list_logic(OpCatalog& catalog) {
  catalog.add("numpy.Isclose", {"x1", "x2", "rtol=1e-05", "atol=1e-08", "equal_nan=False"},
              &isclose);
  catalog.add("numpy.AllClose", {"x1", "x2", "rtol=1e-05", "atol=1e-08", "equal_nan=False"},
              &allclose);
  catalog.add("numpy.Isneginf", {"x"}, &isneginf);
  catalog.add("numpy.Isposinf", {"x"}, &isposinf);
  catalog.add("numpy.Signbit", {"x"}, &signbit);
  catalog.add("numpy.NanToNum", {"x", "nan=0.0", "posinf=None", "neginf=None"}, &nan_to_num);
  catalog.add("numpy.Select", {"condlist", "choicelist", "default=0"}, &select_first);
}

}  // namespace cornu::ops
