// Functions of nested arguments and results: by name, in lists, with nothing in places; bounds of
// the options; functions that call themselves; what reports tell of all that.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/dispatch/variable.h>
#include <cornu/framework/ops/ops.h>

#include <atomic>
#include <thread>

#include "catch.h"
#include "support/all_close.h"
#include "support/gradient_check.h"
#include "support/matchers.h"

namespace function_structures_test {

using namespace cornu;
using cornu::test::contains;
using cornu::test::noise;

namespace {

Tensor numbers(const Shape& shape, int seed) {
  return ops::cast(noise(shape, -1, 1, seed), DType::float32);
}

const Tensor x = numbers({2, 3}, 1);

// The structure and the numbers of two nests.
void check_equal(const Nest& got, const Nest& want) {
  REQUIRE(got.structure() == want.structure());
  const std::vector<Tensor> a = got.flatten(), b = want.flatten();
  for (size_t i = 0; i < a.size(); ++i) {
    INFO("tensor " << i);
    CHECK(static_cast<bool>(a[i]) == static_cast<bool>(b[i]));
    if (a[i] && b[i]) {
      CHECK(a[i].spec().str() == b[i].spec().str());
      CHECK(test::all_close(a[i], b[i], 1e-5, 1e-6));
    }
  }
}

}  // namespace

TEST_CASE("function() makes a Function of what takes a Nest, a TensorFunction of other things") {
  auto by_name = function([](const Nest& n) { return Nest(n["a"].tensor() - n["b"].tensor()); });
  static_assert(std::is_same_v<decltype(by_name), Function>);
  auto by_value = function([](Nest n) -> Nest { return Nest{n, n}; });
  static_assert(std::is_same_v<decltype(by_value), Function>);
  auto of_tensors = function([](const Tensor& a, const Tensor& b) -> Tensor { return a - b; });
  static_assert(!std::is_same_v<decltype(of_tensors), Function>);
  auto of_one = function([](const Tensor& a) -> Nest { return Nest{Nest(a), Nest(a * 2.0)}; });
  static_assert(!std::is_same_v<decltype(of_one), Function>);
  int count = 0;
  auto changing = function([count](const Nest& n) mutable -> Nest {
    ++count;
    return n;
  });
  static_assert(std::is_same_v<decltype(changing), Function>);
  for (int call = 0; call < 4; ++call) {
    const Tensor a = numbers({2}, call), b = numbers({2}, call + 20);
    CHECK(test::all_close(by_name(Nest{{"b", Nest(b)}, {"a", Nest(a)}}).tensor(), a - b));
    CHECK(test::all_close(of_tensors(a, b), a - b));
    CHECK(by_value(a).structure() == "[*, *]");
    CHECK(of_one(a).structure() == "[*, *]");
    CHECK(test::all_close(changing(a).tensor(), a));
  }
  CHECK(by_name.report().replays == 2);
}

TEST_CASE("results have the structures that the body gives them") {
  const std::vector<std::function<Nest(const Nest&)>> bodies = {
      [](const Nest& n) {
        return Nest{{"z", n}, {"a", Nest(n.tensor() * 2.0)}};
      },
      [](const Nest& n) {
        return Nest{Nest(Nest::List{}), n, Nest{Nest(Nest::List{n})}};
      },
      [](const Nest&) { return Nest(Nest::List{}); },
      [](const Nest&) { return Nest::dict({}); },
      [](const Nest&) { return Nest(); },
      [](const Nest& n) {
        return Nest{Nest(Tensor()), Nest(n.tensor() + 1.0)};
      },
      [](const Nest& n) {
        return Nest{{"none", Nest(Tensor())}, {"x", n}};
      },
      [](const Nest& n) {
        return Nest{n, n, n};
      },
      [](const Nest& n) {
        return Nest{Nest(Tensor(2.5)), Nest(Tensor(true)), n};
      }};
  for (size_t i = 0; i < bodies.size(); ++i) {
    INFO("body " << i);
    Function f(bodies[i]);
    for (int call = 0; call < 4; ++call) {
      const Nest given(numbers({2}, call));
      check_equal(f(given), bodies[i](given));
    }
  }
}

TEST_CASE("arguments with nothing in places are signatures of their own") {
  const auto body = [](const Nest& n) {
    Tensor sum(0.0f);
    for (const Tensor& t : n.flatten())
      if (t) sum = sum + ops::sum(t);
    return Nest(sum * 1.0 + ops::zeros({1}));
  };
  Function f(body);
  const std::vector<Nest> all = {Nest{Nest(Tensor()), Nest(x)},
                                 Nest{Nest(x), Nest(Tensor())},
                                 Nest{Nest(x), Nest(x)},
                                 Nest{Nest(Tensor()), Nest(Tensor())},
                                 Nest(Nest::List{}),
                                 Nest{{"a", Nest(x)}, {"b", Nest(Tensor())}},
                                 Nest{{"a", Nest(Tensor())}, {"b", Nest(x)}},
                                 Nest{Nest(Nest::List{Nest(x)}), Nest(Nest::List{})}};
  for (int call = 0; call < 4; ++call)
    for (const Nest& n : all) check_equal(f(n), body(n));
  CHECK(f.report().plans == static_cast<int64_t>(all.size()));
}

TEST_CASE("keys in another order are the same dictionary") {
  Function f([](const Nest& n) { return Nest(n["a"].tensor() - n["b"].tensor()); });
  const Tensor y = numbers({2, 3}, 2);
  for (int call = 0; call < 6; ++call) {
    const Nest n =
        call % 2 ? Nest{{"b", Nest(y)}, {"a", Nest(x)}} : Nest{{"a", Nest(x)}, {"b", Nest(y)}};
    CHECK(test::all_close(f(n).tensor(), x - y));
  }
}

TEST_CASE("options have bounds") {
  for (const int plans : {1, 0, -5}) {
    INFO(plans);
    Function f([](const Nest& n) { return Nest(n.tensor() * 2.0); }, {.max_plans = plans});
    for (int call = 0; call < 4; ++call)
      for (const int64_t size : {2, 3}) {
        const Tensor t = numbers({size}, call);
        CHECK(test::all_close(f(t).tensor(), t * 2.0));
      }
    CHECK(f.report().plans <= 1);
  }
  CHECK_THROWS_WITH(Function(Function::Body()), contains("there is no body"));
  Function f([](const Nest& n) { return Nest(n.tensor() * 2.0); });
  for (const int repetitions : {1, 0, -1}) CHECK(f.profile(x, repetitions).steps.size() == 1);
  Function looks([](const Nest& n) { return Nest(n.tensor() * ops::sum(n.tensor()).item()); });
  CHECK_THROWS_AS(looks.profile(x), StateError);
}

TEST_CASE("a function may call itself, and others that call it") {
  std::function<Nest(const Nest&)> body;
  Function f([&](const Nest& n) { return body(n); });
  int depth = 0;
  body = [&](const Nest& n) -> Nest {
    if (++depth % 4) return f(Nest(n.tensor() * 2.0));
    return Nest(n.tensor() + 1.0);
  };
  const Tensor want = x * 8.0 + 1.0;
  for (int call = 0; call < 5; ++call) {
    depth = 0;
    CHECK(test::all_close(f(x).tensor(), want));
  }
}

TEST_CASE("a function that was moved goes on with its plans") {
  Function f([](const Nest& n) { return Nest(n.tensor() * 2.0); });
  f(x);
  f(x);
  Function g(std::move(f));
  CHECK(test::all_close(g(x).tensor(), x * 2.0));
  CHECK(g.report().replays == 1);
  Function h([](const Nest& n) { return n; });
  h = std::move(g);
  CHECK(test::all_close(h(x).tensor(), x * 2.0));
  CHECK(h.report().calls == 4);
}

TEST_CASE("tensors without values go through the body as they are") {
  int bodies = 0;
  Function f([&](const Nest& n) {
    ++bodies;
    return Nest(ops::sum(n.tensor() * 2.0, -1));
  });
  f(x);
  f(x);
  const Nest abstract = f(Tensor::abstract({5, 3}, DType::float32));
  CHECK(abstract.tensor().shape() == Shape{5});
  CHECK_FALSE(abstract.tensor().is_eager());
  CHECK(bodies == 3);
  CHECK(f.report().plans == 1);
  f(x);
  CHECK(bodies == 3);
}

TEST_CASE("what is assigned in one signature is seen in the others") {
  Variable total(ops::zeros({3}));
  Function f([&](const Nest& n) {
    total.assign(total.value() * 0.5 + ops::sum(n.tensor(), 0));
    return Nest(total.value() * 2.0);
  });
  std::vector<double> want(3);
  for (int call = 0; call < 12; ++call) {
    const Tensor t = numbers({1 + call % 3, 3}, call);
    const auto column_sums = ops::sum(t, 0).to_vector<double>();
    for (size_t i = 0; i < 3; ++i) want[i] = want[i] * 0.5 + column_sums[i];
    const auto got = f(t).tensor().to_vector<double>();
    for (size_t i = 0; i < 3; ++i) CHECK(got[i] == Approx(2 * want[i]).margin(1e-5));
  }
  CHECK(f.report().plans == 3);
}

TEST_CASE("threads call functions of several signatures, with variables that one of them changes") {
  Variable scale(Tensor(2.0f));
  Function reads([&](const Nest& n) {
    const Tensor now = scale.value();  // NOLINT(performance-unnecessary-copy-initialization)
    return Nest(n.tensor() * now - now);
  });
  Function adds([&](const Nest& n) {
    scale.assign_add(n.tensor());
    return Nest();
  });
  // By its plans it reads the variable once in each call, where the body would twice; and a
  // variable of one element is old or new as a whole.
  for (int call = 0; call < 3; ++call)
    for (int64_t rows = 1; rows <= 3; ++rows)
      for (int64_t columns = 1; columns <= 3; ++columns) reads(ops::ones({rows, columns}));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        if (t == 0) {
          adds(Tensor::from({1.0f}, {}));
          continue;
        }
        // Ones times a value, less it, are zero whichever value it is.
        const Tensor y = reads(ops::ones({1 + i % 3, t})).tensor();
        for (const float v : y.to_vector<float>()) wrong += v != 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(scale.value().item() == 62);
}

}  // namespace function_structures_test
