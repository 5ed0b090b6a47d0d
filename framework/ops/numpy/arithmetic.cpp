// Elementwise compositions: one program each, so that the derivative is one program too.
#include "arithmetic.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>

#include "../../dispatch/complex.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../convert.h"
#include "../core/cast.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "complex.h"

namespace cornu::ops {

namespace {

using backend::Domain;

// Some functions take int64 to float64, where most take all integers to float32.
Tensor wide_float(const Tensor& x, DType dtype) {
  if (dtype == DType::int64) dtype = DType::float64;
  return cast(x, is_float(dtype) ? dtype : DType::float32);
}

Tensor wide_float(const Tensor& x) { return wide_float(x, x.dtype()); }

}  // namespace

Tensor fabs(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&fabs, x);
  if (is_complex(x.dtype())) refuse_complex("fabs");
  return fused([](Expr x) { return expr::absolute(x); }, x);
}

Tensor cbrt(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&cbrt, x);
  return fused([](Expr x) { return expr::sign(x) * expr::power(expr::absolute(x), 1.0 / 3); },
               wide_float(x));
}

Tensor exp2(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&exp2, x);
  return fused([](Expr x) { return expr::power(2.0, x); }, x);
}

Tensor deg2rad(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&deg2rad, x);
  return fused([](Expr x) { return x * 0.017453292519943295; }, wide_float(x));
}

Tensor rad2deg(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&rad2deg, x);
  return fused([](Expr x) { return x * 57.29577951308232; }, wide_float(x));
}

Tensor sinc(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&sinc, x);
  return fused(
      [](Expr x) {
        const Expr zero = expr::equal(x, 0.0);
        const Expr angle = expr::select(zero, 1.0, x * 3.141592653589793);
        return expr::select(zero, 1.0, expr::sin(angle) / angle);
      },
      x);
}

Tensor i0(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&i0, x);
  return fused(
      [](Expr x) {
        const Expr size = expr::absolute(x);
        const Expr near = expr::less(size, 16.0);
        const Expr small = expr::select(near, size, 0.0), large = expr::select(near, 16.0, size);
        // The sum over k of (x / 2)^(2 k) / k!^2, from the inside.
        const Expr t = small * small * 0.25;
        Expr series = t * (1.0 / (36.0 * 36.0)) + 1.0;
        for (int k = 35; k > 0; --k) series = series * t * (1.0 / (k * k)) + 1.0;
        // exp(x) / sqrt(2 pi x) times the sum over k of ((2 k - 1)!!)^2 / (k! (8 x)^k).
        const Expr r = expr::reciprocal(large);
        Expr tail = r * (27.0 * 27.0 / (8 * 14)) + 1.0;
        for (int k = 13; k > 0; --k)
          tail = tail * r * ((2.0 * k - 1) * (2.0 * k - 1) / (8.0 * k)) + 1.0;
        return expr::select(near, series,
                            expr::exp(large) * expr::rsqrt(large * 6.283185307179586) * tail);
      },
      wide_float(x));
}

Tensor round(const Tensor& x, int64_t decimals) {
  if (is_symbolic(x)) return symbolic_call(&round, x, decimals);
  if (is_complex(x.dtype())) refuse_complex("round");
  const bool whole = !is_float(x.dtype());
  if (whole && decimals >= 0) return cast(x, x.dtype());
  if (decimals == 0) return detail::round_even(x);
  const Tensor factor(std::pow(10.0, static_cast<double>(decimals)));
  const Tensor y = true_divide(
      detail::round_even(multiply(whole ? cast(x, DType::float32) : x, factor)), factor);
  return whole ? cast(y, x.dtype()) : y;
}

Tensor hypot(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&hypot, x1, x2);
  const DType dtype = result_type(detail::strong(x1), detail::strong(x2));
  return fused(
      [](Expr a, Expr b) {
        // Beside an infinity all else is as 0, NaN too, and another infinity: the quotient of two
        // of them would be NaN.
        b = expr::select(expr::equal(expr::absolute(a), INFINITY), 0.0, expr::absolute(b));
        a = expr::select(expr::equal(b, INFINITY), 0.0, expr::absolute(a));
        const Expr large = expr::maximum(a, b), small = expr::minimum(a, b);
        const Expr zero = expr::equal(large, 0.0);
        const Expr ratio = expr::select(zero, 0.0, small / expr::select(zero, 1.0, large));
        return large * expr::sqrt(expr::square(ratio) + 1.0);
      },
      wide_float(x1, dtype), wide_float(x2, dtype));
}

Tensor heaviside(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&heaviside, x1, x2);
  const DType dtype = result_type(detail::strong(x1), detail::strong(x2));
  return fused(
      [](Expr x, Expr middle) {
        const Expr at_zero = expr::select(expr::isnan(x), x, middle);
        return expr::select(x < 0.0, 0.0, expr::select(x > 0.0, 1.0, at_zero));
      },
      wide_float(x1, dtype), wide_float(x2, dtype));
}

Tensor fmod(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&fmod, x1, x2);
  DType dtype = result_type(detail::strong(x1), detail::strong(x2));
  if (is_complex(dtype)) refuse_complex("fmod");
  if (dtype == DType::boolean) dtype = DType::int32;
  return fused_in<Domain::numeric>(
      [](Expr a, Expr b) {
        return expr::sign(a) * expr::mod(expr::absolute(a), expr::absolute(b));
      },
      cast(x1, dtype), cast(x2, dtype));
}

