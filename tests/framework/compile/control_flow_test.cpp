// Control flow in eager code and in recorded functions: both must give the same.
#include <cornu/backend/log.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>

#include <tuple>

#include "catch.h"

namespace control_flow_test {

using namespace cornu;

namespace {

Tensor scalar(float value) { return Tensor::from({value}, {}); }

// f of each of the numbers, by the function as it is and compiled.
void check_both(const std::function<Tensor(const Tensor&)>& f, const std::vector<float>& numbers) {
  Function compiled([&](const Nest& x) { return Nest(f(x.tensor())); });
  for (int round = 0; round < 2; ++round)
    for (const float number : numbers) {
      const auto expected = f(scalar(number)).to_vector<float>();
      CHECK(compiled(Nest(scalar(number))).tensor().to_vector<float>() == expected);
    }
  CHECK(compiled.report().replays > 0);
}

}  // namespace

TEST_CASE("cond chooses by value in each call") {
  check_both(
      [](const Tensor& x) {
        return ops::cond(
                   x > 2.0, [&] { return Nest(x * 10.0); }, [&] { return Nest(x - 1.0); })
            .tensor();
      },
      {1, 1, 1, 5, 0, 7});
}

TEST_CASE("cond nests and assigns variables") {
  Variable hits(scalar(0), {.name = "hits", .trainable = false});
  auto f = function([&](const Tensor& x) {
    return ops::cond(
               x > 0.0,
               [&] {
                 hits.assign_add(scalar(1));
                 return ops::cond(
                     x > 5.0, [&] { return Nest(hits.value() * 100.0); },
                     [&] { return Nest(hits.value()); });
               },
               [&] { return Nest(scalar(-1)); })
        .tensor();
  });
  int expected = 0;
  for (const float x : {1.0f, -1.0f, 6.0f, -2.0f, 7.0f, 2.0f}) {
    if (x > 0) ++expected;
    const double result = f(scalar(x)).item();
    CHECK(result == (x > 5 ? expected * 100 : x > 0 ? expected : -1));
    CHECK(hits.value().item() == expected);
  }
  CHECK(f->report().replays == 4);
}

TEST_CASE("cond has gradients in a recorded step") {
  Variable w(scalar(3), {.name = "w"});
  auto body = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor y = ops::cond(
                         x > 0.0, [&] { return Nest(w * w * x); }, [&] { return Nest(w * 2.0); })
                         .tensor() *
                     2.0;
    return tape.gradient(y, w);
  };
  auto f = function(body);
  for (const float x : {1.0f, -1.0f, 4.0f, -4.0f, 2.0f}) {
    CHECK(body(scalar(x)).item() == Approx(x > 0 ? 12 * x : 4));
    CHECK(f(scalar(x)).item() == Approx(x > 0 ? 12 * x : 4));
  }
  CHECK(f->report().replays == 3);
}

TEST_CASE("branches that differ are an error that says how") {
  auto f = function([](const Tensor& x) {
    return ops::cond(
               x > 0.0, [&] { return Nest(ops::ones({2})); }, [&] { return Nest(ops::ones({3})); })
        .tensor();
  });
  CHECK_THROWS_WITH(f(scalar(1)),
                    Catch::Contains("float32 (2,)") && Catch::Contains("float32 (3,)"));
}

TEST_CASE("switch_case runs the branch of its index") {
  check_both(
      [](const Tensor& x) {
        return ops::switch_case(ops::cast(x, DType::int32),
                                {[](const Nest& n) { return Nest(n.tensor() + 1.0); },
                                 [](const Nest& n) { return Nest(n.tensor() * 2.0); },
                                 [](const Nest& n) { return Nest(n.tensor() * n.tensor()); }},
                                x)
            .tensor();
      },
      {0, 1, 2, 3, -5, 2});
}

TEST_CASE("while_loop repeats as often as values say") {
  check_both(
      [](const Tensor& x) {
        const Nest end = ops::while_loop(
            [](const Nest& s) { return s[0].tensor() < 100.0; },
            [&](const Nest& s) -> Nest {
              return Nest::List{Nest(s[0].tensor() * 2.0 + x), Nest(s[1].tensor() + 1.0)};
            },
            Nest::List{Nest(x), Nest(scalar(0))});
        return end[0].tensor() * 1000.0 + end[1].tensor();
      },
      {1, 3, 30, 200, 7});
}

TEST_CASE("while_loop carries variables, and stops at its limit") {
  Variable total(scalar(0), {.name = "total", .trainable = false});
  auto f = function([&](const Tensor& x) {
    return ops::while_loop([&](const Nest&) { return total.value() < 10.0; },
                           [&](const Nest& s) {
                             total.assign_add(x);
                             return Nest(s.tensor() + 1.0);
                           },
                           scalar(0), 6)
        .tensor();
  });
  for (const float x : {3.0f, 4.0f, 5.0f, 1.0f, 2.0f}) {
    total.assign(scalar(0));
    const int rounds = std::min(6, static_cast<int>(std::ceil(10 / x)));
    CHECK(f(scalar(x)).item() == rounds);
    CHECK(total.value().item() == rounds * x);
  }
}

