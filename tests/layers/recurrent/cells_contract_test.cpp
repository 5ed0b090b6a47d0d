// The contract of recurrent cells: one step, its gradients, its state, and stacks of cells.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace cells_contract_test {

using namespace cornu;
using test::check_layer;
using test::equals;
using test::error_of;
using test::has;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Tensor row(const std::vector<float>& values) {
  return Tensor::from(values, {1, static_cast<int64_t>(values.size())});
}

// A cell whose weights are all the same number: one unit, one feature.
template <class Cell>
Cell filled(const Cell& cell, const Nest& inputs, double value) {
  cell->ensure_built(inputs);
  for (Variable v : cell->weights()) v.assign(ops::full(v.shape(), value));
  return cell;
}

}  // namespace

TEST_CASE("SimpleRNNCell keeps a layer's contract") {
  check_layer<layers::SimpleRNNCell>({.units = 3},
                                     {.inputs = {{2, 4}, {2, 3}}, .output = {2, 3}, .weights = 3});
  check_layer<layers::SimpleRNNCell>({.units = 3, .activation = "sigmoid", .use_bias = false},
                                     {.inputs = {{2, 4}, {2, 3}}, .output = {2, 3}, .weights = 2});
}

TEST_CASE("GRUCell keeps a layer's contract") {
  check_layer<layers::GRUCell>({.units = 3},
                               {.inputs = {{2, 4}, {2, 3}}, .output = {2, 3}, .weights = 3});
  check_layer<layers::GRUCell>({.units = 3, .reset_after = false},
                               {.inputs = {{2, 4}, {2, 3}}, .output = {2, 3}, .weights = 3});
  check_layer<layers::GRUCell>(
      {.units = 2, .recurrent_activation = "hard_sigmoid", .use_bias = false},
      {.inputs = {{2, 4}, {2, 2}}, .output = {2, 2}, .weights = 2});
}

TEST_CASE("SimpleRNNCell computes activation(x k + h r + b)") {
  const Nest inputs{row({0.5f}), row({-0.25f})};
  auto cell = filled(layers::SimpleRNNCell({.units = 1}), inputs, 0.4);
  const Nest y = cell(inputs);
  const double expected = std::tanh(0.4 * 0.5 - 0.4 * 0.25 + 0.4);
  CHECK(equals(y[0].tensor(), {expected}));
  CHECK(equals(y[1].tensor(), {expected}));
}

TEST_CASE("LSTMCell computes its four gates") {
  const Nest inputs{row({0.5f}), Nest{row({-0.25f}), row({0.75f})}};
  auto cell = filled(layers::LSTMCell({.units = 1}), inputs, 0.4);
  const Nest y = cell(inputs);
  const double z = 0.4 * 0.5 - 0.4 * 0.25 + 0.4, gate = sigmoid(z);
  const double carry = gate * 0.75 + gate * std::tanh(z), h = gate * std::tanh(carry);
  CHECK(equals(y[0].tensor(), {h}));
  REQUIRE(y[1].size() == 2);
  CHECK(equals(y[1][0].tensor(), {h}));
  CHECK(equals(y[1][1].tensor(), {carry}));
}

TEST_CASE("GRUCell blends the old state with the new") {
  const Nest inputs{row({0.5f}), row({-0.25f})};
  auto cell = filled(layers::GRUCell({.units = 1}), inputs, 0.4);
  const double x = 0.4 * 0.5 + 0.4, h = -0.4 * 0.25 + 0.4, gate = sigmoid(x + h);
  const double fresh = std::tanh(x + gate * h);
  CHECK(equals(cell(inputs)[0].tensor(), {gate * -0.25 + (1 - gate) * fresh}));
  auto before = filled(layers::GRUCell({.units = 1, .reset_after = false}), inputs, 0.4);
  const double z = sigmoid(x - 0.4 * 0.25), g = std::tanh(x + 0.4 * z * -0.25);
  CHECK(equals(before(inputs)[0].tensor(), {z * -0.25 + (1 - z) * g}));
}

