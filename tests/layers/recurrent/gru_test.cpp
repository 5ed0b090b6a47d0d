// GRU, GRUCell.
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/layers/recurrent/gru.h>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/recorded.h"

namespace gru_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("GRU computes what Keras computes") { test::check_recorded("GRU"); }

TEST_CASE("GRU keeps a layer's contract") {
  check_layer<layers::GRU>({.units = 3}, {.input = {2, 4, 2}, .output = {2, 3}, .weights = 3});
  check_layer<layers::GRU>({.units = 2,
                            .use_bias = false,
                            .return_sequences = true,
                            .return_state = true,
                            .go_backwards = true},
                           {.input = {2, 3, 2}, .output = {2, 3, 2}, .weights = 2});
  check_layer<layers::GRU>(
      {.units = 2, .return_sequences = true, .reset_after = false},
      {.input = {2, 3, 2},
       .output = {2, 3, 2},
       .weights = 3,
       .mask = ops::cast(Tensor::from({1, 0, 1, 0, 1, 1}, {2, 3}), DType::boolean)});
}

TEST_CASE("GRU keeps its weights in its cell") {
  layers::GRU gru({.units = 3, .name = "gru"}), before({.units = 3, .reset_after = false});
  const Tensor x = Tensor::from(std::vector<float>(8, 1.0f), {2, 2, 2});
  gru(x);
  before(x);
  CHECK(gru->own_weights().empty());
  REQUIRE(gru->tracked().size() == 1);
  CHECK(gru->tracked()[0].attribute == "cell");
  CHECK(gru->cell->name() == "gru_cell");
  CHECK(gru->cell->kernel.shape() == Shape{2, 9});
  CHECK(gru->cell->recurrent_kernel.shape() == Shape{3, 9});
  CHECK(gru->cell->bias.shape() == Shape{2, 9});
  CHECK(before->cell->bias.shape() == Shape{9});
}

TEST_CASE("a stateful GRU goes on where it stopped") {
  const Tensor x = Tensor::from({0.1f, 0.5f, -0.3f, 0.8f}, {1, 4, 1});
  layers::GRU whole({.units = 2}), parts({.units = 2, .stateful = true});
  const Tensor expected = whole(x);
  const std::vector<Tensor> halves = ops::split(x, 2, 1);
  parts->ensure_built(halves[0]);
  parts->set_weights(whole->get_weights());
  parts(halves[0]);
  CHECK(test::difference(parts(halves[1]), expected) < 1e-6);
  parts->reset_state();
  parts(halves[0]);
  CHECK(test::difference(parts(halves[1]), expected) < 1e-6);
  CHECK_THROWS_AS(parts(Tensor::from({1.0f, 2.0f}, {2, 1, 1})), ShapeError);
}

TEST_CASE("GRU is part of a graph") {
  const Tensor x = Input({std::nullopt, 2});
  layers::GRU gru({.units = 3, .return_sequences = true});
  Functional model(x, gru(x));
  const Tensor data = Tensor::from(std::vector<float>(8, 0.5f), {1, 4, 2});
  CHECK(test::difference(model(data), gru(data)) == 0);
}

TEST_CASE("GRU drops only while it trains") {
  const Tensor x = Tensor::from(std::vector<float>(24, 0.5f), {2, 3, 4});
  layers::GRU gru({.units = 3, .dropout = 0.5, .recurrent_dropout = 0.5, .seed = 3});
  CHECK(test::difference(gru(x), gru(x)) == 0);
  CHECK(test::difference(gru(x, Call{.training = true}), gru(x, Call{.training = true})) > 0);
}

TEST_CASE("GRU says what is wrong") {
  layers::GRU gru({.units = 3});
  CHECK_THROWS_AS(layers::GRU({.units = 0}), ValueError);
  CHECK_THROWS_AS(gru(Tensor::from({1.0f, 2.0f}, {1, 2})), ShapeError);
  const Tensor x = Tensor::from({1.0f, 2.0f}, {1, 1, 2});
  const Tensor state = Tensor::from({1.0f, 2.0f}, {1, 2});
  CHECK_THROWS_AS(gru(Nest(x), Call{.extra = {{"initial_state", state}}}), ShapeError);
  CHECK_THROWS_AS((*gru->cell)(Nest(ops::reshape(x, {1, 2}))), ShapeError);
}

}  // namespace gru_test
