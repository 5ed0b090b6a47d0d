// Programs: building, folding, comparing, and the derivative column of the opcode table.
#include <cornu/backend/error.h>
#include <cornu/backend/program.h>

#include <cmath>
#include <set>
#include <thread>

#include "array.h"
#include "catch.h"

namespace program_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

ProgramRef make(int inputs, std::function<Expr(std::vector<Expr>)> f) {
  return Program::make(inputs, [&](std::vector<Expr> x) { return std::vector<Expr>{f(x)}; });
}

/// All outputs of a program at one point, in float64.
std::vector<double> evaluate(const ProgramRef& program, const std::vector<double>& at) {
  std::vector<Array> in, out;
  for (double x : at) in.emplace_back(DType::float64, Shape(), std::vector<double>{x});
  for (size_t k = 0; k < program->outputs().size(); ++k) out.emplace_back(DType::float64, Shape());
  std::vector<Array*> inputs, outputs;
  for (Array& a : in) inputs.push_back(&a);
  for (Array& a : out) outputs.push_back(&a);
  run(Fused{program, DType::float64}, inputs, outputs);
  std::vector<double> results;
  for (Array& a : out) results.push_back(a[0]);
  return results;
}

}  // namespace

TEST_CASE("a program makes equal instructions once and drops dead ones") {
  const ProgramRef program = Program::make(2, [](std::vector<Expr> x) {
    const Expr s = x[0] * x[1];
    expr::exp(s);  // dead
    return std::vector<Expr>{s + x[0] * x[1], s};
  });
  CHECK(program->str() == "v0 = multiply(x0, x1)\nv1 = add(v0, v0)\nreturn v1, v0\n");
  CHECK(program->register_count() == 2);
}

TEST_CASE("constants are stored once, by their bits") {
  const ProgramRef program = make(
      1, [](std::vector<Expr> x) { return (x[0] + 2.0) * 2.0 + 0.0 - expr::maximum(x[0], -0.0); });
  CHECK(program->constants().size() == 3);  // 2, 0 and -0
}

TEST_CASE("operations that change nothing are folded, inexact ones stay") {
  const auto passes = [](std::function<Expr(std::vector<Expr>)> f) {
    return make(1, f)->passes(0) == 0;
  };
  CHECK(passes([](auto x) { return x[0] * 1.0; }));
  CHECK(passes([](auto x) { return 1.0 * x[0]; }));
  CHECK(passes([](auto x) { return x[0] - 0.0; }));
  CHECK(passes([](auto x) { return x[0] + -0.0; }));
  CHECK(passes([](auto x) { return x[0] / 1.0; }));
  CHECK(passes([](auto x) { return -(-x[0]); }));
  CHECK(passes([](auto x) { return expr::power(x[0], 1.0); }));
  CHECK(passes([](auto x) { return expr::identity(x[0]); }));
  CHECK(passes([](auto x) { return expr::select(x[0] > 0.0, x[0], x[0]); }));
  CHECK_FALSE(passes([](auto x) { return x[0] + 0.0; }));
  CHECK_FALSE(passes([](auto x) { return x[0] * 0.0; }));
  CHECK(*make(1, [](auto x) { return expr::power(x[0], 2.0); }) == *program_of(Opcode::square));
}

TEST_CASE("programs compare and hash by what they compute") {
  const auto f = [](double c) { return make(1, [c](auto x) { return expr::exp(x[0] * c); }); };
  CHECK(*f(3) == *f(3));
  CHECK(f(3)->hash() == f(3)->hash());
  CHECK_FALSE(*f(3) == *f(4));
  CHECK_FALSE(*program_of(Opcode::sin) == *program_of(Opcode::cos));
}

TEST_CASE("reads, passes and is_constant_in look at what matters") {
  const ProgramRef program = Program::make(4, [](std::vector<Expr> x) {
    return std::vector<Expr>{expr::floor(x[0]) + x[1], x[3]};
  });
  CHECK(program->reads(0));
  CHECK_FALSE(program->reads(2));
  CHECK(program->reads(3));
  CHECK(program->passes(0) == -1);
  CHECK(program->passes(1) == 3);
  CHECK(program->is_constant_in(0));
  CHECK_FALSE(program->is_constant_in(1));
  CHECK(program->is_constant_in(2));
  CHECK_FALSE(program->is_constant_in(3));
}

TEST_CASE("wrong use of the builder is refused") {
  ProgramBuilder one(1), other(1);
  CHECK_THROWS_AS(one.append(Opcode::add, {one.input(0), other.input(0)}), ValueError);
  CHECK_THROWS_AS(one.append(Opcode::add, {one.input(0)}), ValueError);
  CHECK_THROWS_AS(apply(Opcode::exp, Expr(1.0)), ValueError);
  CHECK_THROWS_AS(program_of(Opcode::exp)->derivative(2), ValueError);
}

