// RNN and StackedRNNCells.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/recurrent/gru.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/recurrent/rnn.h>
#include <cornu/layers/recurrent/simple_rnn_cell.h>

#include "../../catch.h"
#include "wrapper_check.h"

namespace rnn_test {

using namespace cornu;
using test::check_new;
using test::difference;
using test::padding;
using test::paths;
using test::wave;

namespace {

struct DecayConfig {
  Required<int64_t> units;
};

// A cell of the user's: h' = 0.5 h + x w, whose output is twice its state.
class DecayCell : public layers::CellLayer<DecayCell, DecayConfig> {
 public:
  using CellLayer::CellLayer;
  void build_many(const Nest& inputs) override {
    weight =
        add_weight({.name = "w", .shape = {inputs.flatten()[0].shape().back(), *config.units}});
  }
  Nest initial_states(int64_t batch) override {
    return Nest::List{ops::zeros({batch, *config.units}, compute_dtype())};
  }
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor h = inputs[1][0].tensor() * 0.5 + ops::matmul(inputs[0], weight);
    return {h * 2.0, Nest(Nest::List{h})};
  }
  Variable weight;
};
CORNU_REGISTER("rnn_test>DecayCell", DecayCell);

}  // namespace

TEST_CASE("RNN of a cell is the layer of that cell") {
  const Tensor x = wave({2, 3, 4});
  layers::LSTM lstm({.units = 3, .return_sequences = true, .go_backwards = true});
  layers::RNN rnn(
      {.cell = layers::LSTMCell({.units = 3}), .return_sequences = true, .go_backwards = true});
  const Tensor expected = lstm(x, {.mask = padding()});
  rnn->ensure_built(x);
  rnn->set_weights(lstm->get_weights());
  CHECK(difference(rnn(x, {.mask = padding()}), expected) < 1e-6);
  CHECK(paths(*rnn) == std::vector<std::string>{"cell"});
}

TEST_CASE("RNN of several cells is the layers one after the other") {
  const Tensor x = wave({2, 3, 4});
  layers::LSTM first({.units = 3, .return_sequences = true, .go_backwards = true});
  layers::GRU second({.units = 2, .return_sequences = true, .return_state = true});
  layers::RNN rnn(
      {.cell = layers::Cells{layers::LSTMCell({.units = 3}), layers::GRUCell({.units = 2})},
       .return_sequences = true,
       .return_state = true,
       .go_backwards = true});
  const Tensor mask = padding();
  const Nest expected = second(Nest(first(x, {.mask = mask})), {.mask = ops::flip(mask, 1)});
  rnn->ensure_built(x);
  std::vector<Tensor> weights = first->get_weights();
  for (const Tensor& w : second->get_weights()) weights.push_back(w);
  rnn->set_weights(weights);
  const Nest found = rnn(Nest(x), {.mask = mask});
  REQUIRE(found.size() == 3);
  CHECK(found[1].size() == 2);  // the LSTM's h and c
  CHECK(difference(found[0], expected[0]) < 1e-6);
  CHECK(difference(found[2][0], expected[1]) < 1e-6);
  CHECK(paths(*rnn) == std::vector<std::string>{"cell/cells/lstm_cell", "cell/cells/gru_cell"});
}

TEST_CASE("RNN steps cells of the user's") {
  check_new<layers::RNN>(
      [] { return layers::RNN({.cell = Ref<DecayCell>({.units = 3}), .return_sequences = true}); },
      {.input = {2, 3, 2}, .output = {2, 3, 3}, .weights = 1});
  layers::RNN rnn({.cell = Ref<DecayCell>({.units = 1}), .return_sequences = true});
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3, 1});
  rnn->ensure_built(x);
  rnn->set_weights({Tensor::from({1.0f}, {1, 1})});
  CHECK(rnn(x).to_vector<float>() == std::vector<float>{2.0f, 5.0f, 8.5f});
  const Tensor mask = ops::cast(Tensor::from({0, 1, 0}, {1, 3}), DType::boolean);
  CHECK(rnn(x, {.mask = mask}).to_vector<float>() == std::vector<float>{0.0f, 4.0f, 4.0f});
  CHECK_THROWS_AS(layers::RNN({.cell = layers::Dense({.units = 2})}), ValueError);
}

TEST_CASE("RNN keeps a layer's contract") {
  check_new<layers::RNN>(
      [] {
        return layers::RNN({.cell = layers::Cells{layers::LSTMCell({.units = 2}),
                                                  layers::SimpleRNNCell({.units = 3})}});
      },
      {.input = {2, 3, 2}, .output = {2, 3}, .weights = 6, .mask = padding()});
}

TEST_CASE("StackedRNNCells returns states as it is given them") {
  layers::StackedRNNCells stack(
      {.cells = {layers::LSTMCell({.units = 2}), layers::GRUCell({.units = 3})}});
  const Tensor x = wave({2, 4}), h = wave({2, 2}), g = wave({2, 3});
  const Nest listed = stack(Nest{x, Nest{Nest{h, h}, Nest(Nest::List{g})}});
  const Nest bare = stack(Nest{x, Nest{Nest{h, h}, g}});
  CHECK(listed.structure() == "[*, [[*, *], [*]]]");
  CHECK(bare.structure() == "[*, [[*, *], *]]");
  CHECK(difference(listed[0], bare[0]) == 0);
  CHECK_THROWS_AS(stack(Nest{x, Nest{h, h, g}}), ShapeError);
  CHECK_THROWS_AS(layers::StackedRNNCells(layers::StackedRNNCellsConfig{}), ValueError);
}

TEST_CASE("recurrent layers build from the sequence alone") {
  layers::LSTM lstm({.units = 2});
  const Tensor x = wave({2, 3, 2}), s = wave({2, 2});
  lstm(Nest{x, s, s});
  std::string where;
  CHECK(test::same(Value(lstm->get_build_config()),
                   Value::Dict{{"input_shape", Value::List{2, 3, 2}}}, where));
  layers::LSTM other({.units = 2});
  other->build_from_config(
      {{"shapes_dict", Value::Dict{{"sequences_shape", Value::List{Value(), 3, 2}},
                                   {"initial_state_shape", Value::List{Value(), 2}}}}});
  CHECK(other->cell->kernel.shape() == Shape{2, 8});
}

}  // namespace rnn_test
