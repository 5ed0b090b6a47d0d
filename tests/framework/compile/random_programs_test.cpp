// Random programs of ops, variables and gradients: compiled, they compute what they compute
// eagerly.
#include <cornu/backend/log.h>
#include <cornu/framework/autodiff/remat.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <random>

#include "catch.h"
#include "support/gradient_check.h"

namespace random_programs_test {

using namespace cornu;
using test::noise;

namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

// Keeps values in a range where sums of products stay comparable.
Tensor tame(const Tensor& x) { return ops::tanh(x * 0.7); }

// All values of a program are (4, 6) or (6, 4), or what ops make of them and back.
Tensor wide(const Tensor& x) {
  if (x.shape() == Shape{4, 6}) return x;
  return x.shape() == Shape{6, 4} ? ops::transpose(x) : ops::broadcast_to(x, {4, 6});
}

Tensor one_op(Dice& dice, const std::vector<Tensor>& values) {
  const Tensor a = dice.of(values), b = dice.of(values);
  const Tensor w = wide(a), v = wide(b);
  switch (dice.below(34)) {
    case 0:
      return w + v;
    case 1:
      return w * v;
    case 2:
      return tame(w - 2.0 * v);
    case 3:
      return ops::maximum(w, v);
    case 4:
      return ops::sigmoid(w) * v;
    case 5:
      return ops::where(w > 0.0, w * v, w * 0.5);
    case 6:
      return ops::sum(w, 1, true) * 0.2;
    case 7:
      return ops::mean(w, 0, true);
    case 8:
      return ops::max(w, 1, true) - v;
    case 9:
      return ops::transpose(w);
    case 10:
      return tame(ops::matmul(w, ops::transpose(v))[{Slice(), Slice(0, 1)}]);
    case 11:
      return tame(ops::matmul(ops::transpose(w), v)[{Slice(0, 4)}]);
    case 12:
      return ops::reshape(w, {6, 4});
    case 13:
      return ops::flip(w, static_cast<int>(dice.below(2)));
    case 14:
      return ops::roll(w, dice.below(9) - 4, 1);
    case 15:
      return ops::concatenate({w[{Slice(), Slice(0, 2)}], v[{Slice(), Slice(2, {})}]}, 1);
    case 16:
      return ops::stack({w, v})[dice.below(2)];
    case 17:
      return ops::pad(w[{Slice(1, 3)}], {{1, 1}, {0, 0}}) + v;
    case 18:
      return ops::softmax(w, static_cast<int64_t>(dice.below(2)));
    case 19:
      return ops::cumsum(w, 1) * 0.3;
    case 20:
      return ops::sort(w, 1);
    case 21:
      return ops::take(w, Tensor::from({3, 1, 0, 2}, {4}), 0);
    case 22:
      return ops::relu(w);
    case 23:
      return ops::absolute(w) + 0.1;
    case 24:
      return ops::cast(ops::cast(values.front() * 8.0, DType::int32), w.dtype()) / 8.0 + w;
    case 25:
      return ops::broadcast_to(ops::mean(v), {4, 6}) + w;
    case 26:
      return ops::clip(w, -0.4, 0.6);
    case 27:
      return ops::slice_update(w, Tensor::from({1, 2}, {2}), v[{Slice(0, 2), Slice(0, 3)}]);
    case 28:
      return tame(ops::einsum("ij,kj,kl->il", {w, v, w}));
    case 29:
      return ops::repeat(w[{Slice(), Slice(0, 3)}], 2, 1);
    case 30:
      return ops::tile(v[{Slice(0, 2)}], {2, 1});
    case 31:
      return ops::reshape(ops::moveaxis(ops::reshape(w, {2, 2, 6}), 0, 1), {4, 6});
    case 32:
      return w;
    default:
      return ops::log1p(ops::exp(w)) - v;
  }
}

struct State {
  std::vector<Variable> variables;
};

State new_state() {
  State state;
  for (int i = 0; i < 3; ++i)
    state.variables.push_back(Variable(ops::cast(noise({4, 6}, -1, 1, 50 + i), DType::float32),
                                       {.name = "v" + std::to_string(i)}));
  return state;
}

// The results of the program of a seed, which also assigns to the variables.
Nest program(uint64_t seed, State& state, const std::vector<Tensor>& inputs, int depth = 0) {
  Dice dice(seed);
  std::vector<Tensor> values = inputs;
  std::vector<Tensor> results;
  const auto steps = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i) values.push_back(one_op(dice, values));
  };
  const auto assign = [&] {
    Variable& v = state.variables[static_cast<size_t>(dice.below(3))];
    switch (dice.below(4)) {
      case 0:
        v.assign(wide(values.back()));
        break;
      case 1:
        v.assign_add(wide(dice.of(values)) * 0.1);
        break;
      case 2:
        v.assign(state.variables[static_cast<size_t>(dice.below(3))].value());
        break;
      default:
        v.assign(tame(v * 0.9 + wide(values.back())));
        break;
    }
  };
  for (const Variable& v : state.variables)
    if (dice.below(2) == 0) values.push_back(v.value());
  for (int64_t round = 0; round < 3; ++round) {
    steps(1 + dice.below(6));
    switch (dice.below(8)) {
      case 0:
      case 1:
      case 2:
        assign();
        if (dice.below(2) == 0) values.push_back(state.variables[0].value());
        break;
      case 3:
      case 4: {
        GradientTape tape;
        const Tensor x = dice.of(inputs);
        tape.watch(x);
        std::vector<Tensor> inner = {wide(x), wide(values.back())};
        for (int64_t i = 0; i < 4; ++i) inner.push_back(one_op(dice, inner));
        const Tensor g = tape.gradient(ops::mean(inner.back()) * 3.0, x);
        if (g) values.push_back(g);
        break;
      }
      case 5:
        if (depth == 0) {
          Function nested([&, s = dice.below(1000)](const Nest& x) {
            return program(static_cast<uint64_t>(s), state, x.flatten(), 1);
          });
          for (const Tensor& y : nested(Nest(inputs)).flatten()) values.push_back(y);
        }
        break;
      case 6: {
        const Tensor w = wide(values.back()), v = wide(values.front());
        values.push_back(ops::cond(
                             ops::mean(inputs.front()) > 0.0, [&] { return Nest(tame(w + v)); },
                             [&] { return Nest(w * v); })
                             .tensor());
        break;
      }
      default: {
        const auto body = [&](const Nest& carry, const Nest& x) {
          const Tensor next = tame(carry.tensor() + x.tensor());
          return ops::Scanned{next, next * 2.0};
        };
        const Tensor w = wide(values.back());
        values.push_back(wide(ops::scan(body, ops::zeros({6}), w).ys.tensor()));
      }
    }
  }
  // Some of what there is: perhaps an input as it is, a variable, or one value twice.
  for (int64_t count = 1 + dice.below(4); count > 0; --count) results.push_back(dice.of(values));
  if (dice.below(3) == 0) results.push_back(results.front());
  if (dice.below(3) == 0) results.push_back(state.variables[1].value());
  results.push_back(ops::sum(values.back()));
  return Nest(results);
}

