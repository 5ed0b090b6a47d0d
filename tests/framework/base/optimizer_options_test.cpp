// The options that all optimizers have, on an optimizer of one's own whose steps can be followed by
// hand: which order they act in, what a missing gradient leaves, and what a refused step leaves.
#include <cornu/cornu.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "support/all_close.h"
#include "support/contract.h"
#include "support/matchers.h"
#include "support/standard_error.h"

namespace optimizer_options_test {

using namespace cornu;
using cornu::test::contains;
using test::equals;

namespace {

// v - rate * gradient, and a slot that counts the updates of each variable.
class Descent : public Optimizer {
 public:
  explicit Descent(OptimizerOptions options) : Optimizer(named(std::move(options))) {}
  int begun = 0;

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) counts_.push_back(add_slot(v, "count"));
  }
  void begin_update(const Tensor&) override { ++begun; }
  void update_step(size_t index, const Tensor& gradient, Variable& variable,
                   const Tensor& rate) override {
    variable.assign(variable.value() - gradient * rate);
    counts_[index].assign(counts_[index].value() + 1.0);
  }
  Value::Dict get_config() const override { return {}; }

 private:
  static OptimizerOptions named(OptimizerOptions o) {
    o.name = "descent";
    return o;
  }
  std::vector<Variable> counts_;
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// A step's gradients of two variables of two elements each; `none` is a missing one.
using Step = std::pair<double, double>;

struct Case {
  const char* what;
  OptimizerOptions options;
  std::vector<Step> steps;
  std::vector<std::vector<double>> after;  // both variables after each step
};

Tensor both(double value) {
  return std::isnan(value) ? Tensor() : ops::full({2}, Tensor(value), DType::float32);
}

std::vector<Variable> two() {
  return {Variable(Tensor::from({1.0f, 2.0f}, {2}), {.name = "a"}),
          Variable(Tensor::from({3.0f, 4.0f}, {2}), {.name = "b"})};
}

std::vector<double> values_of(const std::vector<Variable>& variables) {
  std::vector<double> all;
  for (const Variable& v : variables)
    for (double x : v.value().to_vector<double>()) all.push_back(x);
  return all;
}

Tensor flat(const std::vector<Variable>& variables) {
  const std::vector<double> all = values_of(variables);
  return Tensor::from(all, {static_cast<int64_t>(all.size())});
}

// Keras's SGD with a rate of 0.5 gives these.
const std::vector<Case> cases = {
    {"a missing gradient keeps what was accumulated for the next round",
     {.learning_rate = 0.5, .gradient_accumulation_steps = 2},
     {{1, 1}, {1, none}, {1, 1}, {1, 1}},
     {{1, 2, 3, 4}, {0.5, 1.5, 3, 4}, {0.5, 1.5, 3, 4}, {0, 1, 2.25, 3.25}}},
    {"a gradient that comes late in the round counts by its share",
     {.learning_rate = 0.5, .gradient_accumulation_steps = 2},
     {{1, none}, {1, 1}, {1, 1}, {1, 1}},
     {{1, 2, 3, 4}, {0.5, 1.5, 2.75, 3.75}, {0.5, 1.5, 2.75, 3.75}, {0, 1, 2.25, 3.25}}},
    {"averages overwrite the variables every second step",
     {.learning_rate = 0.5, .use_ema = true, .ema_momentum = 0.5, .ema_overwrite_frequency = 2},
     {{1, 1}, {2, 2}, {3, 3}},
     {{0.5, 1.5, 2.5, 3.5}, {0, 1, 2, 3}, {-1.5, -0.5, 0.5, 1.5}}},
    {"averages of variables without a gradient go on",
     {.learning_rate = 0.5, .use_ema = true, .ema_momentum = 0.5},
     {{1, 1}, {2, none}, {3, 3}},
     {{0.5, 1.5, 2.5, 3.5}, {-0.5, 0.5, 2.5, 3.5}, {-2, -1, 1, 2}}},
    {"rounds of accumulation and of averages count different steps",
     {.learning_rate = 0.5,
      .use_ema = true,
      .ema_momentum = 0.5,
      .ema_overwrite_frequency = 2,
      .gradient_accumulation_steps = 2},
     {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}},
     {{1, 2, 3, 4},
      {0.25, 1.25, 2.25, 3.25},
      {0.25, 1.25, 2.25, 3.25},
      {-0.625, 0.375, 1.375, 2.375},
      {-0.625, 0.375, 1.375, 2.375}}},
    {"the global norm is of all gradients",
     {.learning_rate = 0.5, .global_clipnorm = 1.0},
     {{1, 1}, {30, 4}},
     {{0.75, 1.75, 2.75, 3.75}, {0.399548024, 1.39954805, 2.7032731, 3.7032731}}},
    {"a norm is of one gradient, and a missing one has none",
     {.learning_rate = 0.5, .clipnorm = 1.0},
     {{1, 1}, {30, none}},
     {{0.646446586, 1.64644659, 2.6464467, 3.64644665},
      {0.292893201, 1.29289317, 2.6464467, 3.64644665}}},
    {"a gradient that is not finite spoils its variable alone",
     {.learning_rate = 0.5, .clipnorm = 1.0},
     {{infinity, 1}},
     {{none, none, 2.646446705, 3.646446705}}},
    {"a gradient that is not finite spoils all with a global norm",
     {.learning_rate = 0.5, .global_clipnorm = 1.0},
     {{infinity, 1}},
     {{none, none, none, none}}},
    {"a bound of each element holds infinity",
     {.learning_rate = 0.5, .clipvalue = 1.0},
     {{infinity, -infinity}},
     {{0.5, 1.5, 3.5, 4.5}}},
    {"gradients of zero have a norm of zero",
     {.learning_rate = 0.5, .clipnorm = 1.0},
     {{0, 0}},
     {{1, 2, 3, 4}}},
    {"gradients of zero have a global norm of zero",
     {.learning_rate = 0.5, .global_clipnorm = 1.0},
     {{0, 0}},
     {{1, 2, 3, 4}}},
    {"a norm of zero is no bound",
     {.learning_rate = 0.5, .clipnorm = 0.0},
     {{1, 2}},
     {{0.5, 1.5, 2, 3}}},
    {"a bound below zero is none",
     {.learning_rate = 0.5, .clipvalue = -1.0},
     {{1, 2}},
     {{0.5, 1.5, 2, 3}}},
    {"the loss scale is taken out before the bound, and decay is not scaled",
     {.learning_rate = 0.5, .weight_decay = 0.1, .clipvalue = 0.5, .loss_scale_factor = 4.0},
     {{1, 2}},
     {{0.825, 1.775, 2.6, 3.55}}},
    {"no steps of accumulation are none",
     {.learning_rate = 0.5, .gradient_accumulation_steps = 0},
     {{1, 2}},
     {{0.5, 1.5, 2, 3}}},
    {"a frequency of zero overwrites never",
     {.learning_rate = 0.5, .use_ema = true, .ema_momentum = 0.5, .ema_overwrite_frequency = 0},
     {{1, 1}, {2, 2}},
     {{0.5, 1.5, 2.5, 3.5}, {-0.5, 0.5, 1.5, 2.5}}},
};

