// Elementwise operations: the functions of backend/opcodes.inc that Keras has, and `fused` for
// programs of several.
#pragma once
#include "../dispatch/fused.h"
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

// NumPy's function of that name on every element. Operands broadcast and are promoted by Keras's
// rules; integers become floats where the result is a real number. Throws ShapeError when the
// shapes do not broadcast.

// keras.ops.numpy
inline constexpr detail::Unary& negative = detail::elementwise<backend::Opcode::negative>;
inline constexpr detail::Unary& absolute = detail::elementwise<backend::Opcode::absolute>;
inline constexpr detail::Unary& sign = detail::elementwise<backend::Opcode::sign>;
inline constexpr detail::Unary& square = detail::elementwise<backend::Opcode::square>;
inline constexpr detail::Unary& floor = detail::elementwise<backend::Opcode::floor>;
inline constexpr detail::Unary& ceil = detail::elementwise<backend::Opcode::ceil>;
inline constexpr detail::Unary& trunc = detail::elementwise<backend::Opcode::trunc>;
inline constexpr detail::Unary& reciprocal = detail::elementwise<backend::Opcode::reciprocal>;
inline constexpr detail::Unary& sqrt = detail::elementwise<backend::Opcode::sqrt>;
inline constexpr detail::Unary& exp = detail::elementwise<backend::Opcode::exp>;
inline constexpr detail::Unary& expm1 = detail::elementwise<backend::Opcode::expm1>;
inline constexpr detail::Unary& log = detail::elementwise<backend::Opcode::log>;
inline constexpr detail::Unary& log1p = detail::elementwise<backend::Opcode::log1p>;
inline constexpr detail::Unary& log2 = detail::elementwise<backend::Opcode::log2>;
inline constexpr detail::Unary& log10 = detail::elementwise<backend::Opcode::log10>;
inline constexpr detail::Unary& sin = detail::elementwise<backend::Opcode::sin>;
inline constexpr detail::Unary& cos = detail::elementwise<backend::Opcode::cos>;
inline constexpr detail::Unary& tan = detail::elementwise<backend::Opcode::tan>;
inline constexpr detail::Unary& arcsin = detail::elementwise<backend::Opcode::arcsin>;
inline constexpr detail::Unary& arccos = detail::elementwise<backend::Opcode::arccos>;
inline constexpr detail::Unary& arctan = detail::elementwise<backend::Opcode::arctan>;
inline constexpr detail::Unary& sinh = detail::elementwise<backend::Opcode::sinh>;
inline constexpr detail::Unary& cosh = detail::elementwise<backend::Opcode::cosh>;
inline constexpr detail::Unary& tanh = detail::elementwise<backend::Opcode::tanh>;
inline constexpr detail::Unary& arcsinh = detail::elementwise<backend::Opcode::arcsinh>;
inline constexpr detail::Unary& arccosh = detail::elementwise<backend::Opcode::arccosh>;
inline constexpr detail::Unary& arctanh = detail::elementwise<backend::Opcode::arctanh>;
inline constexpr detail::Unary& isnan = detail::elementwise<backend::Opcode::isnan>;
inline constexpr detail::Unary& isinf = detail::elementwise<backend::Opcode::isinf>;
inline constexpr detail::Unary& isfinite = detail::elementwise<backend::Opcode::isfinite>;
inline constexpr detail::Unary& logical_not = detail::elementwise<backend::Opcode::logical_not>;
inline constexpr detail::Unary& bitwise_not = detail::elementwise<backend::Opcode::bitwise_not>;
inline constexpr detail::Binary& add = detail::elementwise<backend::Opcode::add>;
inline constexpr detail::Binary& subtract = detail::elementwise<backend::Opcode::subtract>;
inline constexpr detail::Binary& multiply = detail::elementwise<backend::Opcode::multiply>;
inline constexpr detail::Binary& true_divide = detail::elementwise<backend::Opcode::true_divide>;
inline constexpr detail::Binary& floor_divide = detail::elementwise<backend::Opcode::floor_divide>;
inline constexpr detail::Binary& mod = detail::elementwise<backend::Opcode::mod>;
inline constexpr detail::Binary& power = detail::elementwise<backend::Opcode::power>;
inline constexpr detail::Binary& maximum = detail::elementwise<backend::Opcode::maximum>;
inline constexpr detail::Binary& minimum = detail::elementwise<backend::Opcode::minimum>;
inline constexpr detail::Binary& arctan2 = detail::elementwise<backend::Opcode::arctan2>;
inline constexpr detail::Binary& equal = detail::elementwise<backend::Opcode::equal>;
inline constexpr detail::Binary& not_equal = detail::elementwise<backend::Opcode::not_equal>;
inline constexpr detail::Binary& less = detail::elementwise<backend::Opcode::less>;
inline constexpr detail::Binary& less_equal = detail::elementwise<backend::Opcode::less_equal>;
inline constexpr detail::Binary& greater = detail::elementwise<backend::Opcode::greater>;
inline constexpr detail::Binary& greater_equal =
    detail::elementwise<backend::Opcode::greater_equal>;
inline constexpr detail::Binary& logical_and = detail::elementwise<backend::Opcode::logical_and>;
inline constexpr detail::Binary& logical_or = detail::elementwise<backend::Opcode::logical_or>;
inline constexpr detail::Binary& logical_xor = detail::elementwise<backend::Opcode::logical_xor>;
inline constexpr detail::Binary& bitwise_and = detail::elementwise<backend::Opcode::bitwise_and>;
inline constexpr detail::Binary& bitwise_or = detail::elementwise<backend::Opcode::bitwise_or>;
inline constexpr detail::Binary& bitwise_xor = detail::elementwise<backend::Opcode::bitwise_xor>;
inline constexpr auto& abs = absolute;
inline constexpr auto& divide = true_divide;
inline constexpr auto& bitwise_invert = bitwise_not;

// keras.ops.math
inline constexpr detail::Unary& rsqrt = detail::elementwise<backend::Opcode::rsqrt>;
inline constexpr detail::Unary& erf = detail::elementwise<backend::Opcode::erf>;
inline constexpr detail::Unary& erfinv = detail::elementwise<backend::Opcode::erfinv>;

// keras.ops.nn
inline constexpr detail::Unary& sigmoid = detail::elementwise<backend::Opcode::sigmoid>;
inline constexpr detail::Unary& softplus = detail::elementwise<backend::Opcode::softplus>;
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
