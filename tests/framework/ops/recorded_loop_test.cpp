// Loops in recorded functions: one step whatever the number of rounds, with the values and
// gradients of the loop as it is written.
#include <cornu/backend/log.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/random/draws.h>

#include "catch.h"
#include "support/gradient_check.h"

namespace recorded_loop_test {

using namespace cornu;

namespace {

using Body = std::function<Nest(const Nest&)>;

Tensor noise(const Shape& shape, int seed) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

std::vector<std::vector<float>> numbers(const Nest& nest) {
  std::vector<std::vector<float>> result;
  for (const Tensor& t : nest.flatten()) result.push_back(t.to_vector<float>());
  return result;
}

int64_t steps_of(const Function& f) {
  const std::string text = f.explain();
  const size_t at = text.find(" operations in ");
  return at == std::string::npos ? -1 : std::stoll(text.substr(at + 15));
}

// The replays give what the body gives when it runs as it is, and the same bits each time; the plan
// has at most `most_steps` steps.
void check_replays(const Body& body, const std::vector<Nest>& arguments, int64_t most_steps) {
  Function f(body);
  for (int round = 0; round < 2; ++round)
    for (const Nest& x : arguments) {
      const auto expected = numbers(body(x)), found = numbers(f(x));
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        REQUIRE(found[i].size() == expected[i].size());
        for (size_t k = 0; k < found[i].size(); ++k)
          CHECK(found[i][k] == Approx(expected[i][k]).epsilon(1e-5).margin(1e-6));
      }
    }
  CHECK(f.report().replays > 0);
  CHECK(f.report().causes.empty());
  CHECK(numbers(f(arguments[0])) == numbers(f(arguments[0])));
  INFO(f.plans());
  CHECK(steps_of(f) >= 0);
  CHECK(steps_of(f) <= most_steps);
}

// One round of a small recurrent cell; y is its state times 2.
auto cell(const Tensor& w) {
  return [w](const Nest& h, const Nest& x) {
    const Tensor next = ops::tanh(ops::matmul(h.tensor(), w) + x.tensor());
    return ops::Scanned{next, next * 2.0};
  };
}

}  // namespace

TEST_CASE("scan is one step, forwards and backwards") {
  const Tensor w = noise({4, 4}, 1);
  for (const bool reverse : {false, true})
    check_replays(
        [&](const Nest& a) {
          const ops::Scanned s = ops::scan(cell(w), a[0].tensor(), a[1].tensor(), {}, reverse);
          return Nest(Nest::List{s.carry, s.ys});
        },
        {Nest::List{noise({2, 4}, 2), noise({50, 2, 4}, 3)},
         Nest::List{noise({2, 4}, 4), noise({50, 2, 4}, 5)}},
        1);
}

TEST_CASE("thousands of rounds make no thousands of steps") {
  check_replays(
      [](const Nest& x) {
        const auto f = [](const Nest& c, const Nest&) {
          const Tensor next = c.tensor() * 0.999 + 0.5;
          return ops::Scanned{next, ops::sum(next)};
        };
        const ops::Scanned s = ops::scan(f, x, {}, 5000);
        return Nest(Nest::List{s.carry, Nest(ops::sum(s.ys.tensor()))});
      },
      {noise({3}, 1), noise({3}, 2)}, 2);
}

TEST_CASE("map and vectorized_map are one step") {
  const Tensor w = noise({3, 3}, 1);
  const auto f = [w](const Nest& x) {
    return Nest(Nest::List{Nest(ops::matmul(x[0].tensor(), w)), Nest(ops::sum(x[1].tensor()))});
  };
  const std::vector<Nest> arguments = {Nest::List{noise({20, 2, 3}, 2), noise({20, 5}, 3)},
                                       Nest::List{noise({20, 2, 3}, 4), noise({20, 5}, 5)}};
  check_replays([&](const Nest& x) { return ops::map(f, x); }, arguments, 1);
  check_replays([&](const Nest& x) { return ops::vectorized_map(f, x); }, arguments, 4);
}

TEST_CASE("fori_loop is one step; numbers written in C++ may begin it") {
  check_replays(
      [](const Nest& x) {
        const auto body = [&](const Tensor& i, const Nest& s) -> Nest {
          return Nest::List{Nest(s[0].tensor() + ops::cast(i, DType::float32) * x.tensor()),
                            Nest(s[1].tensor() + i)};
        };
        return ops::fori_loop(3, 40, body, Nest::List{Nest(0), Nest(1)});
      },
      {noise({2}, 1), noise({2}, 2)}, 4);
}

