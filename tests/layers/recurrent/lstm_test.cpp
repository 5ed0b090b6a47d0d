// LSTM, LSTMCell.
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/regularizers/l2.h>
#include <cornu/layers/core/masking.h>
#include <cornu/layers/recurrent/bidirectional.h>
#include <cornu/layers/recurrent/gru.h>
#include <cornu/layers/recurrent/lstm.h>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/matchers.h"

namespace lstm_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("LSTM keeps a layer's contract") {
  check_layer<layers::LSTM>({.units = 3}, {.input = {2, 4, 2}, .output = {2, 3}, .weights = 3});
  check_layer<layers::LSTM>({.units = 2,
                             .use_bias = false,
                             .return_sequences = true,
                             .return_state = true,
                             .go_backwards = true},
                            {.input = {2, 3, 2}, .output = {2, 3, 2}, .weights = 2});
  check_layer<layers::LSTM>(
      {.units = 2, .return_sequences = true},
      {.input = {2, 3, 2},
       .output = {2, 3, 2},
       .weights = 3,
       .mask = ops::cast(Tensor::from({1, 0, 1, 0, 1, 1}, {2, 3}), DType::boolean)});
}

TEST_CASE("LSTM keeps its weights in its cell") {
  layers::LSTM lstm({.units = 3, .name = "lstm"});
  lstm(Tensor::from(std::vector<float>(8, 1.0f), {2, 2, 2}));
  CHECK(lstm->own_weights().empty());
  REQUIRE(lstm->tracked().size() == 1);
  CHECK(lstm->tracked()[0].attribute == "cell");
  CHECK(lstm->cell->name() == "lstm_cell");
  CHECK(lstm->cell->kernel.shape() == Shape{2, 12});
  // The forget gate's bias starts at 1.
  CHECK(lstm->cell->bias.value().to_vector<float>() ==
        std::vector<float>{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a stateful LSTM goes on where it stopped") {
  const Tensor x = Tensor::from({0.1f, 0.5f, -0.3f, 0.8f}, {1, 4, 1});
  layers::LSTM whole({.units = 2}), parts({.units = 2, .stateful = true});
  const Tensor expected = whole(x);
  const std::vector<Tensor> halves = ops::split(x, 2, 1);
  parts->ensure_built(halves[0]);
  parts->set_weights(whole->get_weights());
  parts(halves[0]);
  CHECK(test::difference(parts(halves[1]), expected) < 1e-6);
  parts->reset_state();
  parts(halves[0]);
  CHECK(test::difference(parts(halves[1]), expected) < 1e-6);
}

// As Keras, which hands on the mask of a tensor that is the only one of a call.
TEST_CASE("a mask that x carries is not read beside first states") {
  const Tensor x = Tensor::from({0.1f, 0.5f, 0.0f, 0.8f, 0.2f, -0.6f}, {2, 3, 1});
  const Tensor mask = ops::cast(Tensor::from({1, 0, 0, 1, 1, 0}, {2, 3}), DType::boolean);
  const Tensor state = Tensor::from({0.4f, -0.2f, 0.3f, 0.1f}, {2, 2});
  const auto check = [&](auto& layer, const Nest::List& states) {
    const Value::Dict first = {{"initial_state", Value(Nest(states))}};
    const auto run = [&](const Tensor& x, const Call& call) {
      return layer(Nest(x), call).flatten()[0];
    };
    Tensor carrying = ops::stop_gradient(x);
    carrying.set_mask(mask);
    const Tensor whole = run(x, {.extra = first}), y = run(carrying, {.extra = first});
    CHECK(test::difference(y, whole) == 0);
    CHECK(y.mask().impl() == mask.impl());
    const Tensor named = run(carrying, {.mask = mask, .extra = first});
    CHECK(test::difference(named, whole) > 0.01);
    CHECK(test::difference(named, run(x, {.mask = mask, .extra = first})) == 0);
    CHECK(test::difference(run(carrying, {}), run(x, {.mask = mask})) == 0);
  };
  layers::GRU gru({.units = 2, .return_sequences = true});
  check(gru, {state});
  layers::LSTM lstm({.units = 2, .return_sequences = true});
  check(lstm, {state, state});
  layers::Bidirectional both({.layer = layers::LSTM({.units = 2, .return_sequences = true})});
  check(both, {state, state, state, state});

  // In a graph too.
  const Tensor steps = Input({3, 1}), h = Input({2}), c = Input({2});
  Functional model(Nest{steps, h, c}, lstm(Nest(layers::Masking()(steps)),
                                           {.extra = {{"initial_state", Value(Nest{h, c})}}}));
  CHECK(test::difference(model(Nest{x, state, state}).tensor(),
                         lstm(Nest{x, state, state}).flatten()[0]) == 0);
}

TEST_CASE("LSTMCell steps as LSTM does") {
  const Tensor x = Tensor::from({0.1f, 0.5f, -0.3f, 0.8f}, {2, 1, 2});
  layers::LSTM lstm({.units = 3, .return_state = true});
  const Nest expected = lstm(Nest(x));
  const Tensor zeros = Tensor::from(std::vector<float>(6, 0.0f), {2, 3});
  const Nest found = (*lstm->cell)(Nest{ops::reshape(x, {2, 2}), Nest{zeros, zeros}});
  CHECK(test::difference(found.list()[0], expected[1]) < 1e-6);
  CHECK(test::difference(found.list()[1].list()[1], expected[2]) < 1e-6);
}

TEST_CASE("LSTM drops only while it trains") {
  const Tensor x = Tensor::from(std::vector<float>(24, 0.5f), {2, 3, 4});
  layers::LSTM lstm({.units = 3, .dropout = 0.5, .recurrent_dropout = 0.5, .seed = 3});
  CHECK(test::difference(lstm(x), lstm(x)) == 0);
  CHECK(test::difference(lstm(x, Call{.training = true}), lstm(x, Call{.training = true})) > 0);
}

TEST_CASE("LSTM regularizes each of its results") {
  const layers::LSTM lstm({.units = 2,
                           .kernel_initializer = "ones",
                           .recurrent_initializer = "ones",
                           .activity_regularizer = regularizers::L2({.l2 = 0.5}),
                           .return_state = true});
  lstm(Nest(ops::full({2, 3, 4}, 0.1f)));
  const auto losses = lstm->losses();
  REQUIRE(losses.size() == 3);
  CHECK(losses[0].item() == Approx(0.36144915));
  CHECK(losses[1].item() == Approx(0.36144915));
  CHECK(losses[2].item() == Approx(1.2299367));
}

TEST_CASE("LSTM says what is wrong") {
  layers::LSTM lstm({.units = 3});
  CHECK_THROWS_AS(lstm(Tensor::from({1.0f, 2.0f}, {1, 2})), ShapeError);
  const Tensor x = Tensor::from({1.0f, 2.0f}, {1, 1, 2});
  const Tensor state = Tensor::from({1.0f, 2.0f}, {1, 2});
  CHECK_THROWS_AS(lstm(Nest(x), Call{.extra = {{"initial_state", Value(Nest{state, state})}}}),
                  ShapeError);
}

TEST_CASE("LSTM and GRU take the seeds of a program that Keras's take") {
  // Two for the kernels, and one for dropout: what comes behind them in a model depends on it.
  random::set_seed(1);
  for (int i = 0; i < 3; ++i) random::default_seed();
  const int64_t fourth = random::default_seed();
  random::set_seed(1);
  const layers::LSTM lstm({.units = 2});
  CHECK(random::default_seed() == fourth);
  random::set_seed(1);
  const layers::GRU gru({.units = 2});
  CHECK(random::default_seed() == fourth);
}

TEST_CASE("a call that gives several tensors tells how to get them") {
  const layers::LSTM lstm({.units = 2, .return_state = true, .name = "encoder"});
  const Tensor x = ops::ones({1, 3, 2});
  CHECK_THROWS_WITH(lstm(x), cornu::test::contains(
                                 "Layer 'encoder' gives several tensors, [*, *, *]. Call it with "
                                 "Nest(x) to get them all"));
  CHECK(lstm(Nest(x)).size() == 3);
}

}  // namespace lstm_test
