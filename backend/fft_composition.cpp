// Fourier transforms as products with matrices of roots of unity.
#include <algorithm>

#include "composer.h"
#include "fft_plan.h"

namespace cornu::backend {
namespace {

using namespace fourier;

/// Real and imaginary parts; no address: zeros.
struct Pair {
  Value re, im;
  bool real() const { return im.data == nullptr; }
};

/// The products of complex numbers.
const ProgramRef& complex_product() {
  static const ProgramRef program = Program::make(4, [](std::vector<Expr> x) {
    return std::vector<Expr>{x[0] * x[2] - x[1] * x[3], x[0] * x[3] + x[1] * x[2]};
  });
  return program;
}

class FftComposition {
 public:
  explicit FftComposition(Composer& composer) : c_(composer) {}

  /// x (rows, n) to y (rows, bins).
  void run(const Transform& t, int64_t rows, const Pair& x, const Pair& y) {
    switch (t.way) {
      case Way::direct:
        return direct(t, rows, x, y);
      case Way::split:
        return split(t, rows, x, y);
      case Way::chirp:
        return chirp(t, rows, x, y);
    }
  }

 private:
  /// (rows, parts n): the real parts of a row, then its imaginary ones.
  Value packed(int64_t rows, int64_t n, const Pair& x) {
    if (x.real()) return x.re;
    const Shape part({rows, 1, n}), both({rows, 2, n});
    const Value to = c_.make(both);
    c_.run(Copy{{part_of(part, part, {0, 1, 2}, both),
                 part_of(part, part, {0, 1, 2}, both, {}, {0, 1, 0})},
                both},
           {x.re, x.im}, {to});
    return to;
  }
  Pair make(const Shape& shape) { return {c_.make(shape), c_.make(shape)}; }

  void direct(const Transform& t, int64_t rows, const Pair& x, const Pair& y) {
    const Problem& p = t.problem;
    const Value from = packed(rows, p.n, x).as({rows, p.parts() * p.n});
    const Shape to({rows, p.bins});
    c_.run(Matmul{}, {from, c_.constant(t.re)}, {y.re.as(to)});
    c_.run(Matmul{}, {from, c_.constant(t.im)}, {y.im.as(to)});
  }

  /// Puts term k2 of transform k1 in place k1 + a k2. The terms of a transform start at `offset` +
  /// k1 * `stride` in each row.
  void interleave(const Transform& t, int64_t rows, const Value& from, int64_t offset,
                  int64_t stride, const Value& to) {
    const int64_t bins = t.problem.bins, whole = bins / t.a, rest = bins % t.a;
    Copy copy{{}, Shape{rows, bins}};
    const int64_t row = t.a * stride;
    if (whole > 0)
      copy.parts.push_back(
          {Shape{rows, whole, t.a}, {offset, {row, 1, stride}}, {0, {bins, t.a, 1}}});
    if (rest > 0)
      copy.parts.push_back(
          {Shape{rows, rest}, {offset + whole, {row, stride}}, {whole * t.a, {bins, 1}}});
    c_.run(copy, std::vector<Value>(copy.parts.size(), from), {to.as({rows, bins})});
  }

  void split(const Transform& t, int64_t rows, const Pair& x, const Pair& y) {
    const int64_t a = t.a, b = t.b, bins = t.problem.after(a).bins;
    const Value from = packed(rows, t.problem.n, x).as({rows, t.problem.parts() * a, b});
    const Pair first = make({rows, a, b});
    c_.run(Matmul{}, {c_.constant(t.re), from}, {first.re});
    c_.run(Matmul{}, {c_.constant(t.im), from}, {first.im});
    const Value roots_re = c_.constant(t.between_re), roots_im = c_.constant(t.between_im);
    if (t.inner != nullptr) {
      c_.run(Fused{complex_product(), c_.compute}, {first.re, first.im, roots_re, roots_im},
             {first.re, first.im});
      const Pair second = make({rows * a, bins});
      run(*t.inner, rows * a, first, second);
      interleave(t, rows, second.re, 0, bins, y.re);
      interleave(t, rows, second.im, 0, bins, y.im);
      return;
    }
    static const ProgramRef both_parts = Program::make(
        4, [](std::vector<Expr> e) { return std::vector<Expr>{e[0] * e[1] + e[2] * e[3]}; });
    const Shape one({rows, a, 1, b});
    const Value turned = c_.fused(
        both_parts, {first.re.as(one), roots_re, first.im.as(one), roots_im}, {rows, a, 2, b});
    const Value second = c_.product(turned.as({rows * a, 2 * b}), c_.constant(t.second),
                                    {rows * a, 2 * bins}, false, false);
    interleave(t, rows, second, 0, 2 * bins, y.re);
    interleave(t, rows, second, bins, 2 * bins, y.im);
  }

