// Kernels on complex tensors: moves act on pairs, sums on pairs, products and programs on parts.
#include "complex.h"

#include <fmt/core.h>

#include <algorithm>

#include "strided.h"

namespace cornu {

using backend::Copy;
using backend::Fused;
using backend::Opcode;

void refuse_complex(const std::string& name) {
  throw UnsupportedError(
      fmt::format("{}: does not take complex numbers. Use ops::real, ops::imag, ops::abs or "
                  "ops::view_as_real of them.",
                  name));
}

TensorSpec stored_spec(const TensorSpec& spec) {
  if (is_float8(spec.dtype)) return {spec.shape, DType::uint8};
  return is_complex(spec.dtype) ? TensorSpec{concat(spec.shape, {2}), real_type(spec.dtype)} : spec;
}

Tensor bitcast(const Tensor& x, const TensorSpec& spec) {
  // Shares the storage: only what the bytes are taken for changes.
  Tensor result = x.with_shape(spec.shape);
  result.impl()->dtype = spec.dtype;
  return result;
}

Tensor as_pairs(const Tensor& z) { return apply_view(z, stored_spec(z.spec())); }

Tensor from_pairs(const Tensor& x) {
  return apply_view(x, {x.shape().slice(0, x.rank() - 1),
                        x.dtype() == DType::float64 ? DType::complex128 : DType::complex64});
}

namespace {

// Where the parts numbered `which` of numbers of this shape are in pairs.
backend::View part_view(const Shape& shape, int which) {
  backend::View view{which, detail::dense_strides(shape)};
  for (int64_t& stride : view.strides) stride *= 2;
  return view;
}

backend::View dense_view(const Shape& shape) { return {0, detail::dense_strides(shape)}; }

// A view of elements as one of pairs.
backend::View of_pairs(backend::View view) {
  view.offset *= 2;
  for (int64_t& stride : view.strides) stride *= 2;
  view.strides.push_back(1);
  return view;
}

Shape with_pairs(const Shape& shape) { return concat(shape, {2}); }

// Each element twice, along a new last axis.
Tensor doubled(const Tensor& x) {
  backend::View from = dense_view(x.shape());
  // A stride of 0 repeats the element.
  from.strides.push_back(0);
  const Shape shape = with_pairs(x.shape());
  return apply(Copy{{{shape, from, dense_view(shape)}}, shape}, {x}, TensorSpec{shape, x.dtype()});
}

[[noreturn]] void refuse_real(DType dtype) {
  throw UnsupportedError(
      fmt::format("cast: complex numbers do not become {} values, as this operation has it. Use "
                  "ops::real, ops::imag, ops::abs or ops::view_as_real of them.",
                  dtype_name(dtype)));
}

Tensor to_complex(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return apply(Fused{backend::program_of(Opcode::identity), real_type(dtype)}, {x},
               TensorSpec{x.shape(), dtype});
}

}  // namespace

Tensor part_of_complex(const Tensor& z, int which) {
  const Shape& shape = z.shape();
  return apply(Copy{{{shape, part_view(shape, which), dense_view(shape)}}, shape}, {as_pairs(z)},
               TensorSpec{shape, real_type(z.dtype())});
}

Tensor join_complex(const Tensor& re, const Tensor& im) {
  const Shape& shape = re.shape();
  Copy kernel{{{shape, dense_view(shape), part_view(shape, 0)}}, with_pairs(shape), 0, bool(im)};
  Tensors inputs{re};
  if (im) {
    kernel.parts.push_back({shape, dense_view(shape), part_view(shape, 1)});
    inputs.push_back(im);
  }
  return from_pairs(apply(kernel, inputs, TensorSpec{kernel.shape, re.dtype()}));
}

namespace {

struct OnComplex {
  std::span<const Tensor> inputs;
  std::span<const TensorSpec> outputs;