TEST_CASE("a body that reads its counter as a number is recorded round by round") {
  check_replays(
      [](const Nest& x) {
        const std::vector<double> table = {1, 2, 4, 8, 16, 32, 64, 128};
        const auto body = [&](const Tensor& i, const Nest& s) {
          return Nest(s.tensor() * 0.5 + table[static_cast<size_t>(i.item())]);
        };
        return ops::fori_loop(0, 8, body, x);
      },
      {noise({2}, 1), noise({2}, 2)}, 8);
}

TEST_CASE("gradients of scan: states, slices and what the body reads") {
  Variable w(noise({4, 4}, 1), {.name = "w"}), b(noise({4}, 6), {.name = "b"});
  for (const bool reverse : {false, true})
    check_replays(
        [&](const Nest& a) {
          GradientTape tape;
          tape.watch(a[0].tensor());
          tape.watch(a[1].tensor());
          const auto f = [&](const Nest& h, const Nest& x) {
            const Tensor next = ops::tanh(ops::matmul(h.tensor(), w) + x.tensor() + b);
            return ops::Scanned{next, Nest::List{Nest(next * x.tensor()), Nest(ops::sum(next))}};
          };
          const ops::Scanned s = ops::scan(f, a[0].tensor(), a[1].tensor(), {}, reverse);
          const Tensor loss = ops::sum(ops::square(s.carry.tensor())) +
                              ops::sum(s.ys[0].tensor() * 0.1) +
                              ops::mean(ops::square(s.ys[1].tensor()));
          return Nest(tape.gradient(
              loss, std::vector<Tensor>{a[0].tensor(), a[1].tensor(), w.value(), b.value()}));
        },
        {Nest::List{noise({2, 4}, 2), noise({30, 2, 4}, 3)},
         Nest::List{noise({2, 4}, 4), noise({30, 2, 4}, 5)}},
        16);
}

TEST_CASE("gradients of a recorded scan agree with finite differences") {
  const Tensor w = noise({3, 3}, 1);
  const auto loss = [&](const Tensor& h, const Tensor& x) {
    const ops::Scanned s = ops::scan(cell(w), h, x);
    return ops::sum(s.ys.tensor()) + ops::sum(ops::square(s.carry.tensor()));
  };
  Function gradient([&](const Nest& a) {
    GradientTape tape;
    for (const Tensor& t : a.flatten()) tape.watch(t);
    return Nest(tape.gradient(loss(a[0].tensor(), a[1].tensor()), a.flatten()));
  });
  const Tensor h = noise({1, 3}, 2), x = noise({12, 1, 3}, 3);
  Nest found;
  for (int i = 0; i < 3; ++i) found = gradient(Nest(Nest::List{h, x}));
  CHECK(gradient.report().replays == 1);
  const auto check = [&](const Tensor& at, const Tensor& g, const auto& f) {
    const std::vector<float> values = at.to_vector<float>();
    for (size_t i = 0; i < values.size(); i += 5) {
      std::vector<float> up = values, down = values;
      up[i] += 1e-2f;
      down[i] -= 1e-2f;
      const double slope =
          (f(Tensor::from(up, at.shape())).item() - f(Tensor::from(down, at.shape())).item()) /
          2e-2;
      CHECK(g.to_vector<double>()[i] == Approx(slope).epsilon(0.02).margin(2e-3));
    }
  };
  check(h, found[0], [&](const Tensor& t) { return loss(t, x); });
  check(x, found[1], [&](const Tensor& t) { return loss(h, t); });
}

TEST_CASE("gradients of map, fori_loop and a while_loop with a bound") {
  Variable w(noise({3}, 1), {.name = "w"});
  const auto with_gradient = [&](const std::function<Tensor(const Tensor&)>& f) {
    return [&w, f](const Nest& x) {
      GradientTape tape;
      tape.watch(x.tensor());
      const Tensor loss = f(x.tensor());
      std::vector<Tensor> g = tape.gradient(loss, std::vector<Tensor>{x.tensor(), w.value()});
      // Without a round nothing depends on w.
      if (!g[1]) g[1] = ops::zeros_like(w.value());
      g.push_back(loss);
      return Nest(g);
    };
  };
  const std::vector<Nest> arguments = {noise({12, 3}, 2), noise({12, 3}, 3)};
  check_replays(with_gradient([&](const Tensor& x) {
                  return ops::sum(ops::map(
                      [&](const Nest& row) { return Nest(ops::exp(row.tensor() * w)); }, x));
                }),
                arguments, 12);
  check_replays(with_gradient([&](const Tensor& x) {
                  return ops::sum(ops::fori_loop(
                      0, 20,
                      [&](const Tensor& i, const Nest& s) {
                        return Nest(ops::sin(s.tensor() * w + ops::cast(i, DType::float32)));
                      },
                      x));
                }),
                arguments, 12);
  // The number of rounds differs from call to call.
  check_replays(with_gradient([&](const Tensor& x) {
                  const Nest end = ops::while_loop(
                      [](const Nest& s) { return ops::sum(ops::square(s[0].tensor())) < 500.0; },
                      [&](const Nest& s) -> Nest {
                        return Nest::List{Nest(s[0].tensor() * (ops::square(w.value()) + 1.1)),
                                          Nest(s[1].tensor() + 1)};
                      },
                      Nest::List{Nest(x), Nest(0)}, 60);
                  return ops::sum(end[0].tensor());
                }),
                {noise({12, 3}, 2), noise({12, 3}, 3) * 4.0, noise({12, 3}, 4) * 100.0}, 16);
}

