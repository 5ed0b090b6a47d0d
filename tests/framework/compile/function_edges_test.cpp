// Functions at their edges: signatures, aliases, dead results, nesting, errors and threads.
#include <cornu/backend/log.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/random/draws.h>

#include <thread>

#include "catch.h"
#include "support/gradient_check.h"

namespace function_edges_test {

using namespace cornu;
using test::noise;
using Floats = std::vector<float>;

namespace {

Tensor scalar(float v) { return Tensor::from({v}, {}); }
Tensor row(const Floats& v) { return Tensor(v); }
Floats of(const Tensor& t) { return t.to_vector<float>(); }

// Warnings that a test expects are not shown.
struct Quiet {
  Quiet() { show_warnings(false); }
  ~Quiet() { show_warnings(true); }
};

}  // namespace

TEST_CASE("a signature is dtypes, shapes and structure, and a report names what changed") {
  Function f([](const Nest& x) { return Nest(ops::sum(ops::cast(x.flatten()[0], "float32"))); },
             {.name = "f", .argument_names = {"first", "second"}});
  const auto call = [&](const Nest& x) {
    double last = 0;
    for (int i = 0; i < 3; ++i) last = f(x).tensor().item();
    return last;
  };
  CHECK(call(Nest{row({1, 2}), row({3})}) == 3);
  CHECK(call(Nest{row({1, 2, 4}), row({3})}) == 7);
  CHECK(call(Nest{ops::cast(row({1, 2}), "int32"), row({3})}) == 3);
  CHECK(call(Nest{ops::reshape(row({1, 2}), {1, 2}), row({3})}) == 3);
  CHECK(call(Nest{row({1, 5})}) == 6);
  CHECK(call(Nest{{"a", row({1, 2})}, {"b", row({3})}}) == 3);
  CHECK(call(row({9})) == 9);
  CHECK(call(Nest{row({}), row({3})}) == 0);
  const FunctionReport report = f.report();
  CHECK(report.plans == 8);
  CHECK(report.replays == 8);
  REQUIRE(report.causes.size() == 7);
  CHECK(report.causes[0] == "argument 'first' changed from float32 (2,) to float32 (3,)");
  CHECK(report.causes[1].find("int32 (2,)") != std::string::npos);
  CHECK(report.causes[2].find("float32 (1, 2)") != std::string::npos);
  // Each is still there.
  CHECK(call(Nest{row({1, 2}), row({3})}) == 3);
  CHECK(f.report().recordings == report.recordings);
}

TEST_CASE("a number of C++ as an argument is a signature of its own") {
  auto f = function([](const Tensor& x, const Tensor& y) { return x * y; });
  for (int i = 1; i < 5; ++i) {
    CHECK(f(row({1, 2}), Tensor(0.5 * i)).dtype() == DType::float32);
    CHECK(of(f(row({1, 2}), Tensor(0.5 * i))) == Floats{0.5f * i, 1.0f * i});
    CHECK(f(ops::cast(row({1, 2}), "float16"), Tensor(2.0)).dtype() == DType::float16);
    CHECK(f(ops::cast(row({1, 2}), "int32"), Tensor(2)).dtype() == DType::int32);
    CHECK(f(ops::cast(row({1, 2}), "int32"), Tensor(2.5)).dtype() == DType::float32);
  }
}

TEST_CASE("results that are one tensor, an input or a part of one, stay what they were") {
  Function f([](const Nest& n) -> Nest {
    const Tensor x = n[0].tensor(), y = x * 2.0;
    return Nest{y,
                y,
                x,
                ops::reshape(x, {3, 1}),
                x[Slice(1, {})],
                n[1].tensor(),
                ops::reshape(y, {1, 3}),
                ops::broadcast_to(x, {2, 3})};
  });
  std::vector<Nest> results;
  for (int i = 0; i < 6; ++i) {
    const float a = static_cast<float>(i);
    results.push_back(f(Nest{row({a, a + 1, a + 2}), scalar(-a)}));
  }
  for (int i = 0; i < 6; ++i) {
    const Nest& y = results[static_cast<size_t>(i)];
    const float a = static_cast<float>(i);
    CHECK(of(y[0].tensor()) == Floats{2 * a, 2 * a + 2, 2 * a + 4});
    CHECK(of(y[1].tensor()) == of(y[0].tensor()));
    CHECK(of(y[2].tensor()) == Floats{a, a + 1, a + 2});
    CHECK(y[3].tensor().shape() == Shape{3, 1});
    CHECK(of(y[3].tensor()) == of(y[2].tensor()));
    CHECK(of(y[4].tensor()) == Floats{a + 1, a + 2});
    CHECK(y[5].tensor().item() == -a);
    CHECK(of(y[6].tensor()) == of(y[0].tensor()));
    CHECK(of(y[7].tensor()) == Floats{a, a + 1, a + 2, a, a + 1, a + 2});
  }
}

TEST_CASE("a function may be given its own results, and variables' values") {
  Variable v(row({1, 2}), {.name = "v"});
  auto f = function([&](const Tensor& x) {
    v.assign(v + x);
    return x + v;
  });
  Tensor x = row({1, 1});
  Floats expected = {1, 1}, state = {1, 2};
  for (int i = 0; i < 6; ++i) {
    x = i == 4 ? f(v.value()) : f(x);
    for (size_t k = 0; k < 2; ++k) {
      if (i == 4) expected[k] = state[k];
      state[k] += expected[k];
      expected[k] += state[k];
    }
    CHECK(of(x) == expected);
    CHECK(of(v.value()) == state);
  }
}

TEST_CASE("a variable that is assigned several times shows each value where it is read") {
  Variable v(row({1, 1}), {.name = "v"}), w(row({0, 0}), {.name = "w"});
  Function f([&](const Nest& n) -> Nest {
    const Tensor x = n.tensor(), first = v.value();
    v.assign(x);
    const Tensor second = v.value();
    v.assign_add(x * 10.0);
    w.assign(v);
    const Tensor third = v.value();
    v.assign(ops::zeros({2}));
    v.assign(w * 2.0);
    return Nest{first, second, third};
  });
  Floats before = {1, 1};
  for (int i = 1; i < 6; ++i) {
    const float a = static_cast<float>(i);
    const Nest y = f(row({a, 2 * a}));
    CHECK(of(y[0].tensor()) == before);
    CHECK(of(y[1].tensor()) == Floats{a, 2 * a});
    CHECK(of(y[2].tensor()) == Floats{11 * a, 22 * a});
    CHECK(of(w.value()) == Floats{11 * a, 22 * a});
    before = {22 * a, 44 * a};
    CHECK(of(v.value()) == before);
  }
  CHECK(f.report().replays == 3);
}

TEST_CASE("a variable may get what another had before that got a new value") {
  // As optimizers that keep the last weights, and buffers that move on by one.
  Variable a(row({1, 2}), {.name = "a"}), b(row({3, 4}), {.name = "b"}),
      c(row({5, 6}), {.name = "c"});
  Function f([&](const Nest& n) -> Nest {
    c.assign(b);
    b.assign(a);
    a.assign(a * 2.0 + n.tensor());
    return Nest{ops::sum(a * b), a.value()};
  });
  Floats x = {1, 2}, y = {3, 4}, z = {5, 6};
  std::vector<Floats> results;
  std::vector<Tensor> kept;
  for (int i = 0; i < 7; ++i) {
    const Tensor held = b.value();  // what others hold stays what it is
    z = y;
    y = x;
    x = {2 * x[0] + 1, 2 * x[1] + 1};
    const Nest result = f(row({1, 1}));
    CHECK(result[0].tensor().item() == x[0] * y[0] + x[1] * y[1]);
    kept.push_back(result[1].tensor());
    results.push_back(x);
    CHECK(of(held) == z);
    CHECK(of(a.value()) == x);
    CHECK(of(b.value()) == y);
    CHECK(of(c.value()) == z);
    CHECK(a.value().data() != b.value().data());
    for (size_t k = 0; k < kept.size(); ++k) CHECK(of(kept[k]) == results[k]);
  }
  CHECK(f.report().replays == 5);
}

TEST_CASE("updates between what is computed once run in every call") {
  // What depends on w alone is computed once; the update of v reads some of it, and frees that.
  Variable w(ops::cast(noise({4, 6}, -1, 1, 3), DType::float32), {.name = "w"}),
      v(ops::cast(noise({4, 6}, -1, 1, 4), DType::float32), {.name = "v"});
  const auto body = [&](const Tensor& x, const Variable& v) {
    const Tensor rows = ops::sum(w, 1, true) * 0.2;
    v.assign(ops::tanh(v * 0.9 + rows));
    const Tensor rest = ops::sum(ops::flip(ops::broadcast_to(ops::sum(w, 0, true), {4, 6}), 0));
    return Nest{x + rest, v.value()};
  };
  Variable same(v.value().duplicate(), {.name = "same"});
  auto f = function([&](const Tensor& x) { return body(x, v); });
  for (int i = 0; i < 8; ++i) {
    if (i == 5) w.assign(w * 0.5);
    const Tensor x = scalar(static_cast<float>(i));
    const Nest want = body(x, same), got = f(x);
    CHECK(got[0].tensor().item() == Approx(want[0].tensor().item()));
    const Floats a = of(got[1].tensor()), b = of(want[1].tensor()), c = of(v.value());
    for (size_t k = 0; k < a.size(); ++k) {
      CHECK(a[k] == Approx(b[k]).margin(1e-6));
      CHECK(c[k] == a[k]);
    }
  }
  CHECK(f->report().replays == 6);
}

TEST_CASE("a draw that nobody reads moves its seed on all the same") {
  SeedGenerator seed(3), same(3);
  auto f = function([&](const Tensor& x) {
    const Tensor dead = random::uniform({4}, 0, 1, seed);
    return x + random::uniform({2}, 0, 1, seed);
  });
  for (int i = 0; i < 5; ++i) {
    random::uniform({4}, 0, 1, same);
    CHECK(of(f(row({0, 0}))) == of(random::uniform({2}, 0, 1, same)));
  }
}

TEST_CASE("one function inside several others, and by itself, keeps its own count") {
  Variable calls(scalar(0), {.name = "calls", .trainable = false});
  auto inner = function([&](const Tensor& x) {
    calls.assign_add(scalar(1));
    return x * x;
  });
  auto a = function([&](const Tensor& x) { return inner(x) + inner(x + 1.0); });
  auto b = function([&](const Tensor& x) { return inner(a(x)) * 0.5; });
  float expected = 0;
  for (int i = 0; i < 5; ++i) {
    const float x = static_cast<float>(i), both = x * x + (x + 1) * (x + 1);
    CHECK(inner(scalar(x)).item() == x * x);
    CHECK(a(scalar(x)).item() == both);
    CHECK(b(scalar(x)).item() == both * both * 0.5f);
    expected += 1 + 2 + 3;
    CHECK(calls.value().item() == expected);
  }
}

TEST_CASE("an error in a call leaves the plans of other signatures, and the variables") {
  Variable v(row({1, 2}), {.name = "v"});
  auto f = function([&](const Tensor& x) {
    v.assign_add(x);
    return v * 2.0;
  });
  for (int i = 0; i < 4; ++i) f(row({1, 1}));
  CHECK_THROWS_AS(f(row({1, 1, 1})), ShapeError);
  CHECK_THROWS_AS(f(row({1, 1, 1})), ShapeError);
  CHECK(of(v.value()) == Floats{5, 6});
  CHECK(of(f(row({1, 1}))) == Floats{12, 14});
}

TEST_CASE("what was captured is noticed to have changed when it is checked again") {
  const Quiet quiet;
  Tensor captured = row({1, 2});
  auto f = function([&](const Tensor& x) { return x + captured; });
  for (int i = 0; i < 4; ++i) CHECK(of(f(row({1, 1}))) == Floats{2, 3});
  captured = row({10, 20});
  f->recheck();
  for (int i = 0; i < 4; ++i) CHECK(of(f(row({1, 1}))) == Floats{11, 21});
}

TEST_CASE("a switched off function runs its body, and records again when it is on") {
  int runs = 0;
  auto f = function([&](const Tensor& x) {
    ++runs;
    return x + 1.0;
  });
  f->set_enabled(false);
  for (int i = 0; i < 3; ++i) f(scalar(1));
  CHECK(runs == 3);
  CHECK(f->report().plans == 0);
  f->set_enabled(true);
  for (int i = 0; i < 5; ++i) CHECK(f(scalar(2)).item() == 3);
  CHECK(runs == 5);
  f->clear();
  CHECK(f(scalar(2)).item() == 3);
  CHECK(runs == 6);
}

TEST_CASE("tensors without elements go through plans") {
  auto f = function([](const Tensor& x) {
    const Tensor y = ops::concatenate({x * 2.0, x + 1.0}, 1);
    return Nest{y, ops::sum(y, 0), ops::matmul(ops::transpose(y), y), ops::cumsum(y, 0),
                ops::sort(y, 0)};
  });
  for (int i = 0; i < 4; ++i) {
    const Nest y = f(ops::zeros({0, 3}));
    CHECK(y[0].tensor().shape() == Shape{0, 6});
    CHECK(of(y[1].tensor()) == Floats(6, 0.0f));
    CHECK(of(y[2].tensor()) == Floats(36, 0.0f));
    CHECK(y[3].tensor().shape() == Shape{0, 6});
    CHECK(y[4].tensor().shape() == Shape{0, 6});
  }
}

TEST_CASE("the first call may come from the plan already") {
  int runs = 0;
  Variable v(scalar(1), {.name = "v"});
  Function f(
      [&](const Nest& x) {
        ++runs;
        v.assign_add(x.tensor());
        return Nest(v * 10.0);
      },
      {.first_call = FirstCall::replays});
  float expected = 1;
  for (int i = 0; i < 5; ++i) {
    expected += static_cast<float>(i);
    CHECK(f(scalar(static_cast<float>(i))).tensor().item() == 10 * expected);
    CHECK(v.value().item() == expected);
  }
  CHECK(runs <= 2);
}

TEST_CASE("several threads call one function") {
  const Tensor w = ops::cast(noise({16, 16}, -1, 1, 4), DType::float32);
  auto f = function([&](const Tensor& x) { return ops::softmax(ops::matmul(x, w) + 1.0) * x; });
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const Tensor x = ops::cast(noise({1 + i % 3, 16}, -1, 1, 100 * t + i), DType::float32);
        const Floats want = of(ops::softmax(ops::matmul(x, w) + 1.0) * x), got = of(f(x));
        for (size_t k = 0; k < want.size(); ++k)
          wrong[static_cast<size_t>(t)] += std::abs(got[k] - want[k]) > 1e-5f;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("branches and loops in plans may give what they are given") {
  Function f([](const Nest& n) -> Nest {
    const Tensor x = n[0].tensor(), y = n[1].tensor();
    const Nest chosen = ops::cond(
        ops::sum(x) > 0.0,
        [&] {
          return Nest{x, y, x};
        },
        [&] {
          return Nest{y, y, x * 2.0};
        });
    const Nest looped =
        ops::while_loop([](const Nest& s) { return s[0].tensor() < 3.0; },
                        [&](const Nest& s) {
                          return Nest{s[0].tensor() + 1.0, s[2].tensor(), s[1].tensor()};
                        },
                        Nest{scalar(0), x, y});
    const ops::Scanned scanned = ops::scan(
        [](const Nest& carry, const Nest& x) {
          return ops::Scanned{x, carry};
        },
        scalar(0), x);
    return Nest{chosen, looped, scanned.carry, scanned.ys};
  });
  for (int i = 0; i < 8; ++i) {
    const float a = static_cast<float>(i % 2 ? -i - 1 : i + 1);
    const Floats x(10, a), y(10, 100 + a);
    const Nest result = f(Nest{row(x), row(y)});
    CHECK(of(result[0][0].tensor()) == (a > 0 ? x : y));
    CHECK(of(result[0][1].tensor()) == y);
    CHECK(of(result[0][2].tensor()) == (a > 0 ? x : Floats(10, 2 * a)));
    CHECK(result[1][0].tensor().item() == 3);
    CHECK(of(result[1][1].tensor()) == y);
    CHECK(of(result[1][2].tensor()) == x);
    CHECK(result[2].tensor().item() == a);
    Floats shifted(10, a);
    shifted[0] = 0;
    CHECK(of(result[3].tensor()) == shifted);
  }
  CHECK(f.report().replays == 6);
}

TEST_CASE("gradients flow through branches and loops that give what they are given") {
  const auto body = [](const Tensor& x) {
    GradientTape tape({.persistent = false});
    tape.watch(x);
    const Nest chosen = ops::cond(
        ops::sum(x) > 0.0,
        [&] {
          return Nest{x, x};
        },
        [&] {
          return Nest{x * 3.0, x};
        });
    const ops::Scanned scanned = ops::scan(
        [](const Nest& carry, const Nest& x) {
          return ops::Scanned{carry.tensor() + x.tensor(), x.tensor()};
        },
        scalar(0), x);
    const Tensor loss = ops::sum(chosen[0].tensor() * 2.0 + chosen[1].tensor() * 5.0) +
                        scanned.carry.tensor() * 7.0 + ops::sum(scanned.ys.tensor()) * 11.0;
    return tape.gradient(loss, x);
  };
  auto f = function(body);
  for (int i = 0; i < 6; ++i) {
    const float a = i % 2 ? -1.0f : 1.0f;
    const Tensor x = row(Floats(12, a));
    const Floats want(12, (a > 0 ? 2.0f : 6.0f) + 5 + 7 + 11);
    CHECK(of(body(x)) == want);
    CHECK(of(f(x)) == want);
  }
}

}  // namespace function_edges_test
