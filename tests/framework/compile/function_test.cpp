// Functions: recording, replaying, and noticing what cannot be replayed.
#include <cornu/backend/log.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/ops/random/draws.h>

#include "catch.h"
#include "support/gradient_check.h"

namespace function_test {

using namespace cornu;
using cornu::test::noise;

namespace {

Variable variable(std::vector<float> values) { return Variable(Tensor(values), {.name = "v"}); }

double at(const Tensor& t, size_t i) { return t.to_vector<double>()[i]; }

// Steps of a function's plan after a pass.
template <class F>
auto steps_after(const F& f, const std::string& pass) {
  const std::string text = f->passes(), mark = pass + ", ";
  return std::stoi(text.substr(text.find(mark) + mark.size()));
}

}  // namespace

TEST_CASE("a function gives in each call what its body gives") {
  auto f =
      function([](const Tensor& x, const Tensor& y) { return ops::sum(ops::exp(x) * y + 2.0, 0); });
  for (int i = 0; i < 6; ++i) {
    const Tensor x = noise({3, 5}, 10 + i), y = noise({5}, 20 + i);
    const auto expected = ops::sum(ops::exp(x) * y + 2.0, 0).to_vector<float>();
    CHECK(f(x, y).to_vector<float>() == expected);
  }
  const FunctionReport report = f->report();
  CHECK(report.recordings == 2);
  CHECK(report.replays == 4);
  CHECK(report.plans == 1);
}

TEST_CASE("variables are read and assigned in each call") {
  Variable v = variable({1, 2}),
           count(Tensor::from({0.0f}, {}), {.name = "count", .trainable = false});
  auto step = function([&](const Tensor& x) {
    v.assign(v.value() * 2.0 + x);
    count.assign_add(Tensor(1.0));
    return ops::sum(v.value());
  });
  double expected = 3;
  for (int i = 0; i < 5; ++i) {
    const Tensor x = Tensor::from({1.0f, 1.0f}, {2});
    expected = expected * 2 + 2;
    CHECK(step(x).item() == expected);
    CHECK(count.value().item() == i + 1);
    CHECK(ops::sum(v.value()).item() == expected);
  }
  v.assign(Tensor::from({0.0f, 0.0f}, {2}));
  CHECK(step(Tensor::from({1.0f, 1.0f}, {2})).item() == 2);
}

TEST_CASE("a value that was read before a replay does not change") {
  Variable v = variable({1, 2});
  auto step = function([&](const Tensor& x) { v.assign_add(x); });
  const Tensor one = Tensor::from({1.0f, 1.0f}, {2});
  for (int i = 0; i < 4; ++i) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the value before an assignment
    const Tensor before = v.value();
    step(one);
    CHECK(at(before, 0) == 1 + i);
    CHECK(at(v.value(), 0) == 2 + i);
  }
}

TEST_CASE("results of earlier calls keep their values") {
  auto f = function([](const Tensor& x) { return x * 2.0; });
  std::vector<Tensor> results;
  for (int i = 0; i < 6; ++i) results.push_back(f(Tensor::from({static_cast<float>(i)}, {1})));
  for (int i = 0; i < 6; ++i) CHECK(results[static_cast<size_t>(i)].item() == 2 * i);
}

TEST_CASE("a training step is replayed with its gradients") {
  const auto train = [](bool compiled) {
    Variable w(noise({4, 3}, 1), {.name = "w"}), b(ops::zeros({3}), {.name = "b"});
    auto body = [&](const Tensor& x, const Tensor& y) {
      GradientTape tape;
      const Tensor loss = ops::mean(ops::square(ops::tanh(ops::matmul(x, w) + b) - y));
      const auto g = tape.gradient(loss, std::vector{w, b});
      w.assign_sub(g[0] * 0.1);
      b.assign_sub(g[1] * 0.1);
      return loss;
    };
    auto step = function(body);
    std::vector<double> losses;
    for (int i = 0; i < 20; ++i) {
      const Tensor x = noise({8, 4}, 100 + i), y = noise({8, 3}, 200 + i);
      losses.push_back((compiled ? step(x, y) : body(x, y)).item());
    }
    losses.push_back(ops::sum(w.value()).item());
    return losses;
  };
  const auto eager = train(false), compiled = train(true);
  for (size_t i = 0; i < eager.size(); ++i) CHECK(compiled[i] == Approx(eager[i]).epsilon(1e-4));
  CHECK(train(true) == compiled);
}

