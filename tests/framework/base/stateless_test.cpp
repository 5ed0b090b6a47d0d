// Layers, optimizers and metrics as functions of values.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/matchers.h"

namespace stateless_test {

using namespace cornu;
using cornu::test::contains;

namespace {

bool equal(const Tensor& a, const Tensor& b) { return ops::all(ops::equal(a, b)).item() != 0; }

}  // namespace

TEST_CASE("Inside a StatelessScope variables have other values, and keep their own") {
  const Variable v(ops::array({1.0f, 2.0f}));
  Variable w(ops::array({5.0f, 6.0f}));
  {
    StatelessScope scope({{v, ops::array({3.0f, 4.0f})}});
    CHECK(equal(v.value(), ops::array({3.0f, 4.0f})));
    CHECK(equal(Tensor(v) + w, ops::array({8.0f, 10.0f})));
    w.assign_add(ops::array({1.0f, 1.0f}));
    CHECK(equal(w.value(), ops::array({6.0f, 7.0f})));
    CHECK(equal(scope.get_current_value(w), ops::array({6.0f, 7.0f})));
    {
      const StatelessScope inner;
      CHECK(equal(v.value(), ops::array({1.0f, 2.0f})));
    }
    CHECK_FALSE(scope.get_current_value(Variable(Tensor(1.0f))));
    CHECK_THROWS_WITH(scope.add_update(v, ops::array({1.0f})),
                      contains("variable") && contains("(1,)"));
  }
  CHECK(equal(v.value(), ops::array({1.0f, 2.0f})));
  CHECK(equal(w.value(), ops::array({5.0f, 6.0f})));
}

TEST_CASE("A stateless call computes with the values that it is given") {
  const layers::Dense dense({.units = 2, .kernel_initializer = "ones"});
  dense(ops::ones({1, 3}));
  const auto [y, state] =
      dense->stateless_call({ops::full({3, 2}, 2.0), ops::ones({2})}, {}, ops::ones({1, 3}));
  CHECK(equal(y, Tensor::from({7.0f, 7.0f}, {1, 2})));
  CHECK(state.empty());
  CHECK(equal(dense(ops::ones({1, 3})), Tensor::from({3.0f, 3.0f}, {1, 2})));
}

TEST_CASE("A stateless call gives the new state of moving averages and of seeds") {
  Sequential model({layers::BatchNormalization(), layers::Dropout({.rate = 0.5, .seed = 1})});
  const Tensor x = ops::reshape(ops::arange(24, "float32"), {8, 3});
  model(x);
  const std::vector<Variable> state = model.non_trainable_variables();
  // Mean, variance, and the seed of the dropout.
  REQUIRE(state.size() == 3);
  CHECK(model.non_trainable_weights().size() == 2);
  CHECK(model.variables().size() == 5);
  const std::vector<Tensor> before = StateValues(state).tensors();

  const auto [first, after] =
      model.stateless_call(model.trainable_variables(), before, x, {.training = true});
  for (size_t i = 0; i < state.size(); ++i) {
    CHECK(equal(state[i].value(), before[i]));
    CHECK_FALSE(equal(after[i], before[i]));
  }
  const auto [again, unused] =
      model.stateless_call(model.trainable_variables(), before, x, {.training = true});
  CHECK(equal(first, again));
  const auto [second, later] =
      model.stateless_call(model.trainable_variables(), after, x, {.training = true});
  CHECK_FALSE(equal(first, second));

  const Tensor same = model(x, {.training = true});
  CHECK(equal(first, same));
  for (size_t i = 0; i < state.size(); ++i) CHECK(equal(state[i].value(), after[i]));
}

TEST_CASE("Gradients go through a stateless call to the tensors that it is given") {
  const layers::Dense dense({.units = 1, .use_bias = false});
  dense(ops::ones({2, 3}));
  const Tensor x = ops::reshape(ops::arange(6, "float32"), {2, 3});
  const Tensor kernel = ops::full({3, 1}, 0.5);
  GradientTape tape;
  tape.watch(kernel);
  const Tensor loss = ops::sum(dense->stateless_call({kernel}, {}, x).first);
  CHECK(equal(tape.gradient(loss, kernel), Tensor::from({3.0f, 5.0f, 7.0f}, {3, 1})));
}

TEST_CASE("A stateless call tells its losses and leaves none behind") {
  const layers::Dense dense(
      {.units = 1, .use_bias = false, .kernel_regularizer = regularizers::L2({.l2 = 0.1})});
  dense(ops::ones({1, 2}));
  const auto [y, state, losses] =
      dense->stateless_call_with_losses({ops::full({2, 1}, 3.0)}, {}, ops::ones({1, 2}));
  CHECK(y.item() == 6);
  REQUIRE(losses.size() == 1);
  CHECK(losses[0].item() == Approx(1.8));
}

TEST_CASE("A stateless call says what does not fit") {
  const layers::Dense dense({.units = 2});
  CHECK_THROWS_AS(dense->stateless_call({}, {}, ops::ones({1, 3})), StateError);
  dense(ops::ones({1, 3}));
  CHECK_THROWS_WITH(dense->stateless_call({ops::ones({3, 2})}, {}, ops::ones({1, 3})),
                    contains("trainable_variables: expected 2 values") && contains("found 1"));
  CHECK_THROWS_AS(dense->stateless_call({ops::ones({2, 2}), ops::ones({2})}, {}, ops::ones({1, 3})),
                  ShapeError);
}

TEST_CASE("A stateless training loop ends where training ends") {
  const Tensor x = ops::reshape(ops::arange(12, "float32"), {4, 3}) / Tensor(12.0f);
  const Tensor y = ops::ones({4, 1});
  const auto make_model = [] {
    return Sequential(
        {layers::Dense({.units = 4,
                        .activation = "tanh",
                        .kernel_initializer = initializers::GlorotUniform({.seed = 3})}),
         layers::Dense(
             {.units = 1, .kernel_initializer = initializers::GlorotUniform({.seed = 4})})});
  };
  Sequential stateful = make_model(), stateless = make_model();
  stateful(x), stateless(x);
  optimizers::Adam adam({.learning_rate = 0.1}), other({.learning_rate = 0.1});
  metrics::MeanSquaredError metric;

  other->build(stateless.trainable_variables());
  std::vector<Tensor> weights = StateValues(stateless.trainable_variables()).tensors();
  std::vector<Tensor> state = StateValues(other->variables()).tensors();
  std::vector<Tensor> seen = metric->stateless_reset_state();
  const std::vector<Tensor> first_weights = weights;
  for (int step = 0; step < 3; ++step) {
    {
      GradientTape tape;
      const Tensor loss = ops::mean(ops::square(stateful(x) - y));
      adam->apply(tape.gradient(loss, stateful.trainable_variables()),
                  stateful.trainable_variables());
    }
    GradientTape tape;
    for (const Tensor& w : weights) tape.watch(w);
    const Tensor predicted = stateless.stateless_call(weights, {}, x).first;
    const Tensor loss = ops::mean(ops::square(predicted - y));
    seen = metric->stateless_update_state(seen, y, predicted);
    std::tie(weights, state) = other->stateless_apply(state, tape.gradient(loss, weights), weights);
  }
  const std::vector<Tensor> expected = stateful.get_weights();
  for (size_t i = 0; i < weights.size(); ++i) {
    CHECK(equal(weights[i], expected[i]));
    CHECK(equal(stateless.get_weights()[i], first_weights[i]));
  }
  CHECK(other->iterations().item() == 0);
  CHECK(metric->stateless_result(seen).item() > 0);
  CHECK(metric->variables()[1].value().item() == 0);
  CHECK_THROWS_WITH(other->stateless_apply({}, {}, weights), contains("optimizer_variables"));
  CHECK_THROWS_AS(adam->stateless_apply({}, {}, {}), ValueError);
  optimizers::SGD unbuilt;
  CHECK_THROWS_AS(unbuilt->stateless_apply({}, {}, {}), StateError);
}

TEST_CASE("A compiled function inside a StatelessScope computes with the scope's values") {
  const Variable v(Tensor(2.0f));
  Function times([&](const Nest& x) { return Nest(x.tensor() * v); });
  for (int i = 0; i < 3; ++i) CHECK(times(Tensor(3.0f)).item() == 6);
  const StatelessScope scope({{v, Tensor(5.0f)}});
  CHECK(times(Tensor(3.0f)).item() == 15);
}

}  // namespace stateless_test
