// Loops over elements and decisions at their edges: no element, no round, an index out of range,
// branches that differ, variables that a body reads and assigns.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/dispatch/variable.h>
#include <cornu/framework/ops/ops.h>

#include <limits>

#include "catch.h"
#include "support/all_close.h"
#include "support/gradient_check.h"
#include "support/matchers.h"

namespace loop_edges_test {

using namespace cornu;
using cornu::test::contains;
using cornu::test::noise;

namespace {

Tensor numbers(const Shape& shape, int seed) {
  return ops::cast(noise(shape, -1, 1, seed), DType::float32);
}

const Tensor square = numbers({4, 4}, 103);

Tensor mapped(const std::function<Tensor(const Tensor&)>& body, const Tensor& xs) {
  return ops::vectorized_map([&](const Nest& x) { return Nest(body(x.tensor())); }, xs).tensor();
}

Nest plus_one(const Nest& x) { return Nest(x.tensor() + 1.0); }

// What f gives eagerly, and in three calls of a recorded function.
void check_recorded(const std::function<Tensor(const Tensor&)>& f, const std::vector<Tensor>& xs) {
  auto recorded = function([&](const Tensor& x) -> Tensor { return f(x); });
  for (const Tensor& x : xs) {
    const Tensor want = f(x), got = recorded(x);
    CHECK(got.spec().str() == want.spec().str());
    CHECK(test::all_close(got, want, 1e-5, 1e-6));
  }
}

}  // namespace

TEST_CASE("variables that a body reads are those of the call, assignments are in order") {
  Variable scale(Tensor(2.0f));
  auto reads = function([&](const Tensor& xs) -> Tensor {
    return mapped([&](const Tensor& x) { return x * scale; }, xs);
  });
  const Tensor xs = numbers({4, 3}, 1);
  for (const double value : {2.0, 3.0, -1.0, 0.5}) {
    scale.assign(Tensor(value));
    CHECK(test::all_close(reads(xs), xs * value));
  }
  Variable total(ops::zeros({3}));
  auto assigns = function([&](const Tensor& xs) -> Tensor {
    return mapped(
        [&](const Tensor& x) {
          total.assign(total.value() * 0.5 + x);
          return total.value() * 1.0;
        },
        xs);
  });
  Tensor expected = ops::zeros({3});
  for (int call = 0; call < 4; ++call) {
    const Tensor given = numbers({4, 3}, 20 + call), y = assigns(given);
    for (int64_t i = 0; i < 4; ++i) {
      expected = expected * 0.5 + given[i];
      CHECK(test::all_close(y[i], expected, 1e-5, 1e-6));
    }
    CHECK(test::all_close(total.value(), expected, 1e-5, 1e-6));
  }
}

TEST_CASE("no element gives results of the shapes that elements' have") {
  const auto twice = [](const Nest& x) {
    return Nest{{"y", Nest(ops::matmul(x.tensor(), square))}, {"n", Nest(ops::argmax(x, -1))}};
  };
  const auto running = [](const Nest& carry, const Nest& x) {
    return ops::Scanned{carry, Nest{x, Nest(carry.tensor() * 2.0)}};
  };
  const auto check_none = [&](const Tensor& none) {
    for (const Nest& y : {ops::map(twice, none), ops::vectorized_map(twice, none)}) {
      CHECK(y["y"].shape() == Shape{0, 3, 4});
      CHECK(y["n"].shape() == Shape{0, 3});
      CHECK(y["n"].dtype() == DType::int32);
    }
    const ops::Scanned scanned = ops::scan(running, ops::ones({2}), none);
    CHECK(scanned.ys[0].shape() == Shape{0, 3, 4});
    CHECK(scanned.ys[1].shape() == Shape{0, 2});
    return ops::sum(scanned.ys[0].tensor());
  };
  check_none(ops::zeros({0, 3, 4}));
  auto recorded = function([&](const Tensor& none) -> Tensor { return check_none(none); });
  for (int call = 0; call < 3; ++call) CHECK(recorded(ops::zeros({0, 3, 4})).item() == 0);
  const auto counts = [](const Nest& carry, const Nest&) { return ops::Scanned{carry, carry}; };
  CHECK(ops::scan(counts, ops::ones({2}), {}, 0).ys.shape() == Shape{0, 2});
  // A body that collects nothing, or looks at values, tells of no shape.
  const auto silent = [](const Nest& carry, const Nest&) { return ops::Scanned{carry, {}}; };
  CHECK(ops::scan(silent, ops::ones({2}), {}, 0).ys.empty());
  const auto looks = [](const Nest& x) { return Nest(x.tensor() * ops::sum(x).item()); };
  CHECK(ops::map(looks, ops::zeros({0, 2})).empty());
  // No variable changes.
  Variable seen(Tensor(0.0f));
  ops::map(
      [&](const Nest& x) {
        seen.assign_add(Tensor(1.0f));
        return x;
      },
      ops::zeros({0, 2}));
  CHECK(seen.value().item() == 0);
  CHECK(ops::fori_loop(
            3, 1, [](const Tensor&, const Nest&) -> Nest { throw 1; }, ops::ones({2}))
            .shape() == Shape{2});
  CHECK(ops::associative_scan(
            [](const Nest& a, const Nest& b) { return Nest(a.tensor() + b.tensor()); },
            ops::zeros({0, 3}))
            .shape() == Shape{0, 3});
}

TEST_CASE("elements of several lengths, and none, are explained") {
  const auto same = [](const Nest& x) { return x; };
  const auto keep = [](const Nest& carry, const Nest& x) { return ops::Scanned{carry, x}; };
  const Nest uneven{Nest(ops::ones({3, 2})), Nest(ops::ones({4, 2}))};
  CHECK_THROWS_WITH(ops::vectorized_map(same, uneven),
                    "vectorized_map: the first axes have 3 and 4 elements.");
  CHECK_THROWS_WITH(ops::map(same, uneven), "map: the first axes have 3 and 4 elements.");
  CHECK_THROWS_WITH(ops::scan(keep, {}, uneven), "scan: the first axes have 3 and 4 elements.");
  CHECK_THROWS_WITH(ops::map(same, Tensor(1.0f)),
                    "map: expected tensors with a first axis, found a scalar.");
  CHECK_THROWS_WITH(ops::vectorized_map(same, Tensor(1.0f)),
                    "vectorized_map: expected tensors with a first axis, found a scalar.");
  CHECK_THROWS_WITH(ops::map(same, {}), "map: there are no elements.");
  CHECK_THROWS_WITH(ops::vectorized_map(same, Nest::List{}),
                    "vectorized_map: there are no elements.");
  CHECK_THROWS_WITH(ops::scan(keep, ops::ones({2})), "scan: needs xs or length.");
  CHECK_THROWS_WITH(ops::scan(keep, ops::ones({2}), ops::ones({3}), 4),
                    "scan: length is 4, but xs has 3 elements.");
  CHECK_THROWS_WITH(ops::scan(keep, ops::ones({2}), {}, -1),
                    "scan: length must be at least 0, found -1.");
}

TEST_CASE("a loop of no round gives what it was given") {
  const std::vector<Tensor> xs = {numbers({3}, 1), numbers({3}, 2), numbers({3}, 3)};
  const auto never = [](const Nest&) { return Tensor(false); };
  const auto always = [](const Nest&) { return Tensor(true); };
  check_recorded([&](const Tensor& x) { return ops::while_loop(never, plus_one, x).tensor(); }, xs);
  for (const int64_t limit : {0, -1, -5})
    check_recorded(
        [&](const Tensor& x) { return ops::while_loop(always, plus_one, x, limit).tensor(); }, xs);
  check_recorded(
      [&](const Tensor& x) {
        const auto body = [](const Tensor&, const Nest& v) { return plus_one(v); };
        return ops::fori_loop(Tensor(5), Tensor(2), body, x).tensor();
      },
      xs);
  check_recorded(
      [&](const Tensor& x) {
        GradientTape tape;
        tape.watch(x);
        return tape.gradient(ops::sum(ops::while_loop(never, plus_one, x * 3.0, 7).tensor()), x);
      },
      xs);
}

TEST_CASE("loops run as often as values of the call say") {
  // Halved until it is small: another number of rounds for each.
  const std::vector<Tensor> xs = {ops::full({2}, 100.0), ops::full({2}, 0.5), ops::full({2}, 3.0),
                                  ops::full({2}, 1000.0)};
  const auto large = [](const Nest& s) { return ops::max(s[0].tensor()) > 1.0; };
  const auto halve = [](const Nest& s) { return Nest{s[0].tensor() * 0.5, s[1].tensor() + 1}; };
  for (const std::optional<int64_t> limit : {std::optional<int64_t>(), std::optional<int64_t>(3)}) {
    check_recorded(
        [&](const Tensor& x) {
          const Nest end = ops::while_loop(large, halve, Nest{x, Tensor::from({0}, {})}, limit);
          return end[0].tensor() + ops::cast(end[1].tensor(), DType::float32) * 1000.0;
        },
        xs);
  }
  // With a gradient, of as many rounds.
  check_recorded(
      [&](const Tensor& x) {
        GradientTape tape;
        tape.watch(x);
        const Nest end = ops::while_loop(large, halve, Nest{x, Tensor::from({0}, {})}, 20);
        return tape.gradient(ops::sum(ops::square(end[0].tensor())), x);
      },
      xs);
}

TEST_CASE("an index out of range is the nearest, and conditions are what Python takes for true") {
  const std::vector<std::function<Nest(const Nest&)>> branches = {
      [](const Nest& x) { return Nest(x.tensor() * 10.0); },
      [](const Nest& x) { return Nest(x.tensor() * 20.0); },
      [](const Nest& x) { return Nest(x.tensor() * 30.0); }};
  const Tensor one = ops::ones({1});
  const std::vector<std::pair<int, double>> chosen = {{-7, 10}, {-1, 10}, {0, 10},   {1, 20},
                                                      {2, 30},  {3, 30},  {1000, 30}};
  auto recorded = function(
      [&](const Tensor& i) -> Tensor { return ops::switch_case(i, branches, one).tensor(); });
  for (const auto& [index, want] : chosen) {
    INFO(index);
    CHECK(ops::switch_case(Tensor::from({index}, {}), branches, one).tensor().item() == want);
    CHECK(recorded(Tensor::from({index}, {})).item() == want);
  }
  const auto number = [](float v) { return Tensor::from({v}, {}); };
  const auto either = [&](const Tensor& pred) -> Tensor {
    return ops::cond(
               pred, [&] { return Nest(number(1)); }, [&] { return Nest(number(2)); })
        .tensor();
  };
  auto decided = function([&](const Tensor& pred) -> Tensor { return either(pred); });
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {0.0f, -0.0f, 0.25f, -1.0f, 1e-30f, not_a_number}) {
    INFO(value);
    const double want = value == 0 ? 2 : 1;
    CHECK(either(number(value)).item() == want);
    CHECK(decided(number(value)).item() == want);
  }
}