TEST_CASE("random draws move on in replays") {
  SeedGenerator seed(7), same(7);
  auto draw = function([&](const Tensor& x) { return x + random::uniform({3}, 0, 1, seed); });
  const Tensor zero = ops::zeros({3});
  for (int i = 0; i < 5; ++i)
    CHECK(draw(zero).to_vector<float>() == random::uniform({3}, 0, 1, same).to_vector<float>());
}

TEST_CASE("another signature is another recording, and the report says what changed") {
  Function f([](const Nest& x) { return Nest(ops::sum(x.tensor())); },
             {.name = "total", .argument_names = {"x"}});
  for (const int64_t rows : {32, 32, 32, 16, 16, 16, 32})
    CHECK(f(ops::ones({rows, 2})).tensor().item() == 2 * rows);
  CHECK(f.report().recordings == 4);
  REQUIRE(f.report().causes.size() == 1);
  CHECK(f.report().causes[0] == "argument 'x' changed from float32 (32, 2) to float32 (16, 2)");
}

TEST_CASE("the number of plans is bounded") {
  Function f([](const Nest& x) { return Nest(x.tensor() + 1.0); },
             {.name = "f", .argument_names = {}, .max_plans = 4});
  for (int round = 0; round < 3; ++round)
    for (int64_t n = 1; n <= 20; ++n)
      for (int i = 0; i < 3; ++i) CHECK(f(ops::ones({n})).tensor().size() == n);
  CHECK(f.report().plans <= 4);
  CHECK(f.report().causes.size() <= 100);
}

TEST_CASE("a function that reads a value stays eager") {
  show_warnings(false);
  auto f = function([](const Tensor& x) {
    if (ops::sum(x).item() > 3) return x * 2.0;
    return x;
  });
  for (int i = 0; i < 6; ++i) {
    const Tensor x = Tensor::from({static_cast<float>(i), 0.0f}, {2});
    CHECK(at(f(x), 0) == (i > 3 ? 2 * i : i));
  }
  show_warnings(true);
  CHECK(f->report().replays == 0);
  REQUIRE(f->report().causes.size() == 1);
  CHECK(f->report().causes[0].find("function_test.cpp") != std::string::npos);
}

TEST_CASE("a function that depends on a counter is found out") {
  show_warnings(false);
  int counter = 0;
  auto f = function([&](const Tensor& x) { return x + static_cast<double>(counter++); });
  for (int i = 0; i < 8; ++i) CHECK(f(Tensor::from({1.0f}, {1})).item() == 1 + i);
  show_warnings(true);
  CHECK(f->report().replays == 0);
}

TEST_CASE("recheck notices a flag that changed") {
  bool doubled = false;
  auto f = function([&](const Tensor& x) { return doubled ? x * 2.0 : x + 0.5; });
  const Tensor x = Tensor::from({1.0f}, {1});
  for (int i = 0; i < 4; ++i) CHECK(f(x).item() == 1.5);
  doubled = true;
  f->recheck();
  for (int i = 0; i < 4; ++i) CHECK(f(x).item() == 2);
  CHECK(f->report().causes.size() == 1);
}

TEST_CASE("functions nest, and an outer tape sees through them") {
  auto inner = function([](const Tensor& x) { return x * x; });
  auto outer = function([&](const Tensor& x) { return inner(x) + 1.0; });
  for (int i = 0; i < 5; ++i) CHECK(outer(Tensor::from({3.0f}, {1})).item() == 10);
  for (int i = 0; i < 3; ++i) {
    const Tensor x = Tensor::from({3.0f}, {1});
    GradientTape tape;
    tape.watch(x);
    CHECK(tape.gradient(inner(x), x).item() == 6);
  }
}

