// Moves of bits, and casts by programs that count numbers.
#include "float8.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "complex.h"

namespace cornu {
namespace {

using backend::Fused;
using backend::Opcode;
using backend::Program;
using backend::ProgramRef;
namespace expr = backend::expr;
using backend::Expr;

// The numbers of a type are (exponent + fraction) in units of its least normal number, and their
// bits without the sign count them: 2^digits numbers for each exponent, and as many below the
// first.
struct Format {
  double least;      // normal number
  double steps;      // 2^digits
  double nan_bits;   // of a NaN, and
  double most_bits;  // of what is too large: infinity, or that NaN
};

constexpr Format format_of(DType dtype) {
  return dtype == DType::float8_e4m3fn ? Format{1.0 / 64, 8, 127, 127}
                                       : Format{1.0 / 16384, 4, 126, 124};
}

// Whose sums all exponents are, counted from the least.
constexpr int exponents[] = {16, 8, 4, 2, 1};

// Programs compute in float32, in which all integers up to 255 are exact; bits are numbers here.
constexpr double sign_bit = 128;

constexpr double power_of_two(int exponent) { return static_cast<double>(int64_t{1} << exponent); }

// A magnitude in units of the least normal number as 2^exponent times a rest, which is below 2, and
// below 1 only with exponent 0. By halving the range: a logarithm would be wrong beside powers of
// two.
struct Split {
  Expr exponent = 0.0, power = 1.0, rest;