TEST_CASE("a derivative reads saved outputs instead of computing them again") {
  const ProgramRef derivative = program_of(Opcode::exp)->derivative(1);
  CHECK(derivative->str() == "v0 = multiply(x2, x1)\nreturn v0\n");
  CHECK(derivative->inputs() == 3);
  CHECK(program_of(Opcode::exp)->derivative(1) == derivative);
}

TEST_CASE("a derivative gives zeros for inputs that do not matter") {
  const ProgramRef program = make(2, [](auto x) { return expr::floor(x[0]) * x[1]; });
  const ProgramRef derivative = program->derivative(3);
  CHECK(evaluate(derivative, {1.5, 2, 2, 7}) == std::vector<double>{0, 7});
}

TEST_CASE("derivatives agree with finite differences", "[gradient]") {
  // Points inside each function's domain, away from kinks.
  const std::set<Opcode> above_one = {Opcode::arccosh};
  const std::set<Opcode> inside_one = {Opcode::arcsin, Opcode::arccos, Opcode::arctanh,
                                       Opcode::erfinv};
  const std::set<Opcode> positive = {Opcode::log,  Opcode::log2,  Opcode::log10,  Opcode::log1p,
                                     Opcode::sqrt, Opcode::rsqrt, Opcode::lgamma, Opcode::power};
  for (int i = 0; i < opcode_count; ++i) {
    const Opcode op = static_cast<Opcode>(i);
    const int arity = info(op).arity;
    if (info(op).domain == Domain::integer || info(op).domain == Domain::logical) continue;
    if (op == Opcode::digamma || op == Opcode::tie_share) continue;
    // Steps, with the derivative of a cast.
    if (op == Opcode::round_bfloat16 || op == Opcode::round_float16) continue;
    const ProgramRef& program = program_of(op);
    for (std::vector<double> at :
         {std::vector<double>{0.3, 0.7, -0.4}, {-0.61, -0.2, 0.9}, {0.8, -0.45, 0.1}}) {
      at.resize(static_cast<size_t>(arity));
      if (above_one.count(op)) at[0] = 1.5 + at[0] / 2;
      if (positive.count(op)) at[0] = std::fabs(at[0]) + 0.2;
      INFO(info(op).name << " at " << at[0]);
      const std::vector<double> y = evaluate(program, at);
      std::vector<double> inputs = at;
      inputs.push_back(y[0]);
      inputs.push_back(1.7);  // the incoming gradient
      const std::vector<double> gradients =
          evaluate(program->derivative((1u << arity) - 1), inputs);
      REQUIRE(gradients.size() == at.size());
      for (size_t k = 0; k < at.size(); ++k) {
        std::vector<double> low = at, high = at;
        constexpr double step = 1e-5;
        low[k] -= step;
        high[k] += step;
        const double expected =
            1.7 * (evaluate(program, high)[0] - evaluate(program, low)[0]) / (2 * step);
        if (std::isnan(expected) && std::isnan(gradients[k])) continue;  // outside of the domain
        CHECK(gradients[k] == Approx(expected).epsilon(1e-6).margin(1e-7));
      }
    }
  }
}

TEST_CASE("derivatives of ties and of derivatives") {
  const ProgramRef& maximum = program_of(Opcode::maximum);
  CHECK(evaluate(maximum->derivative(3), {2, 2, 2, 1}) == std::vector<double>{0.5, 0.5});
  CHECK(evaluate(maximum->derivative(3), {3, 2, 3, 1}) == std::vector<double>{1, 0});
  // d/dx of (dy * 3 x^2) at 2 with dy = 1.
  const ProgramRef cube = make(1, [](auto x) { return expr::power(x[0], 3.0); });
  const ProgramRef first = cube->derivative(1);
  CHECK(evaluate(first, {2, 8, 1})[0] == Approx(12));
  CHECK(evaluate(first->derivative(1), {2, 8, 1, 12, 1})[0] == Approx(12));
}

TEST_CASE("many outputs and shared values accumulate their gradients") {
  const ProgramRef program = Program::make(2, [](std::vector<Expr> x) {
    const Expr s = expr::sin(x[0] * x[1]);
    return std::vector<Expr>{s, s * x[0], x[1]};
  });
  const double a = 0.7, b = 1.3, s = std::sin(a * b), c = std::cos(a * b);
  const std::vector<double> got = evaluate(program->derivative(3), {a, b, s, s * a, b, 2, 3, 5});
  CHECK(got[0] == Approx((2 + 3 * a) * c * b + 3 * s));
  CHECK(got[1] == Approx((2 + 3 * a) * c * a + 5));
}

TEST_CASE("derivatives may be asked for from many threads") {
  const ProgramRef program = make(2, [](auto x) { return expr::tanh(x[0]) * x[1]; });
  std::vector<ProgramRef> found(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = program->derivative(1 + i % 3); });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 3; i < found.size(); ++i) CHECK(found[i] == found[i - 3]);
}

}  // namespace program_test