Tensor fmax(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&fmax, x1, x2);
  return fused_in<Domain::numeric>(
      [](Expr a, Expr b) {
        return expr::select(expr::isnan(a), b,
                            expr::select(expr::isnan(b), a, expr::maximum(a, b)));
      },
      x1, x2);
}

Tensor fmin(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&fmin, x1, x2);
  return fused_in<Domain::numeric>(
      [](Expr a, Expr b) {
        return expr::select(expr::isnan(a), b,
                            expr::select(expr::isnan(b), a, expr::minimum(a, b)));
      },
      x1, x2);
}

Tensor ldexp(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&ldexp, x1, x2);
  if (!is_int(x2.dtype()))
    throw ValueError(
        fmt::format("ldexp: the exponents must be integers, found {}.", dtype_name(x2.dtype())));
  const PromotionType types[] = {{x1.dtype()}, {x2.dtype()}};
  const DType dtype = float_result_type(types);
  return fused(
      [](Expr x, Expr n) {
        const Expr kept = expr::maximum(expr::isinf(x), expr::equal(x, 0.0));
        return expr::select(kept, x, x * expr::power(2.0, n));
      },
      cast(x1, dtype), cast(x2, dtype));
}

Tensor logaddexp(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&logaddexp, x1, x2);
  return fused(
      [](Expr a, Expr b) {
        const Expr difference = a - b;
        return expr::select(
            expr::isnan(difference), a + b,
            expr::maximum(a, b) + expr::log1p(expr::exp(-expr::absolute(difference))));
      },
      detail::strong(x1), detail::strong(x2));
}

Tensor logaddexp2(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&logaddexp2, x1, x2);
  return fused(
      [](Expr a, Expr b) {
        const Expr difference = a - b;
        const Expr rest = expr::log1p(expr::exp(expr::absolute(difference) * -0.6931471805599453));
        return expr::select(expr::isnan(difference), a + b,
                            expr::maximum(a, b) + rest * 1.4426950408889634);
      },
      detail::strong(x1), detail::strong(x2));
}

Tensor divide_no_nan(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&divide_no_nan, x1, x2);
  return fused(
      [](Expr a, Expr b) {
        const Expr zero = expr::equal(b, 0.0);
        return expr::select(zero, 0.0, a / expr::select(zero, 1.0, b));
      },
      x1, x2);
}

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

}  // namespace

Tensor nan_to_num(const Tensor& x, const Value& nan, const Value& posinf, const Value& neginf) {
  if (is_symbolic(x)) return symbolic_call(&nan_to_num, x, nan, posinf, neginf);
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
        const Expr bounded = expr::select(expr::isinf(x), expr::select(x > 0.0, high, low), x);
        return expr::select(expr::isnan(x), nan, bounded);
      },
      x, number(nan, 0), number(posinf, limit), number(neginf, -limit));
}

Tensor clip(const Tensor& x, const Tensor& low, const Tensor& high) {
  if (is_symbolic(x, low, high)) return symbolic_call(&clip, x, low, high);
  const PromotionType own =
      x.dtype() == DType::boolean ? PromotionType{DType::int32} : promotion_type(x);
  const DType dtype = result_type(std::array{own, promotion_type(low), promotion_type(high)});
  static const backend::ProgramRef program =
      backend::Program::make(3, [](const std::vector<Expr>& x) {
        return std::vector<Expr>{expr::minimum(expr::maximum(x[0], x[1]), x[2])};
      });
  const Tensor inputs[] = {x, low, high};
  return detail::apply_fused_many(program, inputs, dtype, "clip")[0];
}

void list_numpy_arithmetic(OpCatalog& catalog) {
  catalog.add("numpy.Clip", {"x", "x_min", "x_max"}, &clip);
  catalog.add("numpy.Fabs", {"x"}, &fabs);
  catalog.add("numpy.Cbrt", {"x"}, &cbrt);
  catalog.add("numpy.Exp2", {"x"}, &exp2);
  catalog.add("numpy.Deg2rad", {"x"}, &deg2rad);
  catalog.add("numpy.Rad2deg", {"x"}, &rad2deg);
  catalog.add("numpy.Sinc", {"x"}, &sinc);
  catalog.add("numpy.I0", {"x"}, &i0);
  catalog.add("numpy.Round", {"x", "decimals=0"}, &round);
  catalog.add("numpy.Hypot", {"x1", "x2"}, &hypot);
  catalog.add("numpy.Heaviside", {"x1", "x2"}, &heaviside);
  catalog.add("numpy.Fmod", {"x1", "x2"}, &fmod);
  catalog.add("numpy.Fmax", {"x1", "x2"}, &fmax);
  catalog.add("numpy.Fmin", {"x1", "x2"}, &fmin);
  catalog.add("numpy.Ldexp", {"x1", "x2"}, &ldexp);
  catalog.add("numpy.Logaddexp", {"x1", "x2"}, &logaddexp);
  catalog.add("numpy.Logaddexp2", {"x1", "x2"}, &logaddexp2);
  catalog.add("numpy.DivideNoNan", {"x1", "x2"}, &divide_no_nan);
  catalog.add("numpy.NanToNum", {"x", "nan=0.0", "posinf=None", "neginf=None"}, &nan_to_num);
}

}  // namespace cornu::ops