TEST_CASE("fori_loop counts") {
  check_both(
      [](const Tensor& x) {
        const auto body = [](const Tensor& i, const Nest& s) {
          return Nest(s.tensor() + ops::cast(i, DType::float32));
        };
        return ops::fori_loop(2, 5, body, x).tensor() +
               ops::fori_loop(Tensor(0), x, body, scalar(0)).tensor();
      },
      {1, 4, 9, 0});
}

TEST_CASE("scan, map and associative_scan go along the first axis") {
  const Tensor xs = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f}, {5});
  const auto sum = [](const Nest& carry, const Nest& x) {
    const Tensor total = carry.tensor() + x.tensor();
    return ops::Scanned{total, total};
  };
  const ops::Scanned forward = ops::scan(sum, scalar(0), xs),
                     backward = ops::scan(sum, scalar(0), xs, {}, true);
  CHECK(forward.carry.tensor().item() == 15);
  CHECK(forward.ys.tensor().to_vector<float>() == std::vector<float>{1, 3, 6, 10, 15});
  CHECK(backward.ys.tensor().to_vector<float>() == std::vector<float>{15, 14, 12, 9, 5});
  CHECK(ops::map([](const Nest& x) { return Nest(x.tensor() * x.tensor()); }, xs)
            .tensor()
            .to_vector<float>() == std::vector<float>{1, 4, 9, 16, 25});
  const auto add = [](const Nest& a, const Nest& b) { return Nest(a.tensor() + b.tensor()); };
  CHECK(ops::associative_scan(add, xs).tensor().to_vector<float>() ==
        std::vector<float>{1, 3, 6, 10, 15});
  CHECK(ops::associative_scan(add, xs, true).tensor().to_vector<float>() ==
        std::vector<float>{15, 14, 12, 9, 5});
  CHECK_THROWS_AS(ops::scan(sum, scalar(0)), ValueError);
}

TEST_CASE("loops take functions of tensors that give pairs") {
  const Tensor xs = Tensor::from({1.0f, 2.0f, 3.0f}, {3});
  const auto step = [](const Tensor& carry, const Tensor& x) {
    return std::pair(carry + x, carry * x);
  };
  const auto [total, ys] = ops::scan(step, scalar(1), xs);
  CHECK(total.item() == 7);
  CHECK(ys.to_vector<float>() == std::vector<float>{1, 4, 12});
  CHECK(ops::scan([](Tensor c, Nest x) { return std::tuple(c + x, c); }, scalar(0), xs, {}, true)
            .ys.to_vector<float>() == std::vector<float>{5, 3, 0});

  check_both(
      [](const Tensor& x) {
        return ops::while_loop([](Tensor i, Tensor) { return i < 5; },
                               [](Tensor i, Tensor a) { return std::pair(i + 1, a * 2); },
                               {Tensor::from({0}, {}), x})[1]
            .tensor();
      },
      {1, 3});
  const auto three = [](Tensor i, Tensor a, Tensor b) { return std::tuple(i + 1, b, a + b); };
  const Nest end = ops::while_loop([](Tensor, Tensor, Tensor) { return Tensor(true); }, three,
                                   {scalar(0), scalar(0), scalar(1)}, 6);
  CHECK(end[0].item() == 6);
  CHECK(end[1].item() == 8);
  const auto listed = [](Tensor i, Tensor a) { return Nest{i + 1, a}; };
  CHECK(ops::while_loop([](Tensor i, Tensor) { return i < 2; }, listed, {scalar(0), scalar(7)})[0]
            .item() == 2);
  CHECK_THROWS_WITH(ops::while_loop([](Tensor i, Tensor) { return i < 2; }, listed, {scalar(0)}),
                    "while_loop: its functions take 2 loop variables, found [*].");
}

TEST_CASE("a callback is called in every replay") {
  std::vector<double> seen;
  auto f = function([&](const Tensor& x) {
    const Tensors doubled = ops::callback(
        [&](std::span<const Tensor> in, std::span<const Tensor> out) {
          seen.push_back(in[0].item());
          *out[0].mutable_data<float>() = 2 * static_cast<float>(in[0].item());
        },
        {x + 1.0}, {{{}, DType::float32}});
    return doubled[0] + 0.5;
  });
  for (int i = 0; i < 5; ++i) CHECK(f(scalar(static_cast<float>(i))).item() == 2 * (i + 1) + 0.5);
  CHECK(seen == std::vector<double>{1, 2, 3, 4, 5});
}

TEST_CASE("a body of while_loop that changes a shape is told so") {
  const auto longer = [](const Nest& s) -> Nest {
    const Tensor x = ops::reshape(s[0].tensor(), {-1});
    return {ops::concatenate({x, x}) + 1};
  };
  try {
    (void)ops::while_loop([](const Nest& s) { return s[0].tensor() < 3; }, longer,
                          Nest{ops::zeros({})});
    FAIL("no error");
  } catch (const ShapeError& e) {
    CHECK(std::string(e.what()) ==
          "while_loop: the body gives loop variable 0 the shape (2,), it had (). Loop variables "
          "must keep their shapes.");
  }
}

}  // namespace control_flow_test
