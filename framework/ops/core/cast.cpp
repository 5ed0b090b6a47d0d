// Casts.
#include "cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
#include "../catalog.h"
#include "../numpy/arithmetic.h"
#include "../operators.h"

namespace cornu::ops {

Tensor cast(const Tensor& x, DTypeName name) {
  const DType dtype = name;
  if (is_symbolic(x)) return symbolic_call(&cast, x, dtype);
  return detail::convert_dtype(x, dtype);
}

namespace {
constexpr Tensor (*convert_tensor)(const Tensor&, OptionalDType) = &convert_to_tensor;
}

Tensor convert_to_tensor(const Tensor& x, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(convert_tensor, x, dtype);
  return cast(x, dtype.value_or(x.dtype()));
}

namespace {

// The largest finite number of a float type, and how many digits its numbers have.
struct FloatLimits {
  double largest;
  int digits;
};

FloatLimits float_limits(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {65504, 11};
    case DType::bfloat16:
      return {0x1.FEp127, 8};
    case DType::float32:
      return {0x1.FFFFFEp127, 24};
    default:
      return {std::numeric_limits<double>::max(), 53};
  }
}

// Limits of an integer type or bool; those of uint64 are cut to int64's, which is what a constant
// holds.
std::pair<int64_t, int64_t> integer_limits(DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  const int bits = static_cast<int>(8 * size_of(dtype));
  if (is_unsigned_int(dtype)) return {0, bits == 64 ? INT64_MAX : (int64_t{1} << bits) - 1};
  return {bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1)),
          bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1};
}

// The number of `digits` binary digits that is nearest to x toward zero.
double cut(double x, int digits) {
  int exponent;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, digits)), exponent - digits);
}

}  // namespace

Tensor saturate_cast(const Tensor& x, OptionalDType target) {
  if (is_symbolic(x)) return symbolic_call(&saturate_cast, x, target);
  const DType dtype = target.value_or(DType::float32);
  const DType from = x.dtype();
  if (from == dtype || from == DType::boolean) return cast(x, dtype);
  // False is 0 and True is 1: what lies below counts as 0.
  if (dtype == DType::boolean) return cast(clip(x, Tensor(0), Tensor(1)), dtype);
  if (!is_float(from)) {
    const auto [low, high] = integer_limits(from);
    if (is_float(dtype)) {
      const double limit = float_limits(dtype).largest;
      if (limit > 2e19) return cast(x, dtype);
      return cast(clip(x, Tensor(std::max(static_cast<double>(low), -limit)),
                       Tensor(std::min(static_cast<double>(high), limit))),
                  dtype);
    }
    const auto [least, most] = integer_limits(dtype);
    return cast(clip(x, Tensor(std::max(low, least)), Tensor(std::min(high, most))), dtype);
  }
  const FloatLimits own = float_limits(from);
  double least, most;
  if (is_float(dtype)) {
    most = float_limits(dtype).largest;
    least = -most;
  } else {
    const auto [low, high] = integer_limits(dtype);
    least = static_cast<double>(low);
    // The integers' greatest may not be a float; the one below it is as near as a float
    // comes.
    most = high == INT64_MAX ? 0x1.FFFFFFFFFFFFFp62 : static_cast<double>(high);
  }
  least = std::max(cut(least, own.digits), -own.largest);
  most = std::min(cut(most, own.digits), own.largest);
  return cast(clip(x, Tensor(least), Tensor(most)), dtype);
}

Tensor stop_gradient(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&stop_gradient, x);
  return cornu::stop_gradient(x);
}

Shape shape(const Tensor& x) { return x.shape(); }

DType dtype(const Tensor& x) { return x.dtype(); }

void list_core_cast(OpCatalog& catalog) {
  catalog.add("core.Cast", {"x", "dtype"}, &cast);
  catalog.add("core.ConvertToTensor", {"x", "dtype=None"}, convert_tensor);
  catalog.add("numpy.Array", {"x", "dtype=None"}, convert_tensor);
  catalog.add("numpy.Copy", {"x", "dtype=None"}, convert_tensor);
  catalog.add("core.SaturateCast", {"x", "dtype=None"}, &saturate_cast);
  catalog.add("core.StopGradient", {"variable"}, &stop_gradient);
}

}  // namespace cornu::ops