std::vector<Tensor> inputs_of(int call) {
  return {ops::cast(noise({4, 6}, -1, 1, 2 * call + 1), DType::float32),
          ops::cast(noise({4, 6}, -1, 1, 2 * call + 2), DType::float32)};
}

std::string difference(const Tensor& got, const Tensor& want) {
  if (got.spec().str() != want.spec().str()) return got.spec().str() + " for " + want.spec().str();
  const auto a = got.to_vector<double>(), b = want.to_vector<double>();
  for (size_t k = 0; k < a.size(); ++k)
    if (!(std::abs(a[k] - b[k]) <= 2e-4 * (1 + std::abs(b[k]))) &&
        !(std::isnan(a[k]) && std::isnan(b[k])))
      return "element " + std::to_string(k) + " is " + std::to_string(a[k]) + " for " +
             std::to_string(b[k]);
  return "";
}

}  // namespace

TEST_CASE("random programs compute the same compiled as eagerly, call after call") {
  show_warnings(false);
  int replayed = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("program " << seed);
    State eager = new_state(), compiled = new_state();
    Function f([&](const Nest& x) { return program(seed, compiled, x.flatten()); });
    std::vector<std::vector<Tensor>> wanted, given;
    std::string problem;
    for (int call = 0; call < 6 && problem.empty(); ++call) {
      // The same tensor may come in twice, and again in another call.
      std::vector<Tensor> inputs = inputs_of(call == 4 ? 3 : call);
      if (call == 5) inputs[1] = inputs[0];
      wanted.push_back(program(seed, eager, inputs).flatten());
      given.push_back(f(Nest(inputs)).flatten());
      // Results of earlier calls must be what they were.
      for (size_t c = 0; c < given.size() && problem.empty(); ++c) {
        if (given[c].size() != wanted[c].size()) problem = "another number of results";
        for (size_t i = 0; i < given[c].size() && problem.empty(); ++i)
          if (const std::string d = difference(given[c][i], wanted[c][i]); !d.empty())
            problem = "call " + std::to_string(call) + ", result " + std::to_string(i) +
                      " of call " + std::to_string(c) + ": " + d;
      }
      for (size_t i = 0; i < 3 && problem.empty(); ++i)
        if (const std::string d =
                difference(compiled.variables[i].value(), eager.variables[i].value());
            !d.empty())
          problem = "call " + std::to_string(call) + ", variable " + std::to_string(i) + ": " + d;
    }
    CHECK(problem == "");
    replayed += f.report().replays > 0;
  }
  show_warnings(true);
  CHECK(replayed > 380);
}