void check_after(const std::vector<Variable>& variables, const std::vector<double>& expected) {
  CHECK(test::all_close(flat(variables),
                        Tensor::from(expected, {static_cast<int64_t>(expected.size())}), 2e-6,
                        1e-6));
}

std::vector<Tensor> gradients_of(const Step& step) { return {both(step.first), both(step.second)}; }

}  // namespace

TEST_CASE("options of optimizers act as in Keras where steps can be followed by hand") {
  for (const Case& c : cases) {
    INFO(c.what);
    Descent descent(c.options);
    std::vector<Variable> variables = two();
    descent.build(variables);
    for (size_t i = 0; i < c.steps.size(); ++i) {
      INFO("step " << i);
      descent.apply(gradients_of(c.steps[i]), variables);
      check_after(variables, c.after[i]);
      CHECK(descent.variables()[0].value().item() == static_cast<double>(i + 1));
    }
  }
}

TEST_CASE("options of optimizers act in a compiled step as eagerly") {
  for (const Case& c : cases) {
    INFO(c.what);
    Descent descent(c.options);
    std::vector<Variable> variables = two();
    descent.build(variables);
    // One function for each pattern of missing gradients.
    auto step = function([&](const Nest& given) -> Nest {
      std::vector<Tensor> gradients(2);
      for (const auto& [name, gradient] : given.entries())
        gradients[name == "a" ? 0 : 1] = gradient.tensor();
      descent.apply(gradients, variables);
      return Tensor(0.0f);
    });
    for (size_t i = 0; i < c.steps.size(); ++i) {
      INFO("step " << i);
      Nest::Dict given;
      const auto gradients = gradients_of(c.steps[i]);
      if (gradients[0]) given.emplace_back("a", gradients[0]);
      if (gradients[1]) given.emplace_back("b", gradients[1]);
      step(Nest::dict(given));
      check_after(variables, c.after[i]);
    }
  }
}

