// Rematerialization: the same gradients, draws and averages, with less memory.
#include <cornu/framework/autodiff/remat.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/random/draws.h>

#include "catch.h"
#include "support/gradient_check.h"

namespace remat_test {

using namespace cornu;
using cornu::test::noise;

namespace {

// A chain of layers with dropout, each of which counts its calls in a variable.
struct Net {
  std::vector<Variable> weights;
  SeedGenerator seed{3};
  Variable calls{Tensor::from({0.0f}, {}), {.name = "calls", .trainable = false}};

  explicit Net(int depth) {
    for (int i = 0; i < depth; ++i)
      weights.emplace_back(noise({64, 64}, i) * 0.2, Variable::Options{.name = "w"});
  }
  Nest block(const Nest& x, size_t i) {
    calls.assign_add(Tensor(1.0));
    return random::dropout(ops::tanh(ops::matmul(x.tensor(), weights[i])), 0.3, seed);
  }
  Tensor operator()(Tensor x, bool rematerialized) {
    for (size_t i = 0; i < weights.size(); ++i) {
      const auto f = [this, i](const Nest& in) { return block(in, i); };
      x = (rematerialized ? remat(f)(x) : f(x)).tensor();
    }
    return ops::sum(ops::square(x));
  }
};

std::vector<double> run(bool rematerialized, bool compiled) {
  Net net(6);
  const auto body = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor loss = net(x, rematerialized);
    const std::vector<Tensor> g = tape.gradient(loss, net.weights);
    for (size_t i = 0; i < g.size(); ++i) net.weights[i].assign_sub(g[i] * 0.01);
    return loss;
  };
  auto step = function(body);
  const Tensor x = noise({32, 64}, 99);
  std::vector<double> losses;
  for (int i = 0; i < 6; ++i) losses.push_back((compiled ? step(x) : body(x)).item());
  losses.push_back(net.calls.value().item());
  return losses;
}

}  // namespace

TEST_CASE("remat changes no result") {
  const auto plain = run(false, false);
  CHECK(plain.back() == 36);
  for (const bool compiled : {false, true}) {
    const auto again = run(true, compiled);
    for (size_t i = 0; i < plain.size(); ++i) CHECK(again[i] == Approx(plain[i]).epsilon(1e-5));
  }
}

TEST_CASE("remat keeps less for the gradient") {
  const auto peak = [](bool rematerialized) {
    const Tensor x = noise({4096, 16}, 1);
    Variable w(noise({16, 16}, 2), {.name = "w"});
    const auto block = [&](const Nest& n) {
      Tensor y = n.tensor();
      for (int i = 0; i < 4; ++i) y = ops::tanh(ops::matmul(y, w));
      return Nest(y);
    };
    const size_t live = memory::stats().live;
    memory::reset_peak();
    GradientTape tape;
    Tensor y = x;
    for (int i = 0; i < 8; ++i) y = (rematerialized ? remat(block)(y) : block(y)).tensor();
    tape.gradient(ops::sum(y), w);
    return memory::stats().peak - live;
  };
  const size_t plain = peak(false), less = peak(true);
  CHECK(less * 2 < plain);
}

TEST_CASE("remat without a tape is the function itself") {
  const auto twice = remat([](const Nest& x) { return Nest(x.tensor() * 2.0); });
  CHECK(twice(Tensor::from({4.0f}, {})).tensor().item() == 8);
}

}  // namespace remat_test