TEST_CASE("random draws and counters go on from round to round") {
  const auto run = [](bool compiled) {
    SeedGenerator seed(3);
    Variable count(Tensor::from({0.0f}, {}), {.name = "count", .trainable = false}),
        w(noise({3}, 9), {.name = "w"});
    Function f([&](const Nest& x) {
      GradientTape tape;
      const auto body = [&](const Nest& c, const Nest&) {
        count.assign_add(Tensor(1.0));
        const Tensor noisy = c.tensor() * w + random::uniform({3}, 0, 1, seed);
        return ops::Scanned{noisy, noisy * count.value()};
      };
      const ops::Scanned s = ops::scan(body, x, {}, 10);
      const Tensor loss = ops::sum(s.ys.tensor());
      return Nest(Nest::List{Nest(loss), Nest(tape.gradient(loss, w))});
    });
    f.set_enabled(compiled);
    std::vector<std::vector<float>> all;
    for (int i = 0; i < 5; ++i)
      for (const auto& values : numbers(f(noise({3}, 20 + i)))) all.push_back(values);
    all.push_back({static_cast<float>(count.value().item())});
    CHECK(f.report().replays == (compiled ? 3 : 0));
    return all;
  };
  const auto eager = run(false), compiled = run(true);
  REQUIRE(eager.size() == compiled.size());
  for (size_t i = 0; i < eager.size(); ++i)
    for (size_t k = 0; k < eager[i].size(); ++k)
      CHECK(compiled[i][k] == Approx(eager[i][k]).epsilon(1e-4));
}

TEST_CASE("loops and decisions nest, with gradients") {
  Variable w(noise({3}, 1), {.name = "w"});
  check_replays(
      [&](const Nest& a) {
        GradientTape tape;
        tape.watch(a.tensor());
        const auto inner = [&](const Tensor&, const Nest& s) {
          return ops::cond(
              ops::sum(s.tensor()) > 0.0, [&] { return Nest(s.tensor() * 0.9 - w); },
              [&] { return Nest(s.tensor() * w + 0.3); });
        };
        const auto outer = [&](const Nest& c, const Nest& x) {
          const Nest s = ops::fori_loop(0, 7, inner, c.tensor() + x.tensor());
          return ops::Scanned{s, Nest(ops::sum(s.tensor()))};
        };
        const ops::Scanned s = ops::scan(outer, w.value() * 1.0, a);
        const Tensor loss = ops::sum(s.carry.tensor()) + ops::sum(s.ys.tensor());
        return Nest(tape.gradient(loss, std::vector<Tensor>{a.tensor(), w.value()}));
      },
      {noise({9, 3}, 2), noise({9, 3}, 3)}, 14);
}

TEST_CASE("second derivatives through a recorded scan") {
  check_replays(
      [](const Nest& x) {
        GradientTape outer;
        outer.watch(x.tensor());
        GradientTape tape;
        tape.watch(x.tensor());
        const auto f = [&](const Nest& c, const Nest&) {
          return ops::Scanned{Nest(ops::sin(c.tensor() * x.tensor())), {}};
        };
        const Tensor y = ops::sum(ops::scan(f, x, {}, 6).carry.tensor());
        const Tensor first = tape.gradient(y, x.tensor());
        return Nest(outer.gradient(ops::sum(first), x.tensor()));
      },
      {noise({2}, 1), noise({2}, 2)}, 100);
}

TEST_CASE("what a loop's body refers to may be gone when its gradient is computed") {
  Variable w(noise({3}, 1), {.name = "w"});
  const auto call = [&](const Tensor& x) {
    const Tensor scale = w.value() * 2.0;
    const Tensor looped =
        ops::fori_loop(
            0, 10, [&](const Tensor&, const Nest& s) { return Nest(s.tensor() * 0.5 + scale * x); },
            x)
            .tensor();
    return ops::cond(
               ops::sum(x) > 0.0, [&] { return Nest(looped * scale); },
               [&] { return Nest(looped - scale); })
        .tensor();
  };
  check_replays(
      [&](const Nest& x) {
        GradientTape tape;
        tape.watch(x.tensor());
        const Tensor y = ops::sum(call(x.tensor()));
        return Nest(tape.gradient(y, std::vector<Tensor>{x.tensor(), w.value()}));
      },
      {noise({3}, 2) + 5.0, noise({3}, 3) - 5.0}, 20);
}