  void chirp(const Transform& t, int64_t rows, const Pair& x, const Pair& y) {
    static const ProgramRef of_real = Program::make(3, [](std::vector<Expr> e) {
      return std::vector<Expr>{e[0] * e[1], e[0] * e[2]};
    });
    const int64_t n = t.problem.n, bins = t.problem.bins, size = t.inner->problem.n;
    const Shape narrow({rows, n}), wide({rows, size}), kept({rows, bins});
    const Value chirp_re = c_.constant(t.re), chirp_im = c_.constant(t.im);
    const Pair swept = make(narrow);
    if (x.real())
      c_.run(Fused{of_real, c_.compute}, {x.re.as(narrow), chirp_re, chirp_im},
             {swept.re, swept.im});
    else
      c_.run(Fused{complex_product(), c_.compute},
             {x.re.as(narrow), x.im.as(narrow), chirp_re, chirp_im}, {swept.re, swept.im});
    const Copy::Part parts[] = {part_of(narrow, narrow, {0, 1}, wide)};
    const Pair padded{c_.arranged(swept.re, parts, wide), c_.arranged(swept.im, parts, wide)};
    const Pair spectrum = make(wide);
    run(*t.inner, rows, padded, spectrum);
    c_.run(Fused{complex_product(), c_.compute},
           {spectrum.re, spectrum.im, c_.constant(t.between_re), c_.constant(t.between_im)},
           {spectrum.re, spectrum.im});
    const Pair convolved = make(kept);
    run(*t.inverse, rows, spectrum, convolved);
    c_.run(Fused{complex_product(), c_.compute},
           {convolved.re, convolved.im, chirp_re.as({bins}), chirp_im.as({bins})},
           {y.re.as(kept), y.im.as(kept)});
  }

  Composer& c_;
};

/// As many as the caches of four threads hold with the scratch memory, in sixteens, so that all
/// addresses are aligned. The sums of products depend on it, so it depends on n alone.
int64_t rows_at_once(int64_t n) {
  constexpr int64_t numbers = 1 << 17;
  return std::max<int64_t>(numbers / n / 16, 1) * 16;
}

void by_rows(const Fft& kernel, int64_t rows, std::span<const Operand> inputs,
             std::span<const Operand> outputs, Composer& composer) {
  const int64_t step = rows_at_once(inputs[0].shape->back());
  for (int64_t begin = 0; begin < rows; begin += step) {
    const auto part = [&](std::span<const Operand> operands) {
      std::vector<Value> values;
      for (const Operand& operand : operands)
        values.push_back(Value(operand)
                             .as({rows, operand.shape->back()})
                             .range(begin, std::min(begin + step, rows)));
      return values;
    };
    composer.run(kernel, part(inputs), part(outputs));
  }
}

}  // namespace

void compose(const Fft& kernel, std::span<const Operand> inputs, std::span<const Operand> outputs,
             Composer& composer) {
  const Problem problem{inputs[0].shape->back(), outputs[0].shape->back(), inputs.size() == 1};
  if (outputs[0].shape->numel() == 0) return;
  const int64_t rows = inputs[0].shape->numel() / problem.n;
  if (composer.on_host() && rows > rows_at_once(problem.n))
    return by_rows(kernel, rows, inputs, outputs, composer);
  const std::shared_ptr<const Transform> found =
      composer.owner([&] { return transform(problem, kernel.inverse, composer.compute); });
  const Pair x{composer.load(inputs[0]), problem.real ? Value() : composer.load(inputs[1])};
  FftComposition(composer).run(*found, rows, x, {Value(outputs[0]), Value(outputs[1])});
}

}  // namespace cornu::backend