TEST_CASE("arguments that are one tensor in the recording may differ later") {
  auto f = function([](const Tensor& a, const Tensor& b) { return a - b; });
  const Tensor one = Tensor::from({1.0f}, {1}), two = Tensor::from({2.0f}, {1});
  CHECK(f(one, one).item() == 0);
  CHECK(f(one, one).item() == 0);
  CHECK(f(two, one).item() == 1);
}

TEST_CASE("a function may return its argument, a variable, a constant, and structures") {
  Variable v = variable({5, 6});
  const Tensor constant = Tensor::from({9.0f}, {1});
  Function f([&](const Nest& x) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the value before an assignment
    const Tensor before = v.value();
    v.assign(before + 1.0);
    return Nest::dict({{"argument", x.tensor()},
                       {"before", before},
                       {"after", v.value()},
                       {"constant", constant},
                       {"list", Nest::List{Nest(x.tensor() * 2.0), Nest()}}});
  });
  for (int i = 0; i < 5; ++i) {
    const Nest y = f(Tensor::from({static_cast<float>(i)}, {1}));
    CHECK(y["argument"].tensor().item() == i);
    CHECK(at(y["before"].tensor(), 0) == 5 + i);
    CHECK(at(y["after"].tensor(), 0) == 6 + i);
    CHECK(y["constant"].tensor().item() == 9);
    CHECK(y["list"][0].tensor().item() == 2 * i);
    CHECK(at(v.value(), 1) == 7 + i);
  }
}

TEST_CASE("variables may swap their values") {
  Variable a = variable({1}), b = variable({2});
  auto swap = function([&](const Tensor&) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the value before an assignment
    const Tensor x = a.value(), y = b.value();
    a.assign(y);
    b.assign(x);
  });
  for (int i = 0; i < 5; ++i) {
    swap(ops::ones({1}));
    CHECK(a.value().item() == (i % 2 == 0 ? 2 : 1));
    CHECK(b.value().item() == (i % 2 == 0 ? 1 : 2));
  }
}

TEST_CASE("an error in a recording leaves the function usable") {
  bool fails = true;
  auto f = function([&](const Tensor& x) {
    const Tensor y = x + 1.0;
    if (fails) throw ValueError("no");
    return y;
  });
  CHECK_THROWS_AS(f(ops::ones({2})), ValueError);
  fails = false;
  for (int i = 0; i < 4; ++i) CHECK(at(f(ops::ones({2})), 0) == 2);
}

TEST_CASE("masks come with their tensors") {
  auto f = function([](const Tensor& x) { return ops::where(x.mask(), x, Tensor(0.0)); });
  for (int i = 0; i < 4; ++i) {
    Tensor x = Tensor::from({1.0f, 2.0f}, {2});
    x.set_mask(Tensor::from({i % 2 == 0, true}, {2}));
    CHECK(at(f(x), 0) == (i % 2 == 0 ? 1 : 0));
    CHECK(at(f(x), 1) == 2);
  }
}

TEST_CASE("what each pass does can be printed") {
  auto f =
      function([](const Tensor& x) { return ops::tanh(x * 2.0 + 1.0) + ops::tanh(x * 2.0 + 1.0); });
  for (int i = 0; i < 3; ++i) f(ops::ones({4}));
  const std::string text = f->passes();
  CHECK(text.find("recorded, 7 steps") != std::string::npos);
  CHECK(text.find("merge_common, 4 steps") != std::string::npos);
  CHECK(text.find("fuse, 1 steps") != std::string::npos);
}