TEST_CASE("one branch is one branch, and none is an error") {
  CHECK(ops::switch_case(Tensor(3), {plus_one}, Tensor(1.0f)).tensor().item() == 2);
  CHECK_THROWS_AS(ops::switch_case(Tensor(0), {}, Tensor(1.0f)), ValueError);
  CHECK_THROWS_AS(ops::cond(
                      ops::ones({2}), [] { return Nest(); }, [] { return Nest(); }),
                  Error);
}

TEST_CASE("branches that differ are an error in a recording, and the function stays usable") {
  bool differ = true;
  Function f([&](const Nest& x) {
    return ops::cond(
        ops::sum(x.tensor()) > 0.0, [&] { return Nest(x.tensor() * 2.0); },
        [&] { return differ ? Nest(ops::sum(x.tensor())) : Nest(-x.tensor()); });
  });
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_WITH(f(numbers({3}, 5)), contains("in one branch and") && contains("(3,)"));
  differ = false;
  for (int seed = 1; seed < 8; ++seed) {
    const Tensor x = numbers({3}, seed);
    CHECK(test::all_close(f(x).tensor(), ops::sum(x).item() > 0 ? x * 2.0 : -x));
  }
}

TEST_CASE("branches assign other variables, each in its calls alone") {
  Variable a(ops::zeros({2})), b(ops::zeros({2}));
  auto f = function([&](const Tensor& x) -> Tensor {
    return ops::cond(
               ops::sum(x) > 0.0,
               [&] {
                 a.assign_add(x);
                 return Nest(a.value() + b.value());
               },
               [&] {
                 b.assign(b.value() * 2.0 - x);
                 return Nest(a.value() - b.value());
               })
        .tensor();
  });
  std::vector<double> wa(2), wb(2);
  for (int call = 0; call < 8; ++call) {
    INFO("call " << call);
    const Tensor x = numbers({2}, 60 + call);
    const auto v = x.to_vector<double>();
    const bool first = ops::sum(x).item() > 0;
    const Tensor y = f(x);
    for (size_t i = 0; i < 2; ++i) {
      if (first)
        wa[i] += v[i];
      else
        wb[i] = wb[i] * 2 - v[i];
      CHECK(y.to_vector<double>()[i] == Approx(first ? wa[i] + wb[i] : wa[i] - wb[i]).margin(1e-5));
      CHECK(a.value().to_vector<double>()[i] == Approx(wa[i]).margin(1e-5));
      CHECK(b.value().to_vector<double>()[i] == Approx(wb[i]).margin(1e-5));
    }
  }
}