  explicit Split(Expr magnitude) : rest(magnitude) {
    for (const int e : exponents) {
      const double factor = power_of_two(e);
      const bool first = e == exponents[0];
      Expr above = rest >= factor;
      exponent = expr::select(
          above, first ? Expr(static_cast<double>(e)) : exponent + static_cast<double>(e),
          exponent);
      power = expr::select(above, first ? Expr(factor) : power * factor, power);
      rest = expr::select(above, rest * (1 / factor), rest);
    }
  }
};

// x rounded to a multiple of its own power of two over 2^digits, of the least normal number's below
// that.
Expr rounded(Expr x, Format format) {
  Expr step = Split(expr::absolute(x) * (1 / format.least)).power * (format.least / format.steps);
  // Division and product by a power of two are exact, so only round_even rounds.
  return expr::round_even(x / step) * step;
}

Expr bits_of(Expr x, Format format) {
  const Split split(expr::absolute(rounded(x, format)) * (1 / format.least));
  // A rest that was rounded up to 2 carries into the exponent by itself.
  Expr bits = expr::minimum((split.exponent + split.rest) * format.steps, format.most_bits);
  bits = expr::select(expr::isnan(x), format.nan_bits, bits);
  Expr negative = expr::maximum(x < 0.0, 1.0 / x < 0.0);  // -0 too
  return bits + expr::select(negative, sign_bit, 0.0);
}

Expr number_of(Expr bits, Format format) {
  Expr negative = bits >= sign_bit;
  Expr magnitude = expr::select(negative, bits - sign_bit, bits);
  Expr exponent = expr::floor(magnitude * (1 / format.steps));
  // The first numbers have the exponent of the next ones, without the 1 in front of the fraction.
  Expr is_normal = exponent >= 1.0;
  Expr fraction = magnitude * (1 / format.steps) - exponent + is_normal;
  Expr left = expr::maximum(exponent - 1.0, 0.0), number = fraction * format.least;
  for (const int e : exponents) {
    Expr above = left >= static_cast<double>(e);
    left = expr::select(above, left - static_cast<double>(e), left);
    number = expr::select(above, number * power_of_two(e), number);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  if (format.most_bits < format.nan_bits)
    number = expr::select(expr::equal(magnitude, format.most_bits), infinity, number);
  number = expr::select(magnitude > std::min(format.most_bits, format.nan_bits - 1),
                        std::numeric_limits<double>::quiet_NaN(), number);
  return expr::select(negative, -number, number);
}

// What is computed for a type, made once.
struct Programs {
  ProgramRef rounding, to_bits, to_number;

  explicit Programs(Format format)
      : rounding(of([=](Expr x) { return rounded(x, format); })),
        to_bits(of([=](Expr x) { return bits_of(x, format); })),
        to_number(of([=](Expr bits) { return number_of(bits, format); })) {}

  template <class F>
  static ProgramRef of(F formula) {
    return Program::make(
        1, [&](const std::vector<Expr>& x) { return std::vector<Expr>{formula(x[0])}; });
  }
};

const Programs& programs_of(DType dtype) {
  static const Programs e4m3fn(format_of(DType::float8_e4m3fn)),
      e5m2(format_of(DType::float8_e5m2));
  return dtype == DType::float8_e4m3fn ? e4m3fn : e5m2;
}

Tensor labeled(const Tensor& x, DType dtype) { return apply_view(x, {x.shape(), dtype}); }

// x may be spread over the result's shape.
Tensor encoded(const Tensor& x, const TensorSpec& to) {
  const Fused encode{programs_of(to.dtype).to_bits, DType::float32};
  return labeled(apply(encode, {x}, TensorSpec{to.shape, DType::uint8}), to.dtype);
}

Tensor decoded(const Tensor& x, const TensorSpec& to) {
  const Fused decode{programs_of(x.dtype()).to_number, DType::float32};
  return apply(decode, {labeled(x, DType::uint8)}, to);
}

struct OnFloat8 {
  std::span<const Tensor> inputs;
  std::span<const TensorSpec> outputs;

  Tensors operator()(const Fused& k) const {
    const bool casts = inputs.size() == 1 && outputs.size() == 1 &&
                       k.program == backend::program_of(Opcode::identity);
    if (!casts) refuse_float8(program_name(*k.program));
    const Tensor& x = inputs[0];
    const TensorSpec& to = outputs[0];
    // Broadcasts and copies move bits.
    if (x.dtype() == to.dtype)
      return {labeled(apply(k, {labeled(x, DType::uint8)}, {to.shape, DType::uint8}), to.dtype)};
    if (!is_float8(to.dtype)) return {decoded(x, to)};
    // From one 8-bit type to the other by way of float32, which holds both exactly.
    return {encoded(is_float8(x.dtype()) ? decoded(x, {x.shape(), DType::float32}) : x, to)};
  }

  // By the bits, where all that moves is of one type.
  Tensors moved(const backend::Kernel& kernel, size_t indices) const {
    Tensors bits;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i != indices && inputs[i].dtype() != outputs[0].dtype)
        refuse_float8(backend::kernel_name(kernel));
      bits.push_back(i == indices ? inputs[i] : labeled(inputs[i], DType::uint8));
    }
    return {labeled(apply(kernel, bits, {outputs[0].shape, DType::uint8}), outputs[0].dtype)};
  }
  static constexpr size_t no_indices = ~size_t{0};

  Tensors operator()(const backend::Copy& k) const {
    backend::Copy copy = k;
    if (!k.covers) copy.fill = float_to_float8(static_cast<float>(k.fill), outputs[0].dtype);
    return moved(copy, no_indices);
  }
  Tensors operator()(const backend::Gather& k) const { return moved(k, 1); }
  Tensors operator()(const backend::Scatter& k) const {
    if (k.op != backend::ScatterOp::set) refuse_float8("scatter");
    return moved(k, 1);
  }
  template <class Kernel>
  Tensors operator()(const Kernel& k) const {
    refuse_float8(backend::kernel_name(k));
  }

  static std::string program_name(const Program& program) {
    const auto instructions = program.instructions();
    return instructions.size() == 1 ? std::string(backend::info(instructions[0].op).name)
                                    : "an elementwise operation";
  }
};

}  // namespace

void refuse_float8(const std::string& name) {
  throw UnsupportedError(fmt::format(
      "{}: 8-bit floats are only kept, moved and cast. Use ops::cast to float16 or float32.",
      name));
}

ProgramRef float8_rounding(DType dtype) { return programs_of(dtype).rounding; }

Tensors apply_to_float8(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                        std::span<const TensorSpec> outputs) {
  return std::visit(OnFloat8{inputs, outputs}, kernel);
}

}  // namespace cornu