TEST_CASE("equal updates of small variables are one step") {
  std::vector<Variable> weights, moments;
  for (int i = 0; i < 5; ++i) {
    weights.push_back(Variable(noise({i + 1, 3}, i), {.name = "w"}));
    moments.push_back(Variable(ops::zeros({i + 1, 3}), {.name = "m"}));
  }
  const Variable rate(Tensor(0.5f), {.name = "rate"});
  const auto update = [&](const Tensor& x) {
    for (size_t i = 0; i < 5; ++i) {
      moments[i].assign(moments[i] * 0.9 + x * weights[i]);
      weights[i].assign(weights[i] - moments[i] * rate);
    }
    return ops::sum(weights[0]);
  };
  auto f = function(update);
  std::vector<Tensor> begin_weights;
  for (const Variable& w : weights) begin_weights.push_back(w.value());
  for (int i = 0; i < 6; ++i) f(Tensor(0.1f * static_cast<float>(i)));
  std::vector<Tensor> compiled;
  for (size_t i = 0; i < 5; ++i) {
    compiled.push_back(weights[i].value());
    weights[i].assign(begin_weights[i]);
    moments[i].assign(ops::zeros(moments[i].shape()));
  }
  for (int i = 0; i < 6; ++i) update(Tensor(0.1f * static_cast<float>(i)));
  for (size_t i = 0; i < 5; ++i)
    CHECK(compiled[i].to_vector<float>() == weights[i].value().to_vector<float>());
  CHECK(steps_after(f, "fuse_epilogues") - steps_after(f, "fuse_horizontally") >= 3);
}

TEST_CASE("matrix products cut off negative results themselves") {
  const auto numbers = [](const Shape& shape, int seed) {
    return ops::cast(noise(shape, -1, 1, seed), DType::float32);
  };
  const Tensor w = numbers({7, 5}, 1), b = numbers({5}, 2), deep = numbers({2, 3, 7}, 3);
  const auto check = [&](auto body, const Tensor& x) {
    auto f = function(body);
    for (int i = 0; i < 4; ++i) {
      const Tensor given = x * (1.0 + i), expected = body(given), found = f(given);
      // A GPU's library may multiply in another order where it also adds a bias.
      if (default_device().is_cpu())
        CHECK(found.to_vector<float>() == expected.to_vector<float>());
      else
        CHECK(ops::max(ops::abs(found - expected)).item() < 1e-5);
    }
    CHECK(steps_after(f, "fuse_epilogues") == 1);
  };
  const Tensor flat = ops::reshape(deep, {6, 7});
  check([&](const Tensor& x) { return ops::relu(ops::matmul(x, w)); }, flat);
  check([&](const Tensor& x) { return ops::relu(ops::matmul(x, w) + b); }, flat);
  check([&](const Tensor& x) { return ops::matmul(x, w) + b; }, flat);
  check([&](const Tensor& x) { return ops::relu(ops::matmul(x, w)); }, deep);
}

TEST_CASE("updates that read each other's variables see the values before") {
  Variable a(Tensor::from({1.0f, 2.0f}, {2})), b(Tensor::from({10.0f, 20.0f}, {2}));
  auto f = function([&](const Tensor& x) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the value before an assignment
    const Tensor before = a.value();
    a.assign(a + b * x);
    b.assign(b + before * x);
  });
  for (int i = 0; i < 4; ++i) f(Tensor(1.0f));
  // (a, b) -> (a + b, a + b) at first, then doubled.
  CHECK(at(a.value(), 0) == 88);
  CHECK(at(b.value(), 1) == 176);
}

TEST_CASE("steady replays allocate no device memory") {
  Variable w(noise({16, 16}, 1), {.name = "w"});
  auto step = function([&](const Tensor& x) {
    w.assign_sub(ops::matmul(ops::transpose(x), ops::tanh(ops::matmul(x, w))) * 0.01);
  });
  const Tensor x = noise({8, 16}, 2);
  for (int i = 0; i < 4; ++i) step(x);
  const size_t live = memory::stats().live;
  memory::reset_peak();
  for (int i = 0; i < 100; ++i) step(x);
  CHECK(memory::stats().live == live);
  CHECK(memory::stats().peak == live);
}

}  // namespace function_test