TEST_CASE("running combinations go along any axis, from either end, in structures") {
  const auto add = [](const Nest& a, const Nest& b) { return Nest(a.tensor() + b.tensor()); };
  // Affine maps, which do not commute.
  const auto compose = [](const Nest& f, const Nest& g) {
    return Nest{{"m", Nest(f["m"].tensor() * g["m"].tensor())},
                {"c", Nest(f["c"].tensor() * g["m"].tensor() + g["c"].tensor())}};
  };
  for (const int64_t count : {1, 2, 3, 5, 8, 13}) {
    INFO(count);
    const Tensor x = numbers({2, count, 3}, 40 + static_cast<int>(count));
    for (const bool reverse : {false, true}) {
      const auto along = [&](const Tensor& t, int64_t axis) {
        return ops::associative_scan(add, t, reverse, axis).tensor();
      };
      const Tensor sums = ops::cumsum(reverse ? ops::flip(x, 1) : x, 1);
      const Tensor want = reverse ? ops::flip(sums, 1) : sums;
      CHECK(test::all_close(along(x, 1), want, 1e-4, 1e-5));
      CHECK(test::all_close(along(x, -2), want, 1e-4, 1e-5));
      check_recorded([&](const Tensor& t) { return along(t, 1); }, {x, x * 0.5, x + 1.0});
    }
    const Tensor m = numbers({count}, 1), c = numbers({count}, 2);
    const Nest all = ops::associative_scan(compose, Nest{{"m", Nest(m)}, {"c", Nest(c)}});
    double scale = 1, shift = 0;
    for (int64_t i = 0; i < count; ++i) {
      scale *= m[i].item();
      shift = shift * m[i].item() + c[i].item();
      CHECK(all["m"].tensor()[i].item() == Approx(scale).margin(1e-6));
      CHECK(all["c"].tensor()[i].item() == Approx(shift).margin(1e-5));
    }
  }
}