TEST_CASE("options of optimizers act on values as on variables") {
  for (const Case& c : cases) {
    INFO(c.what);
    Descent descent(c.options);
    const std::vector<Variable> variables = two();
    descent.build(variables);
    std::vector<Tensor> own, values;
    for (const Variable& v : descent.variables()) own.push_back(v.value());
    for (const Variable& v : variables) values.push_back(v.value());
    for (size_t i = 0; i < c.steps.size(); ++i) {
      std::tie(values, own) = descent.stateless_apply(own, gradients_of(c.steps[i]), values);
      std::vector<double> got;
      for (const Tensor& t : values)
        for (double x : t.to_vector<double>()) got.push_back(x);
      CHECK(test::all_close(Tensor::from(got, {4}), Tensor::from(c.after[i], {4}), 2e-6, 1e-6));
    }
    check_after(variables, {1, 2, 3, 4});
    CHECK(descent.iterations().item() == 0);
  }
}

TEST_CASE("slots change in the last step of a round alone") {
  Descent descent({.learning_rate = 0.5, .gradient_accumulation_steps = 3});
  const std::vector<Variable> variables = two();
  for (int i = 1; i <= 7; ++i) {
    descent.apply({both(1), both(1)}, variables);
    // iteration, rate, two accumulators, two counts.
    const std::vector<Variable> state = descent.variables();
    const int64_t rounds = i / 3, rest = i % 3;
    const auto applied = static_cast<double>(rounds), gathered = static_cast<double>(rest);
    REQUIRE(state.size() == 6);
    CHECK(equals(state[4].value(), {applied, applied}));
    CHECK(equals(state[2].value(), {gathered, gathered}));
    CHECK(descent.iterations().item() == applied);
  }
}

TEST_CASE("the state of an optimizer has Keras's order and names") {
  Descent descent({.learning_rate = 0.5, .use_ema = true, .gradient_accumulation_steps = 2});
  Variable nested(ops::ones({2}), {.name = "kernel"});
  nested.set_path("net/dense/kernel");
  descent.build({nested});
  std::vector<std::string> names;
  for (const Variable& v : descent.variables()) names.push_back(v.path());
  CHECK(names == std::vector<std::string>{"descent/iteration", "descent/learning_rate",
                                          "descent/net_dense_kernel_average",
                                          "descent/net_dense_kernel_gradient_accumulator",
                                          "descent/net_dense_kernel_count"});
  for (const Variable& v : descent.variables()) CHECK_FALSE(v.trainable());
  CHECK(descent.variables()[0].dtype() == DType::int64);
  CHECK(descent.variables()[1].dtype() == DType::float32);
}