TEST_CASE("LSTMCell has the forget gate's bias at 1 unless told otherwise") {
  const Nest inputs{ops::zeros({1, 2}), Nest{ops::zeros({1, 3}), ops::zeros({1, 3})}};
  layers::LSTMCell cell({.units = 3}), plain({.units = 3, .unit_forget_bias = false});
  cell->ensure_built(inputs);
  plain->ensure_built(inputs);
  CHECK(equals(cell->bias.value(), {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
  CHECK(equals(plain->bias.value(), std::vector<double>(12, 0)));
  CHECK(cell->kernel.shape() == Shape{2, 12});
  CHECK(cell->recurrent_kernel.shape() == Shape{3, 12});
}

TEST_CASE("cells begin with states of zeros of their compute dtype") {
  layers::LSTMCell cell({.units = 3, .dtype = "mixed_bfloat16"});
  cell->ensure_built({ops::zeros({2, 4}), Nest{ops::zeros({2, 3}), ops::zeros({2, 3})}});
  const Nest states = cell->initial_states(2);
  REQUIRE(states.size() == 2);
  for (const Tensor& s : states.flatten()) {
    CHECK(s.shape() == Shape{2, 3});
    CHECK(s.dtype() == DType::bfloat16);
    CHECK(ops::sum(ops::absolute(s)).item() == 0);
  }
  CHECK(cell->kernel.dtype() == DType::float32);
}

TEST_CASE("configs of cells make the same cells") {
  const auto check = [](const Layer& cell) { test::remade<Layer>(cell); };
  check(
      *layers::SimpleRNNCell({.units = 2, .kernel_regularizer = "l2", .dropout = 0.25, .seed = 3}));
  check(*layers::LSTMCell({.units = 2,
                           .activation = "relu",
                           .bias_initializer = "ones",
                           .recurrent_constraint = "unit_norm",
                           .recurrent_dropout = 0.5}));
  check(*layers::GRUCell({.units = 2, .reset_after = false, .name = "gru"}));
  check(*layers::StackedRNNCells(
      {.cells = {layers::LSTMCell({.units = 2}), layers::GRUCell({.units = 3})}}));
}

TEST_CASE("dropout of a cell repeats by its seed, and is off outside of training") {
  const Nest inputs{ops::ones({4, 8}), ops::ones({4, 3})};
  const auto make = [&](int64_t seed) {
    return layers::SimpleRNNCell({.units = 3,
                                  .kernel_initializer = "ones",
                                  .recurrent_initializer = "ones",
                                  .dropout = 0.5,
                                  .recurrent_dropout = 0.5,
                                  .seed = seed});
  };
  const Call training{.training = true};
  const Tensor a = make(1)(inputs, training)[0].tensor();
  CHECK(test::identical(a, make(1)(inputs, training)[0].tensor()));
  CHECK(!test::identical(a, make(2)(inputs, training)[0].tensor()) == true);
  CHECK(equals(make(1)(inputs)[0].tensor(), std::vector<double>(12, std::tanh(11.0))));
}

TEST_CASE("a stack feeds each cell's output to the next") {
  layers::SimpleRNNCell first({.units = 2}), second({.units = 3});
  layers::StackedRNNCells stack({.cells = {first, second}});
  const Tensor x = row({0.5f, -1.0f}), h1 = row({0.1f, 0.2f}), h2 = row({0.3f, 0.4f, 0.5f});
  const Nest y = stack({x, Nest{h1, h2}});
  const Tensor below = first(Nest{x, h1})[0].tensor();
  CHECK(test::difference(y[0].tensor(), second(Nest{below, h2})[0].tensor()) < 1e-6);
  CHECK(test::difference(y[1][0].flatten()[0], below) < 1e-6);
  CHECK(stack->weights().size() == 6);
}

TEST_CASE("a cell by hand is the cell in an RNN") {
  for (const bool compiled : {false, true}) {
    layers::GRUCell cell({.units = 2});
    layers::RNN rnn({.cell = cell});
    const Tensor x = Tensor::from({0.1f, -0.4f, 0.9f, 0.3f, 0.2f, -0.7f}, {1, 3, 2});
    const Tensor whole = rnn(x);
    Function step([&](const Nest& in) { return cell(Nest{in[0], in[1]})[0]; });
    step.set_enabled(compiled);
    Tensor h = ops::zeros({1, 2});
    for (int64_t t = 0; t < 3; ++t) h = step(Nest{ops::reshape(x[0][t], {1, 2}), h}).tensor();
    CHECK(test::difference(h, whole) < 1e-5);
  }
}

TEST_CASE("cells explain what does not fit") {
  layers::LSTMCell cell({.units = 3, .name = "memory"});
  CHECK_THROWS_AS(cell(Nest{ops::ones({2, 4}), ops::ones({2, 3})}), ShapeError);
  layers::GRUCell gru({.units = 3});
  gru(Nest{ops::ones({2, 4}), ops::ones({2, 3})});
  const std::string message = error_of([&] { gru(Nest{ops::ones({2, 5}), ops::ones({2, 3})}); });
  CHECK(has(message, "5"));
  CHECK(has(message, "4"));
  CHECK(has(error_of([] { layers::LSTMCell({.units = 0}); }), "units"));
  CHECK(layers::GRUCell({.units = 2, .dropout = 1.5})->config.dropout == 1);  // as in Keras
  CHECK_THROWS_AS(layers::StackedRNNCells({.cells = {}}), ValueError);
  CHECK(has(error_of([] { layers::RNN({.cell = layers::Dense({.units = 2})}); }), "cell"));
}

}  // namespace cells_contract_test