TEST_CASE("an unrolled scan gives what a loop gives, recorded or not") {
  const auto half = [](const Nest& carry, const Nest& x) {
    return ops::Scanned{carry.tensor() * 0.5 + x.tensor(), carry.tensor() - x.tensor()};
  };
  // What Keras gives for 1 to 7, from 1 on.
  const std::vector<float> forth = {0, -0.5f, -0.25f, 0.375f, 1.1875f, 2.09375f, 3.046875f},
                           back = {4.734375f, 5.46875f, 5.9375f, 5.875f, 4.75f, 1.5f, -6};
  const Tensor xs = Tensor::from<float>({1, 2, 3, 4, 5, 6, 7}, {7}),
               one = Tensor::from<float>({1}, {});
  for (const ops::Unroll& unroll : std::vector<ops::Unroll>{1, 2, 3, 7, 9, true, false})
    for (const bool reverse : {false, true}) {
      CAPTURE(unroll.rounds(), unroll.all(), reverse);
      auto recorded = function([&](const Tensor& from, const Tensor& list) -> Nest {
        const ops::Scanned result = ops::scan(half, from, list, {}, reverse, unroll);
        return Nest{result.carry, result.ys};
      });
      for (int run = 0; run < 3; ++run) {
        const Nest result = recorded(one, xs);
        CHECK(result[0].item() == (reverse ? 3.8671875 : 12.0234375));
        CHECK(result[1].to_vector<float>() == (reverse ? back : forth));
      }
    }
  // The number of the round alone, and its gradient.
  for (const ops::Unroll& unroll : std::vector<ops::Unroll>{1, 4, true}) {
    const auto grow = [](const Nest& carry, const Nest&) {
      return ops::Scanned{carry.tensor() * 2, {}};
    };
    auto slope = function([&](const Tensor& x) -> Tensor {
      GradientTape tape;
      tape.watch(x);
      return tape.gradient(ops::scan(grow, x, {}, 10, false, unroll).carry.tensor(), x);
    });
    for (int run = 0; run < 3; ++run) CHECK(slope(one).item() == 1024);
  }
  CHECK_THROWS_WITH(ops::scan(half, one, xs, {}, false, 0), contains("unroll must be at least 1"));
}

}  // namespace loop_edges_test