  bool complex(size_t i) const { return is_complex(inputs[i].dtype()); }
  bool all_complex() const {
    return std::all_of(inputs.begin(), inputs.end(),
                       [](const Tensor& t) { return is_complex(t.dtype()); }) &&
           std::all_of(outputs.begin(), outputs.end(),
                       [](const TensorSpec& t) { return is_complex(t.dtype); });
  }

  // A kernel that does the same with both parts runs on pairs.
  Tensor on_pairs(const backend::Kernel& kernel, const Tensors& given) const {
    return apply_view(apply(kernel, given, stored_spec(outputs[0])), outputs[0]);
  }
  Tensors pairs() const {
    Tensors result;
    for (const Tensor& t : inputs) result.push_back(as_pairs(t));
    return result;
  }

  Tensors operator()(const Fused& k) const {
    // Sums and negations treat both parts alike: one pass over the pairs, without taking them
    // apart.
    if (all_complex() && linear(*k.program)) {
      Tensors result;
      InlineVector<TensorSpec, 4> stored;
      for (const TensorSpec& s : outputs) stored.push_back(stored_spec(s));
      const Tensors parts = apply(k, pairs(), stored);
      for (size_t i = 0; i < parts.size(); ++i) result.push_back(apply_view(parts[i], outputs[i]));
      return result;
    }
    std::vector<bool> is_complex_input;
    Tensors parts;
    for (size_t i = 0; i < inputs.size(); ++i) {
      is_complex_input.push_back(complex(i));
      parts.push_back(complex(i) ? part_of_complex(inputs[i], 0) : inputs[i]);
      if (complex(i)) parts.push_back(part_of_complex(inputs[i], 1));
    }
    const PartsProgram made = on_parts(*k.program, is_complex_input);
    InlineVector<TensorSpec, 4> specs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorSpec& s = outputs[i];
      // Only a conversion to bool takes both parts into account.
      if (made.complex[i] && !is_complex(s.dtype) && s.dtype != DType::boolean)
        refuse_real(s.dtype);
      const DType part =
          s.dtype == DType::boolean && made.complex[i] ? k.compute : real_type(s.dtype);
      for (int n = 0; n < (made.complex[i] ? 2 : 1); ++n) specs.push_back({s.shape, part});
    }
    const Tensors results = apply(Fused{made.program, k.compute}, parts, specs);
    Tensors joined;
    size_t next = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor re = results[next++], im = made.complex[i] ? results[next++] : Tensor();
      joined.push_back(is_complex(outputs[i].dtype) ? join_complex(re, im)
                       : im                         ? either(re, im)
                                                    : re);
    }
    return joined;
  }

  // Programs that treat both parts alike.
  static bool linear(const backend::Program& program) {
    return program.constants().empty() &&
           std::all_of(program.instructions().begin(), program.instructions().end(),
                       [](const backend::Instruction& i) {
                         return i.op == Opcode::identity || i.op == Opcode::add ||
                                i.op == Opcode::subtract || i.op == Opcode::negative;
                       });
  }

  static Tensor either(const Tensor& re, const Tensor& im) {
    static const backend::ProgramRef program =
        backend::Program::make(2, [](const std::vector<backend::Expr>& x) {
          return std::vector{backend::expr::maximum(backend::expr::not_equal(x[0], 0.0),
                                                    backend::expr::not_equal(x[1], 0.0))};
        });
    return apply(Fused{program, re.dtype()}, {re, im}, TensorSpec{re.shape(), DType::boolean});
  }

  Tensors operator()(const backend::Reduce& k) const {
    static constexpr const char* names[] = {"sum", "prod", "max", "min", "argmax", "argmin"};
    if (k.op != backend::ReduceOp::sum) refuse_complex(names[static_cast<int>(k.op)]);
    if (!is_complex(outputs[0].dtype)) refuse_real(outputs[0].dtype);
    const TensorSpec spec{k.shape, outputs[0].dtype};
    const bool plain =
        inputs[0].spec() == spec && k.program == backend::program_of(Opcode::identity);
    // A program in front of the sum runs by itself, as its complex form has two outputs.
    const Tensor x = plain ? inputs[0] : apply(Fused{k.program, k.compute}, inputs, spec);
    backend::Reduce sum = k;
    sum.program = backend::program_of(Opcode::identity);
    sum.shape = with_pairs(k.shape);
    return {on_pairs(sum, {as_pairs(x)})};
  }