TEST_CASE("constraints hold after a step, for variables with a gradient alone") {
  const auto constrained = [](std::vector<float> values, const char* name) {
    return Variable(Tensor::from(values, {2}), {.name = name, .constraint = [](const Tensor& x) {
                                                  return ops::maximum(x, Tensor(0.0f));
                                                }});
  };
  {
    const std::vector<Variable> v = {constrained({-1, 2}, "a"), constrained({-3, 4}, "b")};
    Descent({.learning_rate = 0.01}).apply({both(1), Tensor()}, v);
    check_after(v, {0, 1.99, -3, 4});
  }
  {
    // Between updates too.
    const std::vector<Variable> v = {constrained({-1, 2}, "a")};
    Descent descent({.learning_rate = 0.01, .gradient_accumulation_steps = 2});
    descent.apply({both(1)}, v);
    check_after(v, {0, 2});
  }
  {
    // Averages are taken before the constraint.
    const std::vector<Variable> v = {constrained({-1, 2}, "a")};
    Descent descent({.learning_rate = 1.0, .use_ema = true, .ema_momentum = 0.5});
    const std::vector<std::vector<double>> after = {{0, 2.5}, {0, 0}, {0, 0}},
                                           averages = {{-0.5, 2.5}, {-2.25, 0.5}, {-1.125, 0.25}};
    const std::vector<double> gradients = {-0.5, 4, 0};
    for (size_t i = 0; i < 3; ++i) {
      descent.apply({both(gradients[i])}, v);
      check_after(v, after[i]);
      CHECK(equals(descent.variables()[2].value(), averages[i]));
    }
    descent.finalize_variable_values();
    check_after(v, averages[2]);
  }
}

TEST_CASE("a pair of gradient and variable may come in any order, and one may be left out") {
  Descent descent({.learning_rate = 0.5});
  std::vector<Variable> v = two();
  descent.build(v);
  descent.apply_gradients({{both(2), v[1]}, {both(1), v[0]}});
  check_after(v, {0.5, 1.5, 2, 3});
  descent.apply_gradients({{both(2), v[1]}});
  check_after(v, {0.5, 1.5, 1, 2});
  CHECK(descent.begun == 2);
  CHECK(equals(descent.variables()[2].value(), {1, 1}));
  CHECK(equals(descent.variables()[3].value(), {2, 2}));
  descent.apply_gradients({});
  CHECK(descent.iterations().item() == 2);
  descent.apply_gradients(zip({both(1), both(2)}, v));
  check_after(v, {0, 1, 0, 1});
  CHECK_THROWS_WITH(zip({both(1)}, v), "zip: there are 1 gradients and 2 variables.");
  // The first one that is applied builds for those variables alone.
  Descent late({.learning_rate = 0.5});
  late.apply_gradients({{both(2), v[1]}});
  CHECK_THROWS_WITH(late.apply_gradients({{both(2), v[0]}}),
                    contains("Optimizer 'descent' was not built for variable 'a'"));
}

TEST_CASE("a missing gradient is warned of once, by the variable's path") {
  Descent descent({.learning_rate = 0.5});
  std::vector<Variable> v = two();
  v[1].set_path("net/left_out");
  const std::string text = test::standard_error_of([&] {
    descent.apply({both(1), Tensor()}, v);
    descent.apply({both(1), Tensor()}, v);
  });
  const std::string sentence = "the loss does not depend on net/left_out";
  const size_t first = text.find(sentence);
  REQUIRE(first != std::string::npos);
  CHECK(text.find(sentence, first + 1) == std::string::npos);
}

