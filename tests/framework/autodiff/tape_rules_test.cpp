// What GradientTape promises beyond the derivatives of ops: who is watched, what is asked for
// twice, what does not depend, what nests, and what the arguments of a sweep must be.
#include <cornu/framework/autodiff/remat.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>

#include <thread>

#include "catch.h"
#include "support/gradient_check.h"

namespace tape_rules_test {

using namespace cornu;
using test::noise;
using List = std::vector<Tensor>;
using Doubles = std::vector<double>;

namespace {

Tensor number(double v) { return Tensor::from({v}, {}); }
Doubles of(const Tensor& t) { return t.to_vector<double>(); }

}  // namespace

TEST_CASE("only what is watched, and what comes of it, has a gradient") {
  const Tensor x = number(3), y = number(5);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor z = x * y, alone = y * y;
  CHECK(tape.gradient(z, x).item() == 5);
  CHECK_FALSE(tape.gradient(z, y));
  CHECK_FALSE(tape.gradient(alone, x));
  // Of what was computed on the way, too.
  const Tensor w = z * z;
  CHECK(tape.gradient(w, z).item() == 30);
  // A target is its own source.
  CHECK(tape.gradient(w, w).item() == 1);
  CHECK_FALSE(tape.gradient(ops::cast(z, DType::int32), x));
  CHECK_FALSE(tape.gradient(z > 2.0, x));
  CHECK_FALSE(tape.gradient(ops::argmax(ops::stack({x, z})), x));
}

TEST_CASE("watching begins where it is asked for") {
  const Tensor x = number(3);
  GradientTape tape({.persistent = true});
  const Tensor before = x * 2.0;
  tape.watch(x);
  const Tensor after = x * 4.0;
  CHECK_FALSE(tape.gradient(before, x));
  CHECK(tape.gradient(after, x).item() == 4);
  tape.stop();
  const Tensor late = after * after;
  CHECK_FALSE(tape.gradient(late, x));
  CHECK(tape.gradient(after, x).item() == 4);
}

TEST_CASE("one source may be asked for twice, and several targets at once") {
  const Tensor x = Tensor::from({1.0, 2.0}, {2});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor square = x * x, sum = ops::sum(x);
  const List twice = tape.gradient(square, List{x, x});
  CHECK(of(twice[0]) == Doubles{2, 4});
  CHECK(of(twice[1]) == Doubles{2, 4});
  CHECK(of(tape.gradient({square, sum}, {x}, {Tensor(), Tensor()})[0]) == Doubles{3, 5});
  CHECK(of(tape.gradient({square, sum}, {x}, {x, number(10)})[0]) == Doubles{12, 18});
  CHECK(of(tape.gradient({square, square}, {x}, {Tensor(), Tensor()})[0]) == Doubles{4, 8});
  CHECK(of(tape.gradient(square, List{x}, Tensor::from({0.0, -1.0}, {2}))[0]) == Doubles{0, -4});
}

TEST_CASE("the arguments of a sweep are checked before it") {
  const Tensor x = Tensor::from({1.0, 2.0}, {2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * x;
  CHECK_THROWS_WITH(tape.gradient(y, List{x}, number(1)),
                    "GradientTape::gradient: expected a gradient of shape (2,) as target 0 has, "
                    "found ().");
  CHECK_THROWS_AS(tape.gradient(y, List{x}, Tensor::from({1.0, 1.0, 1.0}, {3})), ShapeError);
  CHECK_THROWS_AS(tape.gradient({y, y}, {x}, {Tensor()}), ValueError);
  CHECK_THROWS_AS(tape.gradient({Tensor()}, {x}, {Tensor()}), ValueError);
  CHECK_THROWS_AS(tape.gradient(y, List{x, Tensor()}), ValueError);
  CHECK_THROWS_AS(tape.gradient(y, Tensor()), ValueError);
  // None of these was the one sweep of the tape.
  CHECK(of(tape.gradient(y, x)) == Doubles{2, 4});
}

TEST_CASE("a variable's readings before and after an assignment are one source") {
  Variable w(number(2), {.name = "w"});
  GradientTape tape({.persistent = true});
  const Tensor before = w * 3.0;
  w.assign(w * 10.0);
  const Tensor after = w * w;
  CHECK(w.value().item() == 20);
  CHECK(tape.gradient(before, w).item() == 3);
  CHECK(tape.gradient(after, w).item() == 40);
  CHECK(tape.gradient(before + after, w).item() == 43);
  w.assign_sub(number(5));
  CHECK(tape.gradient(after, w).item() == 40);
}

TEST_CASE("variables are watched as they are read only where that is wished") {
  Variable w(number(2), {.name = "w"});
  GradientTape tape({.persistent = true, .watch_accessed_variables = false});
  const Tensor unseen = w * 3.0;
  CHECK_FALSE(tape.gradient(unseen, w));
  tape.watch(w);
  CHECK(tape.gradient(w * 3.0, w).item() == 3);
  Variable frozen(number(2), {.name = "frozen", .trainable = false});
  GradientTape other({.persistent = true});
  CHECK_FALSE(other.gradient(frozen * 3.0, frozen));
  other.watch(frozen);
  CHECK(other.gradient(frozen * 3.0, frozen).item() == 3);
}

TEST_CASE("tapes nest three deep, in any order of their ends") {
  const Tensor x = number(0.5);
  GradientTape third;
  third.watch(x);
  Tensor second_derivative;
  {
    GradientTape second;
    second.watch(x);
    Tensor derivative;
    {
      GradientTape first;
      first.watch(x);
      derivative = first.gradient(ops::sin(x) * x, x);
    }
    second_derivative = second.gradient(derivative, x);
  }
  const double s = std::sin(0.5), c = std::cos(0.5);
  CHECK(second_derivative.item() == Approx(2 * c - 0.5 * s));
  CHECK(third.gradient(second_derivative, x).item() == Approx(-3 * s - 0.5 * c));

  auto outer = std::make_unique<GradientTape>(GradientTape::Options{.persistent = true});
  GradientTape inner({.persistent = true});
  outer->watch(x);
  inner.watch(x);
  const Tensor y = x * x;
  outer->stop();
  const Tensor z = y * x;  // the inner tape's alone
  CHECK(outer->gradient(y, x).item() == 1);
  CHECK_FALSE(outer->gradient(z, x));
  outer.reset();
  CHECK(inner.gradient(z, x).item() == 0.75);
}

TEST_CASE("a persistent tape that is open records its own sweep") {
  const Tensor x = number(2);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor first = tape.gradient(x * x * x, x), second = tape.gradient(first, x);
  CHECK(first.item() == 12);
  CHECK(second.item() == 12);
  CHECK(tape.gradient(second, x).item() == 6);
}

TEST_CASE("a custom gradient is used at each of its outputs and inputs") {
  const Tensor a = number(2), b = number(5);
  GradientTape tape({.persistent = true});
  tape.watch(a);
  tape.watch(b);
  const List in = {a, b};
  const Tensors y = custom_gradient(in, [](std::span<const Tensor> x) -> WithGradient {
    return {{x[0] * x[1], x[0] + x[1]}, [](std::span<const Tensor> dy) -> Tensors {
              return {dy[0] ? dy[0] * 100.0 : Tensor(), dy[1] ? dy[1] * 7.0 : Tensor()};
            }};
  });
  CHECK(tape.gradient(y[0], a).item() == 100);
  CHECK_FALSE(tape.gradient(y[0], b));
  CHECK(tape.gradient(y[1], b).item() == 7);
  CHECK(tape.gradient(y[0] * 2.0 + y[1] * 3.0, a).item() == 200);
  CHECK(tape.gradient(y[0] * 2.0 + y[1] * 3.0, b).item() == 21);
}

TEST_CASE("a custom gradient may belong to what is left as it is") {
  const Tensor x = number(3);
  // As layers do that turn a gradient's direction.
  const auto reversed = [](const Tensor& x) {
    return custom_gradient(x, [](const Tensor& x) {
      return std::pair(
          x, std::function<Tensor(const Tensor&)>([](const Tensor& dy) { return dy * -1.0; }));
    });
  };
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = reversed(x);
  CHECK(y.item() == 3);
  CHECK(tape.gradient(y, x).item() == -1);
  CHECK(tape.gradient(y * x, x).item() == 0);  // x - x
  CHECK(tape.gradient(reversed(reversed(x)) * 2.0, x).item() == 2);
  // One result in two places has the gradients of both, once each.
  const List in = {x};
  const Tensors both = custom_gradient(in, [](std::span<const Tensor> x) -> WithGradient {
    const Tensor y = x[0] * 2.0;
    return {{y, y, x[0]}, [](std::span<const Tensor> dy) -> Tensors {
              Tensor sum = number(0);
              for (const Tensor& d : dy)
                if (d) sum = sum + d;
              return {sum};
            }};
  });
  CHECK(tape.gradient(both[0] * 5.0, x).item() == 5);
  CHECK(tape.gradient(both[0] * 5.0 + both[1] * 7.0 + both[2] * 11.0, x).item() == 23);
}

TEST_CASE("what a custom gradient gives must fit its inputs") {
  const Tensor x = Tensor::from({1.0, 2.0}, {2});
  const auto giving = [&](const Tensors& gradients) {
    GradientTape tape;
    tape.watch(x);
    const Tensors y = custom_gradient({&x, 1}, [&](std::span<const Tensor> x) -> WithGradient {
      return {{x[0] * 2.0}, [=](std::span<const Tensor>) { return gradients; }};
    });
    return tape.gradient(y[0], x);
  };
  CHECK(of(giving({Tensor::from({5.0, 6.0}, {2})})) == Doubles{5, 6});
  CHECK_FALSE(giving({Tensor()}));
  CHECK_THROWS_WITH(giving({number(1)}),
                    "custom_gradient: expected a gradient of shape (2,) as input 0 has, found ().");
  CHECK_THROWS_AS(giving({x, x}), ValueError);
}

TEST_CASE("a rematerialized function may give back what it was given") {
  const Tensor x = number(3);
  Variable w(number(2), {.name = "w"});
  const auto f = remat([&](const Nest& n) {
    const Tensor x = n.tensor(), y = x * w;
    return Nest{x, y, y, w.value()};
  });
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Nest y = f(x);
  const Tensor loss =
      y[0].tensor() * 2.0 + y[1].tensor() * 3.0 + y[2].tensor() * 5.0 + y[3].tensor() * 7.0;
  CHECK(loss.item() == 6 + 18 + 30 + 14);
  CHECK(tape.gradient(loss, x).item() == 2 + 3 * 2 + 5 * 2);
  CHECK(tape.gradient(loss, w).item() == 3 * 3 + 5 * 3 + 7);
}

TEST_CASE("stopped gradients stay stopped in higher derivatives") {
  const Tensor x = number(3);
  GradientTape outer;
  outer.watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(x);
    first = inner.gradient(x * x * ops::stop_gradient(x), x);  // 2 x stopped(x)
  }
  CHECK(first.item() == 18);
  CHECK(outer.gradient(first, x).item() == 6);
  GradientTape tape;
  tape.watch(x);
  const Tensor stopped = ops::stop_gradient(x);
  CHECK_FALSE(tape.gradient(stopped, x));
}

TEST_CASE("tapes of several threads do not see each other") {
  const Tensor shared = number(2);
  std::vector<double> found(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        GradientTape tape;
        const Tensor mine = number(i);
        if (i % 2 == 0) tape.watch(shared);
        tape.watch(mine);
        const List g = tape.gradient(shared * mine * mine, List{shared, mine});
        found[static_cast<size_t>(i)] = g[1].item() + (i % 2 == 0 ? g[0].item() : 0);
      }
    });
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < 8; ++i) CHECK(found[static_cast<size_t>(i)] == 4 * i + (i % 2 ? 0 : i * i));
}

TEST_CASE("gradients in compiled functions follow the same rules") {
  Variable w(number(2), {.name = "w"});
  auto f = function([&](const Tensor& x) {
    GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y = custom_gradient(x, [](const Tensor& x) {
      return std::pair(
          x, std::function<Tensor(const Tensor&)>([](const Tensor& dy) { return dy * -1.0; }));
    });
    w.assign(w * 2.0);
    const Tensor z = y * w + x;
    const Tensor unused = tape.gradient(x * 2.0, w);
    return Nest{tape.gradient(z, x), tape.gradient(z, w), unused ? unused : number(-1)};
  });
  double value = 2;
  for (int i = 1; i <= 5; ++i) {
    const Nest g = f(number(i));
    value *= 2;
    CHECK(g[0].tensor().item() == 1 - value);
    CHECK(g[1].tensor().item() == i);
    CHECK(g[2].tensor().item() == -1);
  }
  CHECK(f->report().replays == 3);
}

}  // namespace tape_rules_test
