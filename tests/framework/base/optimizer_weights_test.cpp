// What an optimizer's subclass and its user do with its variables: weights, averages, state of its
// own. The numbers are Keras's.
#include <cornu/cornu.h>

#include <tuple>

#include "catch.h"
#include "support/contract.h"
#include "support/matchers.h"

namespace optimizer_weights_test {

using namespace cornu;
using cornu::test::contains;
using test::equals;

namespace {

Tensor floats(const std::vector<float>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

Variable pair(float a, float b, const std::string& name = "p") {
  return Variable(floats({a, b}), {.name = name});
}

// v - rate * gradient / sqrt(1 + the sum of squares so far), as its user would write it in Keras.
class Mine : public Optimizer {
 public:
  Mine() : Optimizer({.name = "mine", .learning_rate = 0.5}) {}
  Value::Dict get_config() const override { return {}; }
  Variable extra;

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    sums_ = add_optimizer_variables(variables, "sum", "ones");
    extra = add_variable({.shape = {2}, .initializer = "ones", .name = "extra"});
  }
  void update_step(size_t index, const Tensor& gradient, Variable& variable,
                   const Tensor& rate) override {
    assign_add(sums_[index], gradient * gradient);
    assign_sub(variable, rate * gradient / ops::sqrt(sums_[index]));
    assign(extra, extra * 2);
  }

 private:
  std::vector<Variable> sums_;
};

// Makes slots of several names, as Keras's tuple of lists.
class WithSlots : public Optimizer {
 public:
  WithSlots() : Optimizer({.name = "o", .learning_rate = 0.5}) {}
  Value::Dict get_config() const override { return {}; }
  std::vector<Variable> m, v;