  // (a + ib)(c + id) = ac - bd + i(ad + bc), for matrices.
  Tensors operator()(const backend::Matmul& k) const {
    if (k.relu) refuse_complex("relu");
    const TensorSpec spec{outputs[0].shape, real_type(outputs[0].dtype)};
    const backend::Matmul product{k.transpose_a, k.transpose_b};
    const auto part = [&](size_t i, int which) {
      if (complex(i)) return part_of_complex(inputs[i], which);
      return which == 0 ? inputs[i] : Tensor();
    };
    const auto times = [&](const Tensor& a, const Tensor& b) {
      return a && b ? apply(product, {a, b}, spec) : Tensor();
    };
    const auto combined = [&](const Tensor& a, const Tensor& b, Opcode op) {
      return b ? apply(Fused{backend::program_of(op), spec.dtype}, {a, b}, spec) : a;
    };
    // Four products rather than Gauss's three, which cancel digits where parts differ in size.
    const Tensor a = part(0, 0), b = part(0, 1), c = part(1, 0), d = part(1, 1);
    const Tensor re = combined(times(a, c), times(b, d), Opcode::subtract);
    const Tensor ad = times(a, d), bc = times(b, c);
    const Tensor y = join_complex(re, ad ? combined(ad, bc, Opcode::add) : bc);
    if (!k.bias) return {y};
    return {apply(Fused{backend::program_of(Opcode::add), spec.dtype}, {y, inputs[2]}, outputs[0])};
  }

  Tensors operator()(const Copy& k) const {
    if (!all_complex()) refuse_complex("copy of several dtypes");
    if (!k.covers && k.fill != 0)
      throw UnsupportedError(
          "pad: complex numbers are padded with 0 only. Concatenate with ops::full instead.");
    Copy copy{{}, with_pairs(k.shape), 0, k.covers};
    for (const Copy::Part& part : k.parts)
      // Each pair moves as a run of two elements.
      copy.parts.push_back({with_pairs(part.sizes), of_pairs(part.from), of_pairs(part.to)});
    return {on_pairs(copy, pairs())};
  }

  Tensors operator()(const backend::Gather& k) const {
    if (complex(1)) refuse_complex("indexing with complex indices");
    // Along an axis each element needs an index of its own, so both parts get the same one.
    return {on_pairs(k, {as_pairs(inputs[0]), k.along ? doubled(inputs[1]) : inputs[1]})};
  }

  Tensors operator()(const backend::Scatter& k) const {
    if (complex(1)) refuse_complex("indexing with complex indices");
    if (!is_complex(outputs[0].dtype) || k.op == backend::ScatterOp::maximum ||
        k.op == backend::ScatterOp::minimum)
      refuse_complex("scatter of a maximum or minimum");
    const DType dtype = outputs[0].dtype;
    return {on_pairs(
        k, {as_pairs(to_complex(inputs[0], dtype)), k.along ? doubled(inputs[1]) : inputs[1],
            as_pairs(to_complex(inputs[2], dtype))})};
  }

  Tensors operator()(const backend::Cumulative& k) const {
    if (k.product || !all_complex()) refuse_complex(k.product ? "cumprod" : "cumsum");
    return {on_pairs(k, pairs())};
  }

  template <class Kernel>
  Tensors operator()(const Kernel& k) const {
    refuse_complex(backend::kernel_name(k));
  }
};

}  // namespace

Tensors apply_to_complex(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                         std::span<const TensorSpec> outputs) {
  return std::visit(OnComplex{inputs, outputs}, kernel);
}

}  // namespace cornu
