// Divisors by Euclid's algorithm, shifts as products and quotients, and steps of floats by their
// bits.
#include "bits.h"

#include <fmt/core.h>

#include <utility>

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "manipulation.h"

namespace cornu::ops {
namespace {

using backend::Domain;

// A bool beside an integer counts as 0 or 1 of that integer's dtype.
bool is_countable(DType dtype) { return is_int(dtype) || dtype == DType::boolean; }

void require_countable(const Tensor& x1, const Tensor& x2, const char* name) {
  if (!is_countable(x1.dtype()) || !is_countable(x2.dtype()) ||
      (!is_int(x1.dtype()) && !is_int(x2.dtype())))
    throw ValueError(fmt::format("{}: takes integers, found {} and {}.", name,
                                 dtype_name(x1.dtype()), dtype_name(x2.dtype())));
}

// The operands of a shift, bools in the dtype that is common to both.
std::pair<Tensor, Tensor> shift_operands(const Tensor& x, const Tensor& n, const char* name) {
  require_countable(x, n, name);
  const DType dtype = result_type(x, n);
  return {is_int(x.dtype()) ? x : cast(x, dtype), is_int(n.dtype()) ? n : cast(n, dtype)};
}

// Euclid's algorithm in as many steps as the longest run, that of neighboring Fibonacci numbers,
// takes.
template <int steps>
Tensor euclid(const Tensor& a, const Tensor& b) {
  return fused_in<Domain::numeric>(
      [](Expr a, Expr b) {
        a = expr::absolute(a);
        b = expr::absolute(b);
        for (int i = 0; i < steps; ++i) {
          const Expr rest = expr::mod(a, b);  // 0 where b is 0
          a = expr::select(b, b, a);
          b = rest;
        }
        return a;
      },
      a, b);
}

Tensor common_divisor(const Tensor& a, const Tensor& b) {
  switch (size_of(a.dtype())) {
    case 1:
      return euclid<14>(a, b);
    case 2:
      return euclid<25>(a, b);
    case 4:
      return euclid<48>(a, b);
    default:
      return euclid<94>(a, b);
  }
}

}  // namespace

Tensor gcd(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&gcd, x1, x2);
  require_countable(x1, x2, "gcd");
  const DType dtype = result_type(detail::strong(x1), detail::strong(x2));
  return common_divisor(cast(x1, dtype), cast(x2, dtype));
}

Tensor lcm(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&lcm, x1, x2);
  require_countable(x1, x2, "lcm");
  const DType dtype = result_type(detail::strong(x1), detail::strong(x2));
  const Tensor a = cast(x1, dtype), b = cast(x2, dtype);
  // Division by 0 gives 0, which is the answer when both are 0.
  return fused_in<Domain::numeric>(
      [](Expr a, Expr b, Expr divisor) {
        return expr::absolute(a) * expr::floor_divide(expr::absolute(b), divisor);
      },
      a, b, common_divisor(a, b));
}

Tensor left_shift(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&left_shift, x, y);
  const auto [value, places] = shift_operands(x, y, "left_shift");
  return fused_in<Domain::numeric>([](Expr x, Expr n) { return x * expr::power(2.0, n); }, value,
                                   places);
}

Tensor right_shift(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&right_shift, x, y);
  const auto [value, places] = shift_operands(x, y, "right_shift");
  const DType dtype = result_type(value, places);
  const double last = 8.0 * static_cast<double>(size_of(dtype)) - 1;
  // A quotient rounded down repeats the sign. The power of the last place overflows in signed
  // types.
  return fused_in<Domain::numeric>(
      [](Expr x, Expr n, Expr last) {
        const Expr far = expr::greater_equal(n, last);
        const Expr quotient = expr::floor_divide(x, expr::power(2.0, expr::select(far, 0.0, n)));
        const Expr shifted = expr::select(far, expr::select(x < 0.0, -1.0, 0.0), quotient);
        return shifted;
      },
      value, places, Tensor(static_cast<int64_t>(is_unsigned_int(dtype) ? last + 1 : last)));
}

namespace {

// One step of a float's bits, which are ordered as the floats are once the sign is taken off.
template <class Bits>
Bits step(Bits from, Bits to) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Bits size = from & static_cast<Bits>(~sign), target = to & static_cast<Bits>(~sign);
  if (from == to || (size == 0 && target == 0)) return to;
  if (size == 0) return static_cast<Bits>((to & sign) | 1);
  const bool outwards = (from & sign) == (to & sign) && size < target;
  return static_cast<Bits>(from + (outwards ? 1 : -1));
}

template <class T, class Bits>
void step_all(const Tensor& from, const Tensor& to, const Tensor& result, Bits infinity) {
  constexpr Bits low = static_cast<Bits>(~(Bits{1} << (8 * sizeof(Bits) - 1)));
  const auto* a = static_cast<const Bits*>(from.data());
  const auto* b = static_cast<const Bits*>(to.data());
  auto* y = static_cast<Bits*>(result.data());
  for (int64_t i = 0; i < result.size(); ++i)
    y[i] = (a[i] & low) > infinity ? a[i] : (b[i] & low) > infinity ? b[i] : step(a[i], b[i]);
}

}  // namespace

Tensor nextafter(const Tensor& x1, const Tensor& x2) {
  if (is_symbolic(x1, x2)) return symbolic_call(&nextafter, x1, x2);
  const PromotionType types[] = {{x1.dtype()}, {x2.dtype()}};
  const DType dtype = float_result_type(types);
  const Shape shape = broadcast(x1.shape(), x2.shape());
  const Tensor inputs[] = {broadcast_to(cast(x1, dtype), shape),
                           broadcast_to(cast(x2, dtype), shape)};
  const TensorSpec outputs[] = {{shape, dtype}};
  return apply_host(
      [](std::span<const Tensor> in, std::span<const Tensor> out) {
        switch (in[0].dtype()) {
          case DType::float16:
            return step_all<Half, uint16_t>(in[0], in[1], out[0], 0x7C00);
          case DType::bfloat16:
            return step_all<BFloat16, uint16_t>(in[0], in[1], out[0], 0x7F80);
          case DType::float64:
            return step_all<double, uint64_t>(in[0], in[1], out[0], 0x7FF0000000000000);
          default:
            return step_all<float, uint32_t>(in[0], in[1], out[0], 0x7F800000);
        }
      },
      inputs, outputs, "nextafter")[0];
}

void list_numpy_bits(OpCatalog& catalog) {
  catalog.add("numpy.Gcd", {"x1", "x2"}, &gcd);
  catalog.add("numpy.Lcm", {"x1", "x2"}, &lcm);
  catalog.add("numpy.Nextafter", {"x1", "x2"}, &nextafter);
  catalog.add("numpy.BitwiseLeftShift", {"x", "y"}, &left_shift);
  catalog.add("numpy.LeftShift", {"x", "y"}, &left_shift);
  catalog.add("numpy.BitwiseRightShift", {"x", "y"}, &right_shift);
  catalog.add("numpy.RightShift", {"x", "y"}, &right_shift);
}

}  // namespace cornu::ops