 protected:
  void build_slots(const std::vector<Variable>& variables) override {
    std::tie(m, v) = add_optimizer_variables(variables, {"m", "v"}, {"zeros", "ones"});
    auto [a, b] = add_optimizer_variables(variables, {"a", "b"}, "ones");
    auto [c] = add_optimizer_variables(variables, {"c"});
    std::vector<std::string> names = {"d"};
    REQUIRE(add_optimizer_variables(variables, names, initializers::Constant({.value = 2}))
                .at(0)
                .size() == variables.size());
    CHECK(a[0].path() == "o/p_a");
    CHECK(b[1].path() == "o/q_b");
    CHECK(c[1].path() == "o/q_c");
  }
  void update_step(size_t, const Tensor&, Variable&, const Tensor&) override {}
};

}  // namespace

TEST_CASE("set_weights gives an optimizer the state of another") {
  const Variable v = pair(1, 2);
  optimizers::Adam adam({.learning_rate = 0.1});
  CHECK_THROWS_AS(adam->set_weights({}), StateError);
  adam->build({v});
  adam->set_weights({Tensor(3), Tensor(0.05), floats({0.1f, 0.2f}), floats({0.01f, 0.02f})});
  adam->apply({floats({0.5f, -1})}, {v});
  CHECK(equals(v.value(), {0.98728794, 1.9949251}));
  const std::vector<Tensor> weights = adam->get_weights();
  REQUIRE(weights.size() == 4);
  CHECK(weights[0].item() == 4);
  CHECK(equals(weights[2], {0.14, 0.08}));
  CHECK(equals(weights[3], {0.01024, 0.02098}));

  // The first of them alone, as in Keras.
  adam->set_weights({Tensor(7)});
  CHECK(adam->iterations().item() == 7);
  CHECK(equals(adam->get_weights()[2], {0.14, 0.08}));
  CHECK_THROWS_WITH(adam->set_weights({Tensor(0), Tensor(1), ops::zeros({3})}),
                    contains("shape (2,)") && contains("shape (3,)"));
  CHECK(adam->iterations().item() == 7);
  CHECK_THROWS_WITH(adam->set_weights(std::vector<Tensor>(5, Tensor(0))),
                    contains("5 values were given for 4 variables"));
}

TEST_CASE("averages are given beside their variables") {
  const optimizers::SGD sgd({.learning_rate = 0.5, .use_ema = true, .ema_momentum = 0.5});
  const Variable a(ops::zeros({2})), scale(ops::ones({})), b(ops::zeros({1}));
  Variable(scale).set_overwrite_with_gradient(true);
  CHECK(sgd->averages().empty());
  sgd->build({a, scale, b});
  const auto averages = sgd->averages();
  REQUIRE(averages.size() == 2);
  CHECK(averages[0].first == a);
  CHECK(averages[1].first == b);
  for (int i = 0; i < 2; ++i) sgd->apply({ops::ones({2}), Tensor(), ops::ones({1})}, {a, scale, b});
  CHECK(averages[1].second.value().item() == -0.75);
  CHECK(optimizers::SGD({.learning_rate = 0.5})->averages().empty());
}

TEST_CASE("averages go into the variables that are named") {
  const Variable w = pair(1, 2), u = pair(0, 0, "u");
  optimizers::SGD sgd({.learning_rate = 0.5, .use_ema = true, .ema_momentum = 0.5});
  sgd->apply({floats({1, 1})}, {w});
  sgd->apply({floats({1, 0})}, {w});
  CHECK(equals(w.value(), {0, 1.5}));
  sgd->finalize_variable_values({u});
  CHECK(equals(u.value(), {0.25, 1.5}));
  CHECK(equals(w.value(), {0, 1.5}));
  CHECK_THROWS_WITH(sgd->finalize_variable_values({u, w}), contains("2 variables were given"));
  // Without averages there is nothing to do.
  optimizers::SGD({.learning_rate = 0.5})->finalize_variable_values({u, w});
  CHECK(equals(u.value(), {0.25, 1.5}));
}

TEST_CASE("a subclass makes and changes state as in Keras") {
  const Variable p = pair(1, 2);
  Mine mine;
  mine.apply({floats({1, -2})}, {p});
  CHECK(equals(p.value(), {0.6464466, 2.4472136}));
  std::vector<std::string> paths;
  for (const Variable& v : mine.variables()) paths.push_back(v.path());
  CHECK(paths == std::vector<std::string>{"mine/iteration", "mine/learning_rate", "mine/p_sum",
                                          "mine/extra"});
  CHECK(equals(mine.variables()[2].value(), {2, 5}));
  CHECK(equals(mine.extra.value(), {2, 2}));
}

TEST_CASE("slots of several names stand side by side for each variable") {
  WithSlots o;
  o.build({pair(1, 2), Variable(floats({3}), {.name = "q"})});
  std::vector<std::string> paths;
  for (const Variable& v : o.variables()) paths.push_back(v.path());
  CHECK(paths == std::vector<std::string>{"o/iteration", "o/learning_rate", "o/p_m", "o/p_v",
                                          "o/q_m", "o/q_v", "o/p_a", "o/p_b", "o/q_a", "o/q_b",
                                          "o/p_c", "o/q_c", "o/p_d", "o/q_d"});
  REQUIRE(o.m.size() == 2);
  CHECK(equals(o.m[0].value(), {0, 0}));
  CHECK(equals(o.v[1].value(), {1}));
  CHECK(equals(o.variables().back().value(), {2}));
  CHECK_THROWS_WITH(
      o.add_optimizer_variables({pair(1, 2)}, {"x", "y"}, std::vector<Choice<Initializer>>{"ones"}),
      contains("each of the 2 names (x, y)") && contains("found 1"));
  Variable scale = pair(1, 2, "scale");
  scale.set_overwrite_with_gradient(true);
  const auto slots = o.add_optimizer_variables({scale, pair(1, 2)}, "x");
  CHECK_FALSE(slots[0]);
  CHECK(slots[1].path() == "o/p_x");
}

TEST_CASE("weight decay leaves out variables in Keras's order of arguments") {
  const Variable kernel = pair(1, 2, "kernel"), bias = pair(1, 2, "bias");
  const std::vector<Variable> both = {kernel, bias};
  const auto decayed = [&](const std::function<void(Optimizer&)>& exclude) {
    optimizers::SGD sgd({.learning_rate = 0.5, .weight_decay = 0.5});
    exclude(*sgd);
    for (const Variable& v : both) v.assign(floats({1, 2}));
    sgd->apply({floats({0, 0}), floats({0, 0})}, both);
    return std::pair(kernel.value()[0].item() != 1, bias.value()[0].item() != 1);
  };
  CHECK(decayed([](Optimizer&) {}) == std::pair(true, true));
  CHECK(decayed([&](Optimizer& o) { o.exclude_from_weight_decay({kernel}); }) ==
        std::pair(false, true));
  CHECK(decayed([&](Optimizer& o) { o.exclude_from_weight_decay(both); }) ==
        std::pair(false, false));
  CHECK(decayed([&](Optimizer& o) { o.exclude_from_weight_decay({kernel}, {"bias"}); }) ==
        std::pair(false, false));
  CHECK(decayed([&](Optimizer& o) { o.exclude_from_weight_decay({}, {"bias"}); }) ==
        std::pair(true, false));
  CHECK(decayed([&](Optimizer& o) { o.exclude_from_weight_decay({"bias"}); }) ==
        std::pair(true, false));
}

TEST_CASE("an optimizer that scales the loss hands averages of named variables on") {
  const Variable a = pair(1, 2), b = pair(0, 0);
  optimizers::LossScaleOptimizer scaled(
      {.inner_optimizer = optimizers::SGD({.learning_rate = 0.5, .use_ema = true})});
  scaled->build({a});
  scaled->apply({floats({1, 1})}, {a});
  const auto before = a.value().to_vector<float>();
  scaled->finalize_variable_values(std::vector<Variable>{b});
  CHECK(a.value().to_vector<float>() == before);
  CHECK(b.value().to_vector<float>() != std::vector<float>{0, 0});
  CHECK_THROWS_AS(scaled->finalize_variable_values(std::vector<Variable>{a, b}), ValueError);
}

TEST_CASE("set_weights refuses empty tensors") {
  optimizers::SGD sgd({.learning_rate = 0.5});
  sgd->build({pair(1, 2)});
  CHECK_THROWS_WITH(sgd->set_weights({Tensor()}), contains("is an empty tensor"));
}

}  // namespace optimizer_weights_test