TEST_CASE("random programs have the same gradients compiled, eagerly and rematerialized") {
  show_warnings(false);
  for (uint64_t seed = 1000; seed < 1200; ++seed) {
    INFO("program " << seed);
    const auto loss = [seed](const std::vector<Tensor>& x) {
      Dice dice(seed);
      std::vector<Tensor> values = x;
      for (int i = 0; i < 12; ++i) values.push_back(one_op(dice, values));
      return ops::mean(wide(values.back()) * wide(values[5])) + ops::sum(wide(values[9])) * 0.1;
    };
    const auto gradients = [&](const std::vector<Tensor>& x) {
      GradientTape tape;
      for (const Tensor& t : x) tape.watch(t);
      std::vector<Tensor> g = tape.gradient(loss(x), x);
      for (size_t i = 0; i < x.size(); ++i)
        if (!g[i]) g[i] = ops::zeros_like(x[i]);
      return g;
    };
    const auto again = [&](const std::vector<Tensor>& x) {
      GradientTape tape;
      for (const Tensor& t : x) tape.watch(t);
      const Tensor y = remat([&](const Nest& n) { return Nest(loss(n.flatten())); })(Nest(x));
      std::vector<Tensor> g = tape.gradient(y, x);
      for (size_t i = 0; i < x.size(); ++i)
        if (!g[i]) g[i] = ops::zeros_like(x[i]);
      return g;
    };
    Function f([&](const Nest& x) { return Nest(gradients(x.flatten())); });
    std::string problem;
    for (int call = 0; call < 4 && problem.empty(); ++call) {
      const std::vector<Tensor> x = inputs_of(call), want = gradients(x), twice = again(x),
                                got = f(Nest(x)).flatten();
      for (size_t i = 0; i < x.size() && problem.empty(); ++i) {
        problem = difference(got[i], want[i]);
        if (problem.empty()) problem = difference(twice[i], want[i]);
      }
    }
    CHECK(problem == "");
  }
  show_warnings(true);
}

}  // namespace random_programs_test
