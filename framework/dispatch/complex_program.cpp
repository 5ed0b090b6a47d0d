// Elementwise programs on complex numbers, written out for their real and imaginary parts.
#include <cmath>

#include "complex.h"

namespace cornu {
namespace {

using backend::Expr;
using backend::Instruction;
using backend::Opcode;
using backend::ProgramBuilder;
namespace expr = backend::expr;

/// A value of the program: real, or of two parts.
struct Number {
  Expr re = 0.0;
  Expr im = 0.0;
  bool complex = false;
};

Number complex(Expr re, Expr im) { return {re, im, true}; }

Expr either(Expr a, Expr b) { return expr::maximum(a, b); }
Expr both(Expr a, Expr b) { return expr::minimum(a, b); }

// |z| and log |z|, by the larger part and the ratio of the two: a square could overflow.
struct Modulus {
  Expr larger, ratio;

  explicit Modulus(const Number& z) : larger(0.0), ratio(0.0) {
    const Expr a = expr::absolute(z.re), b = expr::absolute(z.im);
    larger = expr::maximum(a, b);
    const Expr smaller = expr::minimum(a, b);
    // Of equal parts, infinite ones among them, the ratio is 1; of two zeros nothing depends on it.
    const Expr same = expr::equal(a, b);
    ratio = expr::select(same, expr::select(expr::equal(a, 0.0), 0.0, 1.0),
                         smaller / expr::select(expr::equal(larger, 0.0), 1.0, larger));
  }
  Expr value() const { return larger * expr::sqrt(ratio * ratio + 1.0); }
  Expr log() const { return expr::log(larger) + 0.5 * expr::log1p(ratio * ratio); }
};

Expr argument(const Number& z) { return expr::arctan2(z.im, z.re); }

// A real operand has no imaginary part, rather than one of 0: infinity times 0 would be NaN.
Number product(const Number& a, const Number& b) {
  if (!a.complex) return complex(a.re * b.re, a.re * b.im);
  if (!b.complex) return complex(a.re * b.re, a.im * b.re);
  return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

// R. L. Smith, Algorithm 116: complex division (1962), which divides by the larger part first.
Number quotient(const Number& a, const Number& b) {
  if (!b.complex) return complex(a.re / b.re, a.im / b.re);
  const Expr first = expr::absolute(b.re) >= expr::absolute(b.im);
  const Expr larger = expr::select(first, b.re, b.im), smaller = expr::select(first, b.im, b.re);
  const Expr ratio = smaller / expr::select(expr::equal(larger, 0.0), 1.0, larger);
  const Expr below = larger + smaller * ratio;  // its reciprocal may be too small for a float
  const Expr x = expr::select(first, a.re, a.im), y = expr::select(first, a.im, a.re);
  const Expr cross = y - x * ratio;
  return complex((x + y * ratio) / below, expr::select(first, cross, -cross) / below);
}

Number exponential(const Number& z) {
  const Expr size = expr::exp(z.re);
  // A real number's exponential is real, also when it is infinite.
  const Expr endless = both(expr::equal(z.im, 0.0), expr::isinf(size));
  return complex(size * expr::cos(z.im), expr::select(endless, 0.0, size * expr::sin(z.im)));
}

Number logarithm(const Number& z) { return complex(Modulus(z).log(), argument(z)); }

// The root with a real part that is not negative; on the negative axis the sign of the imaginary
// part, of -0 too, tells the side.
Number root(const Number& z) {
  const Expr half = 0.5 * expr::absolute(z.re) + 0.5 * Modulus(z).value();
  const Expr t = expr::sqrt(half), zero = expr::equal(half, 0.0);
  const Expr u = z.im / (2.0 * expr::select(zero, 1.0, t));
  const Expr below = expr::select(expr::equal(z.im, 0.0), expr::reciprocal(z.im), z.im) < 0.0;
  const Expr right = z.re >= 0.0;
  return complex(expr::select(right, t, expr::select(below, -u, u)),
                 expr::select(right, u, expr::select(below, -t, t)));
}

Number hyperbolic_tangent(Expr a, Expr b) {
  const Expr t = expr::tanh(a), u = expr::tan(b);
  const Expr scale = 1.0 / (t * t * u * u + 1.0);
  return complex(t * (u * u + 1.0) * scale, u * (1.0 - t * t) * scale);
}

Number power(const Number& a, const Number& b) {
  const Number y = exponential(product(logarithm(a), b));
  const Expr nothing = both(expr::equal(a.re, 0.0), expr::equal(a.im, 0.0));
  const Expr none = both(expr::equal(b.re, 0.0), expr::equal(b.im, 0.0));
  return complex(expr::select(none, 1.0, expr::select(nothing, 0.0, y.re)),
                 expr::select(either(none, nothing), 0.0, y.im));
}

/// What an operation is on numbers of which at least one is complex.
Number on_complex(Opcode op, const Number& a, const Number& b, const Number& c) {
  switch (op) {
    case Opcode::identity:
      return a;
    case Opcode::negative:
      return complex(-a.re, -a.im);
    case Opcode::add:
      return complex(a.re + b.re, !a.complex ? b.im : !b.complex ? a.im : a.im + b.im);
    case Opcode::subtract:
      return complex(a.re - b.re, !a.complex ? -b.im : !b.complex ? a.im : a.im - b.im);
    case Opcode::multiply:
      return product(a, b);
    case Opcode::fma: {
      const Number ab = a.complex || b.complex ? product(a, b) : Number{a.re * b.re};
      return on_complex(Opcode::add, ab, c, {});
    }
    case Opcode::square:
      // Fewer digits cancel than in a^2 - b^2.
      return complex((a.re - a.im) * (a.re + a.im), 2.0 * a.re * a.im);
    case Opcode::true_divide:
      return quotient(a, b);
    case Opcode::reciprocal:
      return quotient({1.0}, a);
    case Opcode::absolute:
      return {Modulus(a).value()};
    case Opcode::sign: {
      const Expr size = Modulus(a).value();
      const Expr scale = expr::select(expr::equal(size, 0.0), 1.0, size);
      return complex(a.re / scale, a.im / scale);
    }
    case Opcode::exp:
      return exponential(a);
    case Opcode::expm1: {
      // cos(b) - 1 = -2 sin^2(b / 2), which keeps its digits near 0.
      const Expr s = expr::sin(0.5 * a.im);
      return complex(expr::expm1(a.re) * expr::cos(a.im) - 2.0 * s * s, exponential(a).im);
    }
    case Opcode::log:
      return logarithm(a);
    case Opcode::log2:
      return product({1 / std::log(2.0)}, logarithm(a));
    case Opcode::log10:
      return product({1 / std::log(10.0)}, logarithm(a));
    case Opcode::sqrt:
      return root(a);
    case Opcode::rsqrt:
      return quotient({1.0}, root(a));
    case Opcode::power:
      return power(a, b);
    case Opcode::sin:
      return complex(expr::sin(a.re) * expr::cosh(a.im), expr::cos(a.re) * expr::sinh(a.im));
    case Opcode::cos:
      return complex(expr::cos(a.re) * expr::cosh(a.im), -(expr::sin(a.re) * expr::sinh(a.im)));
    case Opcode::sinh:
      return complex(expr::sinh(a.re) * expr::cos(a.im), expr::cosh(a.re) * expr::sin(a.im));
    case Opcode::cosh:
      return complex(expr::cosh(a.re) * expr::cos(a.im), expr::sinh(a.re) * expr::sin(a.im));
    case Opcode::tanh:
      return hyperbolic_tangent(a.re, a.im);
    case Opcode::tan: {
      // tan z = -i tanh(iz).
      const Number t = hyperbolic_tangent(-a.im, a.re);
      return complex(t.im, -t.re);
    }
    case Opcode::equal:
      return {both(expr::equal(a.re, b.re), expr::equal(a.im, b.im))};
    case Opcode::not_equal:
      return {either(expr::not_equal(a.re, b.re), expr::not_equal(a.im, b.im))};
    case Opcode::isnan:
      return {either(expr::isnan(a.re), expr::isnan(a.im))};
    case Opcode::isinf:
      return {either(expr::isinf(a.re), expr::isinf(a.im))};
    case Opcode::isfinite:
      return {both(expr::isfinite(a.re), expr::isfinite(a.im))};
    case Opcode::select:
      if (a.complex) refuse_complex("the condition of select");
      return complex(expr::select(a.re, b.re, c.re), expr::select(a.re, b.im, c.im));
    default:
      refuse_complex(backend::info(op).name);
  }
}

Number on_real(ProgramBuilder& builder, Opcode op, const Number& a, const Number& b,
               const Number& c) {
  switch (backend::info(op).arity) {
    case 1:
      return {builder.append(op, {a.re})};
    case 2:
      return {builder.append(op, {a.re, b.re})};
    default:
      return {builder.append(op, {a.re, b.re, c.re})};
  }
}

}  // namespace

PartsProgram on_parts(const backend::Program& program, const std::vector<bool>& complex_inputs) {
  int count = 0;
  for (const bool c : complex_inputs) count += c ? 2 : 1;
  ProgramBuilder builder(count);
  std::vector<Number> values;
  int next = 0;
  for (const bool c : complex_inputs) {
    const Expr re = builder.input(next++);
    values.push_back(c ? complex(re, builder.input(next++)) : Number{re});
  }
  for (const double c : program.constants()) values.push_back({builder.constant(c)});
  for (const Instruction& i : program.instructions()) {
    const int arity = backend::info(i.op).arity;
    Number operands[3];
    bool any = false;
    for (int k = 0; k < arity; ++k) {
      operands[k] = values[i.operands[k]];
      any |= operands[k].complex;
      if (!operands[k].complex) operands[k].im = builder.constant(0.0);
    }
    values.push_back(any ? on_complex(i.op, operands[0], operands[1], operands[2])
                         : on_real(builder, i.op, operands[0], operands[1], operands[2]));
  }
  PartsProgram result;
  std::vector<Expr> outputs;
  for (const uint16_t output : program.outputs()) {
    const Number& y = values[output];
    outputs.push_back(y.re);
    if (y.complex) outputs.push_back(y.im);
    result.complex.push_back(y.complex);
  }
  result.program = builder.finish(outputs);
  return result;
}

}  // namespace cornu