TEST_CASE("a refused step changes neither variables nor state") {
  for (const OptimizerOptions& options :
       {OptimizerOptions{.learning_rate = 0.5},
        OptimizerOptions{.learning_rate = 0.5, .use_ema = true, .gradient_accumulation_steps = 2},
        OptimizerOptions{.learning_rate = 0.5, .weight_decay = 0.1, .global_clipnorm = 1.0}}) {
    Descent descent(options);
    std::vector<Variable> v = two();
    descent.build(v);
    const Variable other(ops::ones({2}), {.name = "other"});
    const std::vector<double> before = values_of(descent.variables());
    CHECK_THROWS_AS(descent.apply({both(1)}, v), ValueError);
    CHECK_THROWS_AS(descent.apply({both(1), ops::ones({3})}, v), ShapeError);
    CHECK_THROWS_AS(descent.apply({both(1), ops::ones({2, 1})}, v), ShapeError);
    CHECK_THROWS_AS(descent.apply({both(1), both(1)}, {v[0], other}), ValueError);
    CHECK_THROWS_AS(descent.apply({both(1), both(1)}, {v[0], Variable()}), ValueError);
    CHECK_THROWS_AS(descent.apply({Tensor(), Tensor()}, v), ValueError);
    check_after(v, {1, 2, 3, 4});
    CHECK(values_of(descent.variables()) == before);
    CHECK(descent.begun == 0);
    // And the next step is as if nothing had happened.
    Descent fresh(options);
    std::vector<Variable> w = two();
    fresh.apply({both(1), both(2)}, w);
    descent.apply({both(1), both(2)}, v);
    CHECK(values_of(v) == values_of(w));
    CHECK(values_of(descent.variables()) == values_of(fresh.variables()));
  }
}

TEST_CASE("a refused step leaves variables that get their gradient as value") {
  Descent descent({.learning_rate = 0.5});
  std::vector<Variable> v = two();
  v.emplace_back(ops::ones({}), Variable::Options{.name = "scale"});
  v[2].set_overwrite_with_gradient(true);
  descent.build(v);
  const Tensor scale = ops::full({}, 3.0);
  CHECK_THROWS_AS(descent.apply({both(1), ops::ones({3}), scale}, v), ShapeError);
  CHECK_THROWS_AS(descent.apply({both(1), both(1), ops::ones({3})}, v), ShapeError);
  CHECK_THROWS_AS(descent.apply({Tensor(), Tensor(), scale}, v), ValueError);
  CHECK(values_of(v) == std::vector<double>{1, 2, 3, 4, 1});
  CHECK(descent.iterations().item() == 0);
  descent.apply({both(1), both(2), scale}, v);
  CHECK(values_of(v) == std::vector<double>{0.5, 1.5, 2, 3, 3});
}

TEST_CASE("a step is seen once, with the gradients that are values") {
  struct Watcher : LayerObserver {
    void applying(const std::vector<Tensor>& gradients, const std::vector<Variable>&) override {
      seen.push_back(gradients.size());
    }
    std::vector<size_t> seen;
  };
  Descent descent({.learning_rate = 0.5});
  std::vector<Variable> v = two();
  v[1].set_overwrite_with_gradient(true);
  Watcher watcher;
  LayerObserver* const outer = std::exchange(call_context().observer, &watcher);
  descent.apply({both(1), both(2)}, v);
  call_context().observer = outer;
  CHECK(watcher.seen == std::vector<size_t>{2});
}

TEST_CASE("a failed build of an optimizer leaves nothing behind") {
  // Refuses variables of three elements.
  class Picky : public Descent {
   public:
    using Descent::Descent;

   protected:
    void build_slots(const std::vector<Variable>& variables) override {
      for (const Variable& v : variables) {
        add_slot(v, "moment");
        if (v.shape() == Shape{3}) throw ShapeError("three elements.");
      }
      Descent::build_slots(variables);
    }
  };
  for (const int64_t steps : {0, 2}) {
    const OptimizerOptions options{
        .learning_rate = 0.5, .use_ema = true, .gradient_accumulation_steps = steps};
    Picky picky(options), fresh(options);
    const std::vector<Variable> v = two();
    CHECK_THROWS_AS(picky.build({v[0], Variable(ops::ones({3}))}), ShapeError);
    CHECK_FALSE(picky.built());
    CHECK(picky.averages().empty());
    CHECK(picky.variables().size() == 2);
    picky.build(v);
    fresh.build(v);
    REQUIRE(picky.variables().size() == fresh.variables().size());
    for (size_t i = 0; i < fresh.variables().size(); ++i)
      CHECK(picky.variables()[i].path() == fresh.variables()[i].path());
  }
}

