// Shapes and dtypes of elementwise operations.
#include "elementwise.h"

#include <fmt/core.h>

#include "catalog.h"
#include "core/cast.h"
#include "detail/strong.h"
#include "operators.h"

namespace cornu {

using backend::Domain;
using backend::Opcode;

namespace detail {
namespace {

// Arithmetic that Keras does not do on bools: they count as integers.
constexpr bool counts_bools(Opcode op) {
  return op == Opcode::square || op == Opcode::floor_divide || op == Opcode::mod ||
         op == Opcode::power || op == Opcode::relu;
}

// Functions in which Keras makes tensors of numbers before it promotes: theirs do not give way.
constexpr bool takes_numbers_as_tensors(Opcode op) {
  return op == Opcode::mod || op == Opcode::arctan2;
}

template <Opcode op, class... T>
Tensor run(const T&... operands) {
  static const backend::OpcodeInfo& row = backend::info(op);
  if constexpr (counts_bools(op))
    if (((operands.dtype() == DType::boolean) && ...))
      return run<op>(ops::cast(operands, DType::int32)...);
  if constexpr (takes_numbers_as_tensors(op))
    if ((operands.is_weak() || ...)) return run<op>(detail::strong(operands)...);
  if constexpr (op == Opcode::bitwise_not)
    if (((operands.dtype() == DType::boolean) && ...)) return run<Opcode::logical_not>(operands...);
  // The absolute value of a complex number is real.
  if constexpr (op == Opcode::absolute)
    if ((is_complex(operands.dtype()) || ...)) {
      const Tensor inputs[] = {operands...};
      return apply_fused_many(backend::program_of(op), inputs, real_type(inputs[0].dtype()),
                              row.name)[0];
    }
  if (row.domain == Domain::logical) {
    const Tensor inputs[] = {ops::cast(operands, DType::boolean)...};
    return apply_fused(backend::program_of(op), row.domain, inputs, row.name);
  }
  if (row.domain == Domain::integer && (is_float(operands.dtype()) || ...))
    throw ValueError(fmt::format("{}: takes integers and bools, found floats.", row.name));
  const Tensor inputs[] = {operands...};
  return apply_fused(backend::program_of(op), row.domain, inputs, row.name);
}

}  // namespace

template <Opcode opcode>
Tensor elementwise(const Tensor& x) {
  if (cornu::is_symbolic(x))
    return symbolic_call(static_cast<Elementwise<1>::Function*>(&elementwise<opcode>), x);
  return run<opcode>(x);
}
template <Opcode opcode>
Tensor elementwise(const Tensor& x, const Tensor& y) {
  if (cornu::is_symbolic(x, y))
    return symbolic_call(static_cast<Elementwise<2>::Function*>(&elementwise<opcode>), x, y);
  return run<opcode>(x, y);
}
template <Opcode opcode>
Tensor elementwise(const Tensor& a, const Tensor& b, const Tensor& c) {
  if (cornu::is_symbolic(a, b, c))
    return symbolic_call(static_cast<Elementwise<3>::Function*>(&elementwise<opcode>), a, b, c);
  return run<opcode>(a, b, c);
}

// Every row's function exists, also those that nothing here calls.
#define CORNU_ROW(name, keras, arity, ...) \
  template Elementwise<arity>::Function elementwise<Opcode::name>;
#include "../../backend/opcodes.inc"
#undef CORNU_ROW

}  // namespace detail
}  // namespace cornu

namespace cornu::ops {

void list_elementwise(OpCatalog& catalog) {
  auto list = [&](auto* function, const backend::OpcodeInfo& row) {
    if (!*row.keras) return;
    using F = std::remove_pointer_t<decltype(function)>;
    const bool bits = row.domain == Domain::integer;
    if constexpr (std::is_same_v<F, detail::Elementwise<1>::Function>)
      catalog.add(row.keras, {"x"}, function);
    if constexpr (std::is_same_v<F, detail::Elementwise<2>::Function>)
      catalog.add(row.keras, {bits ? "x" : "x1", bits ? "y" : "x2"}, function);
  };
#define CORNU_ROW(name, keras, arity, ...)                                                     \
  list(static_cast<detail::Elementwise<arity>::Function*>(&detail::elementwise<Opcode::name>), \
       backend::info(Opcode::name));
#include "../../backend/opcodes.inc"
#undef CORNU_ROW
  // Keras's second names.
  catalog.add("numpy.Abs", {"x"}, &absolute);
  catalog.add("numpy.Divide", {"x1", "x2"}, &true_divide);
  catalog.add("numpy.BitwiseInvert", {"x"}, &bitwise_not);
}

}  // namespace cornu::ops
