// Elementwise operations: the functions of backend/opcodes.inc that Keras has, and `fused` for
// programs of several.
#pragma once
#include "../dispatch/fused.h"
#include "condition.h"
#include "op.h"

namespace cornu {

namespace detail {

template <int arity>
struct Elementwise;
template <>
struct Elementwise<1> {
  using Function = Tensor(const Tensor&);
};
template <>
struct Elementwise<2> {
  using Function = Tensor(const Tensor&, const Tensor&);
};
template <>
struct Elementwise<3> {
  using Function = Tensor(const Tensor&, const Tensor&, const Tensor&);
};

template <backend::Opcode op>
Tensor elementwise(const Tensor& x);
template <backend::Opcode op>
Tensor elementwise(const Tensor& x, const Tensor& y);
template <backend::Opcode op>
Tensor elementwise(const Tensor& a, const Tensor& b, const Tensor& c);

using Unary = Elementwise<1>::Function;
using Binary = Elementwise<2>::Function;
using Ternary = Elementwise<3>::Function;

/// Rows of the table that Keras has no function for.
inline constexpr Unary& round_even = elementwise<backend::Opcode::round_even>;
inline constexpr Unary& digamma = elementwise<backend::Opcode::digamma>;

template <class F, size_t... I>
std::vector<backend::Expr> expand(F& f, const std::vector<backend::Expr>& x,
                                  std::index_sequence<I...>) {
  return {f(x[I]...)};
}

}  // namespace detail

namespace ops {

// NumPy's function of that name on every element of x, or of x1 and x2. Operands broadcast and are
// promoted by Keras's rules; integers become floats where the result is a real number. Throws
// ShapeError when the shapes do not broadcast.

// keras.ops.numpy

/// -x.
inline constexpr detail::Unary& negative = detail::elementwise<backend::Opcode::negative>;
/// |x|; of complex x the real modulus.
inline constexpr detail::Unary& absolute = detail::elementwise<backend::Opcode::absolute>;
/// -1, 0 or 1 by the sign of x; NaN stays NaN.
inline constexpr detail::Unary& sign = detail::elementwise<backend::Opcode::sign>;
/// x * x; bools count as int32.
inline constexpr detail::Unary& square = detail::elementwise<backend::Opcode::square>;
/// The greatest whole number that is at most x, as a float.
inline constexpr detail::Unary& floor = detail::elementwise<backend::Opcode::floor>;
/// The least whole number that is at least x, as a float.
inline constexpr detail::Unary& ceil = detail::elementwise<backend::Opcode::ceil>;
/// x without its fraction; integers keep their dtype.
inline constexpr detail::Unary& trunc = detail::elementwise<backend::Opcode::trunc>;
/// 1 / x.
inline constexpr detail::Unary& reciprocal = detail::elementwise<backend::Opcode::reciprocal>;
/// The square root of x; NaN where x is negative.
inline constexpr detail::Unary& sqrt = detail::elementwise<backend::Opcode::sqrt>;
/// e to the power of x.
inline constexpr detail::Unary& exp = detail::elementwise<backend::Opcode::exp>;
/// exp(x) - 1, accurate near 0.
inline constexpr detail::Unary& expm1 = detail::elementwise<backend::Opcode::expm1>;
/// The natural logarithm of x; -infinity at 0, NaN where x is negative.
inline constexpr detail::Unary& log = detail::elementwise<backend::Opcode::log>;
/// log(1 + x), accurate near 0.
inline constexpr detail::Unary& log1p = detail::elementwise<backend::Opcode::log1p>;
/// The logarithm of x to the base 2; special values as log.
inline constexpr detail::Unary& log2 = detail::elementwise<backend::Opcode::log2>;
/// The logarithm of x to the base 10; special values as log.
inline constexpr detail::Unary& log10 = detail::elementwise<backend::Opcode::log10>;
/// The sine of x in radians.
inline constexpr detail::Unary& sin = detail::elementwise<backend::Opcode::sin>;
/// The cosine of x in radians.
inline constexpr detail::Unary& cos = detail::elementwise<backend::Opcode::cos>;
/// The tangent of x in radians.
inline constexpr detail::Unary& tan = detail::elementwise<backend::Opcode::tan>;
/// The angle in [-pi/2, pi/2] whose sine is x; NaN outside of [-1, 1].
inline constexpr detail::Unary& arcsin = detail::elementwise<backend::Opcode::arcsin>;
/// The angle in [0, pi] whose cosine is x; NaN outside of [-1, 1].
inline constexpr detail::Unary& arccos = detail::elementwise<backend::Opcode::arccos>;
/// The angle in [-pi/2, pi/2] whose tangent is x.
inline constexpr detail::Unary& arctan = detail::elementwise<backend::Opcode::arctan>;
/// The hyperbolic sine of x.
inline constexpr detail::Unary& sinh = detail::elementwise<backend::Opcode::sinh>;
/// The hyperbolic cosine of x.
inline constexpr detail::Unary& cosh = detail::elementwise<backend::Opcode::cosh>;
/// The hyperbolic tangent of x.
inline constexpr detail::Unary& tanh = detail::elementwise<backend::Opcode::tanh>;
/// The inverse of sinh.
inline constexpr detail::Unary& arcsinh = detail::elementwise<backend::Opcode::arcsinh>;
/// The inverse of cosh that is 0 or more; NaN where x is less than 1.
inline constexpr detail::Unary& arccosh = detail::elementwise<backend::Opcode::arccosh>;
/// The inverse of tanh; infinite at -1 and 1, NaN beyond them.
inline constexpr detail::Unary& arctanh = detail::elementwise<backend::Opcode::arctanh>;
/// Whether x is NaN; bool.
inline Condition isnan(const Tensor& x) { return detail::elementwise<backend::Opcode::isnan>(x); }
/// Whether x is infinite, of either sign; bool.
inline Condition isinf(const Tensor& x) { return detail::elementwise<backend::Opcode::isinf>(x); }
/// Whether x is neither infinite nor NaN; bool.
inline Condition isfinite(const Tensor& x) {
  return detail::elementwise<backend::Opcode::isfinite>(x);
}
/// Whether x is 0; bool.
inline Condition logical_not(const Tensor& x) {
  return detail::elementwise<backend::Opcode::logical_not>(x);
}
/// The bits of x flipped; of bools logical_not. Throws ValueError for floats.
inline constexpr detail::Unary& bitwise_not = detail::elementwise<backend::Opcode::bitwise_not>;
/// x1 + x2.
inline constexpr detail::Binary& add = detail::elementwise<backend::Opcode::add>;
/// x1 - x2.
inline constexpr detail::Binary& subtract = detail::elementwise<backend::Opcode::subtract>;
/// x1 * x2.
inline constexpr detail::Binary& multiply = detail::elementwise<backend::Opcode::multiply>;
/// x1 / x2, a float also of integers.
inline constexpr detail::Binary& true_divide = detail::elementwise<backend::Opcode::true_divide>;
/// x1 / x2 rounded down; 0 where an integer x2 is 0. Two bools count as int32. Its derivative is 0.
inline constexpr detail::Binary& floor_divide = detail::elementwise<backend::Opcode::floor_divide>;
/// The remainder of x1 / x2 with the sign of x2; where x2 is 0, 0 for integers and NaN for floats.
/// Two bools count as int32.
inline constexpr detail::Binary& mod = detail::elementwise<backend::Opcode::mod>;
/// x1 to the power of x2. Integers wrap, and with a negative x2 are rounded toward 0; two bools
/// count as int32.
inline constexpr detail::Binary& power = detail::elementwise<backend::Opcode::power>;
/// The greater of x1 and x2; NaN wins. Where they are equal each gets half of the gradient.
inline constexpr detail::Binary& maximum = detail::elementwise<backend::Opcode::maximum>;
/// The lesser of x1 and x2; NaN wins. Where they are equal each gets half of the gradient.
inline constexpr detail::Binary& minimum = detail::elementwise<backend::Opcode::minimum>;
/// The angle in [-pi, pi] from the x axis to the point (x2, x1).
inline constexpr detail::Binary& arctan2 = detail::elementwise<backend::Opcode::arctan2>;
/// Whether x1 == x2; bool.
inline Condition equal(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::equal>(x1, x2);
}
/// Whether x1 != x2; bool.
inline Condition not_equal(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::not_equal>(x1, x2);
}
/// Whether x1 < x2; bool.
inline Condition less(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::less>(x1, x2);
}
/// Whether x1 <= x2; bool.
inline Condition less_equal(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::less_equal>(x1, x2);
}
/// Whether x1 > x2; bool.
inline Condition greater(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::greater>(x1, x2);
}
/// Whether x1 >= x2; bool.
inline Condition greater_equal(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::greater_equal>(x1, x2);
}
/// Whether neither x1 nor x2 is 0; bool.
inline Condition logical_and(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::logical_and>(x1, x2);
}
/// Whether x1 or x2 is not 0; bool.
inline Condition logical_or(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::logical_or>(x1, x2);
}
/// Whether just one of x1 and x2 is not 0; bool.
inline Condition logical_xor(const Tensor& x1, const Tensor& x2) {
  return detail::elementwise<backend::Opcode::logical_xor>(x1, x2);
}
/// The bits that x1 and x2 both have. Throws ValueError for floats.
inline constexpr detail::Binary& bitwise_and = detail::elementwise<backend::Opcode::bitwise_and>;
/// The bits that x1 or x2 has. Throws ValueError for floats.
inline constexpr detail::Binary& bitwise_or = detail::elementwise<backend::Opcode::bitwise_or>;
/// The bits in which x1 and x2 differ. Throws ValueError for floats.
inline constexpr detail::Binary& bitwise_xor = detail::elementwise<backend::Opcode::bitwise_xor>;
inline constexpr auto& abs = absolute;                ///< absolute by its other name
inline constexpr auto& divide = true_divide;          ///< true_divide by its other name
inline constexpr auto& bitwise_invert = bitwise_not;  ///< bitwise_not by its other name

// keras.ops.math

/// 1 / sqrt(x).
inline constexpr detail::Unary& rsqrt = detail::elementwise<backend::Opcode::rsqrt>;
/// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
inline constexpr detail::Unary& erf = detail::elementwise<backend::Opcode::erf>;
/// The inverse of erf; infinite at -1 and 1.
inline constexpr detail::Unary& erfinv = detail::elementwise<backend::Opcode::erfinv>;

// keras.ops.nn

/// 1 / (1 + exp(-x)).
inline constexpr detail::Unary& sigmoid = detail::elementwise<backend::Opcode::sigmoid>;
/// log(1 + exp(x)).
inline constexpr detail::Unary& softplus = detail::elementwise<backend::Opcode::softplus>;
/// max(x, 0), with derivative 0 at 0; bools count as int32.
inline constexpr detail::Unary& relu = detail::elementwise<backend::Opcode::relu>;

}  // namespace ops

/// One elementwise program, written as a function without captures of expressions:
///   fused([](Expr x, Expr a) { return x * expr::sigmoid(a * x); }, x, alpha)
/// Operands broadcast; the result has their promoted float dtype. It costs one pass over memory,
/// its derivative one more.
template <class F, class... T>
Tensor fused(F, const T&... tensors) {
  static const backend::ProgramRef program =
      backend::Program::make(sizeof...(T), [](const std::vector<backend::Expr>& x) {
        F f;
        return detail::expand(f, x, std::index_sequence_for<T...>());
      });
  const Tensor inputs[] = {Tensor(tensors)...};
  return detail::apply_fused(program, backend::Domain::floating, inputs, "fused");
}

/// The same where the result's dtype follows another rule: `numeric` keeps integers, `boolean`
/// gives a bool. See backend/opcodes.inc.
template <backend::Domain domain, class F, class... T>
Tensor fused_in(F, const T&... tensors) {
  static const backend::ProgramRef program =
      backend::Program::make(sizeof...(T), [](const std::vector<backend::Expr>& x) {
        F f;
        return detail::expand(f, x, std::index_sequence_for<T...>());
      });
  const Tensor inputs[] = {Tensor(tensors)...};
  return detail::apply_fused(program, domain, inputs, "fused");
}

/// The same for a function that returns a std::vector<Expr>; the outputs have dtype `output`.
template <class F, class... T>
Tensors fused_many(DType output, F, const T&... tensors) {
  static const backend::ProgramRef program =
      backend::Program::make(sizeof...(T), [](const std::vector<backend::Expr>& x) {
        return [&]<size_t... I>(std::index_sequence<I...>) { return F{}(x[I]...); }
        (std::index_sequence_for<T...>());
      });
  const Tensor inputs[] = {Tensor(tensors)...};
  return detail::apply_fused_many(program, inputs, output, "fused");
}

using backend::Expr;
namespace expr = backend::expr;

}  // namespace cornu
