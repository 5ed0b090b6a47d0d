// Elementwise operations: one function for each row of backend/opcodes.inc, and `fused` for
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

template <class F, size_t... I>
std::vector<backend::Expr> expand(F& f, const std::vector<backend::Expr>& x,
                                  std::index_sequence<I...>) {
  return {f(x[I]...)};
}

}  // namespace detail

namespace ops {

/// ops::exp(x), ops::maximum(x, y), ...: NumPy's function of that name on every element. Operands
/// broadcast and are promoted by Keras's rules; integers become floats where the result is a real
/// number. Throws ShapeError when the shapes do not broadcast.
#define CORNU_ROW(name, keras, arity, ...)                                                     \
  inline constexpr detail::Elementwise<arity>::Function& CORNU_NAME(CORNU_NAME_##name, name) = \
      detail::elementwise<backend::Opcode::name>;
// The row `identity` is the function `unchanged`, as Keras's function identity is a matrix. For the
// other rows CORNU_NAME_... is no macro, but one argument.
#define CORNU_NAME_identity , unchanged
#define CORNU_NAME(renamed, name) CORNU_SECOND(renamed, name, )
#define CORNU_SECOND(first, second, ...) second
#include "../../backend/opcodes.inc"
#undef CORNU_SECOND
#undef CORNU_NAME
#undef CORNU_NAME_identity
#undef CORNU_ROW

inline constexpr auto& abs = absolute;
inline constexpr auto& divide = true_divide;

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