TEST_CASE("a loop whose state changes its dtype is recorded round by round") {
  check_replays(
      [](const Nest& x) {
        const auto f = [&](const Nest& c, const Nest& row) {
          return ops::Scanned{Nest(c.tensor() + row.tensor()), c.tensor() * 1.0};
        };
        const ops::Scanned s = ops::scan(f, ops::zeros({2}, DType::int32), x);
        return Nest(Nest::List{s.carry, s.ys});
      },
      {noise({10, 2}, 1), noise({10, 2}, 2)}, 6);
}

TEST_CASE("plans show a loop's body, and a callback in it is called in each round") {
  int calls = 0;
  Function f([&](const Nest& x) {
    const auto body = [&](const Nest& c, const Nest&) {
      ops::callback([&](std::span<const Tensor>, std::span<const Tensor>) { ++calls; },
                    {c.tensor()});
      return ops::Scanned{Nest(c.tensor() * 0.5), {}};
    };
    return ops::scan(body, x, {}, 10).carry;
  });
  for (int i = 1; i <= 4; ++i) {
    f(noise({2}, 1));
    CHECK(calls == 10 * i);
  }
  CHECK(f.plans().find("scan, 10 rounds:") != std::string::npos);
  CHECK(f.plans().find("fused") != std::string::npos);
}

TEST_CASE("more than 32 tensors that a loop reads have their gradients") {
  std::vector<Variable> w;
  for (int i = 0; i < 40; ++i)
    w.emplace_back(Tensor::from({static_cast<float>(i) * 0.01f}, {1}),
                   Variable::Options{.name = "w"});
  check_replays(
      [&](const Nest& x) {
        GradientTape tape;
        const auto f = [&](const Tensor&, const Nest& s) {
          Tensor t = s.tensor();
          for (const Variable& v : w) t = t + ops::sin(v.value());
          return Nest(t * 0.1);
        };
        return Nest(tape.gradient(ops::sum(ops::fori_loop(0, 6, f, x)), w));
      },
      {noise({2}, 1), noise({2}, 2)}, 60);
}

TEST_CASE("vectorized_map does each kernel once for all elements") {
  const Tensor w = noise({3, 4}, 1), table = noise({7, 3}, 2), scale = noise({4}, 3);
  const auto f = [&](const Nest& x) {
    const Tensor rows = ops::take(table, ops::cast(x[1].tensor(), DType::int32), 0);
    const Tensor h = ops::matmul(x[0].tensor() + rows, w) * scale;
    const Tensor p = ops::softmax(ops::transpose(h), -1);
    return Nest(Nest::List{Nest(p), Nest(ops::sum(h, 0)), Nest(ops::argmax(h, -1)),
                           Nest(ops::cumsum(h, 0)), Nest(ops::sum(w) * 1.0),
                           Nest(ops::concatenate({h, w}, 0)), Nest(ops::matmul(p, h)),
                           Nest(ops::sort(h, 1)), Nest(ops::mean(h))});
  };
  const auto elements = [](int seed) {
    return Nest(Nest::List{Nest(noise({20, 2, 3}, seed)),
                           Nest(ops::floor(ops::abs(noise({20, 2}, seed + 1)) * 6.9))});
  };
  Function once([&](const Nest& x) { return ops::vectorized_map(f, x); });
  for (int i = 0; i < 5; ++i) {
    const Nest x = elements(10 * i + 5);
    const auto expected = numbers(ops::vectorized_map(f, x)), found = numbers(once(x));
    for (size_t k = 0; k < expected.size(); ++k) {
      REQUIRE(found[k].size() == expected[k].size());
      for (size_t n = 0; n < found[k].size(); ++n)
        CHECK(found[k][n] == Approx(expected[k][n]).epsilon(1e-5).margin(1e-6));
    }
  }
  CHECK(once.report().replays == 3);
  CHECK(once.plans().find("rounds") == std::string::npos);
  CHECK(once.plans().find("softmax") != std::string::npos);
}

TEST_CASE("vectorized_map of what has no rule runs in rounds") {
  SeedGenerator seed(3);
  Function f([&](const Nest& x) {
    return ops::vectorized_map(
        [&](const Nest& row) { return Nest(row.tensor() + random::uniform({2}, 0, 1, seed)); }, x);
  });
  for (int i = 0; i < 3; ++i) {
    const auto values = numbers(f(ops::zeros({6, 2})))[0];
    CHECK(values[0] != values[2]);
  }
  CHECK(f.plans().find("vectorized_map, 6 rounds") != std::string::npos);
}

}  // namespace recorded_loop_test
