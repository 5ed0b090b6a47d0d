// Shapes and dtypes of elementwise kernels.
#include "fused.h"

#include <fmt/core.h>

#include "../tensor/promotion.h"
#include "strings.h"

namespace cornu::detail {

using backend::Domain;

namespace {

Shape broadcast_all(std::span<const Tensor> inputs, const char* name) {
  Shape shape = inputs[0].shape();
  for (size_t i = 1; i < inputs.size(); ++i) {
    const Shape& other = inputs[i].shape();
    // Scalars and equal shapes are nearly all there is; both skip the general rule.
    if (other.rank() == 0 || other == shape) continue;
    try {
      shape = broadcast(shape, other);
    } catch (const ShapeError&) {
      std::string shapes;
      for (const Tensor& t : inputs) shapes += (shapes.empty() ? "" : " and ") + t.shape().str();
      throw ShapeError(
          fmt::format("{}: the shapes {} do not broadcast: axes, counted from the last, must be "
                      "equal or 1.",
                      name, shapes));
    }
  }
  return shape;
}

DType promote(std::span<const Tensor> inputs, Domain domain) {
  const DType first = inputs[0].dtype();
  bool same = true;
  for (const Tensor& t : inputs) same &= t.dtype() == first;
  // Likewise for dtypes: promotion is looked up only where they differ.
  if (same && (domain != Domain::floating || is_float(first))) return first;
  InlineVector<PromotionType, 6> types;
  for (const Tensor& t : inputs) types.push_back(promotion_type(t));
  return domain == Domain::floating ? float_result_type(types) : result_type(types);
}

}  // namespace

Tensor apply_fused(const backend::ProgramRef& program, Domain domain,
                   std::span<const Tensor> inputs, const char* name) {
  check_strings(program, inputs, name);
  const DType promoted = promote(inputs, domain);
  const bool to_bool = domain == Domain::boolean || domain == Domain::logical;
  return apply(backend::Fused{program, compute_type(promoted)}, inputs,
               TensorSpec{broadcast_all(inputs, name), to_bool ? DType::boolean : promoted});
}

Tensors apply_fused_many(const backend::ProgramRef& program, std::span<const Tensor> inputs,
                         DType output, const char* name) {
  check_strings(program, inputs, name);
  const TensorSpec spec{broadcast_all(inputs, name), output};
  InlineVector<TensorSpec, 4> outputs(program->outputs().size(), spec);
  return apply(backend::Fused{program, compute_type(output)}, inputs, outputs);
}

Tensor convert_dtype(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype && !x.is_weak()) return x;
  if (x.dtype() == DType::string || dtype == DType::string)
    throw ValueError(
        fmt::format("cast: {} values do not become {} values. The layers StringLookup, Hashing and "
                    "TextVectorization make numbers of strings.",
                    dtype_name(x.dtype()), dtype_name(dtype)));
  // The wider of the two types computes, so that neither conversion loses what the other
  // keeps.
  const DType compute = is_float(x.dtype())                             ? compute_type(x.dtype())
                        : is_float(dtype) && x.dtype() != DType::uint64 ? compute_type(dtype)
                                                                        : compute_type(x.dtype());
  return apply(backend::Fused{backend::program_of(backend::Opcode::identity), compute}, {x},
               TensorSpec{x.shape(), dtype});
}

}  // namespace cornu::detail