TEST_CASE("decay spares variables that are listed or named, found before or after building") {
  const auto run = [](bool before, const std::vector<std::string>& names, bool list_first) {
    Descent descent({.learning_rate = 1.0, .weight_decay = 0.5});
    std::vector<Variable> v = two();
    if (!before) descent.build(v);
    descent.exclude_from_weight_decay({"^nothing$"});
    descent.exclude_from_weight_decay(
        names, list_first ? std::vector<Variable>{v[0]} : std::vector<Variable>{});
    descent.apply({both(0), both(0)}, v);
    return values_of(v);
  };
  for (const bool before : {true, false}) {
    INFO(before);
    CHECK(run(before, {}, false) == std::vector<double>{0.5, 1, 1.5, 2});
    CHECK(run(before, {}, true) == std::vector<double>{1, 2, 1.5, 2});
    CHECK(run(before, {"^b$"}, false) == std::vector<double>{0.5, 1, 3, 4});
    CHECK(run(before, {"a", "b"}, false) == std::vector<double>{1, 2, 3, 4});
    CHECK(run(before, {"[ab]"}, false) == std::vector<double>{1, 2, 3, 4});
    CHECK_THROWS_WITH(run(before, {"["}, false),
                      contains("exclude_from_weight_decay: '[' is not a regular expression"));
  }
}

TEST_CASE("what is no regular expression leaves the exclusions as they were") {
  Descent descent({.learning_rate = 1.0, .weight_decay = 0.5});
  std::vector<Variable> v = two();
  descent.exclude_from_weight_decay({"^b$"});
  CHECK_THROWS_AS(descent.exclude_from_weight_decay({"["}), ValueError);
  descent.apply({both(0), both(0)}, v);
  CHECK(values_of(v) == std::vector<double>{0.5, 1, 3, 4});
}

TEST_CASE("mistakes with the options say what was found") {
  const auto wrong = [](OptimizerOptions o) { return test::error_of([&] { Descent d(o); }); };
  CHECK(wrong({.gradient_accumulation_steps = 1}) ==
        "Optimizer 'descent': gradient_accumulation_steps must be at least 2, found 1.");
  CHECK(wrong({.gradient_accumulation_steps = -3}) ==
        "Optimizer 'descent': gradient_accumulation_steps must be at least 2, found -3.");
  CHECK(wrong({.use_ema = true, .ema_momentum = -0.1}) ==
        "Optimizer 'descent': ema_momentum must be in [0, 1], found -0.1.");
  CHECK(wrong({.use_ema = true, .ema_momentum = none}) ==
        "Optimizer 'descent': ema_momentum must be in [0, 1], found nan.");
  CHECK(wrong({.use_ema = false, .ema_momentum = 5.0}) == "no error");
  CHECK(test::has(wrong({.clipnorm = 1.0, .clipvalue = 1.0}), "only one of clipnorm"));
  CHECK(test::has(wrong({.clipnorm = 1.0, .global_clipnorm = 0.0}), "only one of clipnorm"));
  Descent unbuilt({.learning_rate = 0.5});
  CHECK(test::has(test::error_of([&] { unbuilt.stateless_apply({}, {}, {}); }),
                  "stateless_apply needs its variables"));
  CHECK(test::has(test::error_of([&] { unbuilt.apply({both(1)}); }),
                  "apply without variables needs a call of build(variables) before"));
}

}  // namespace optimizer_options_test
