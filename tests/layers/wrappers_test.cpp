// RNN, StackedRNNCells, Bidirectional, TimeDistributed, Wrapper: layers around layers.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/saving/weights.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/wrapper.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/recurrent/bidirectional.h>
#include <cornu/layers/recurrent/gru.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/recurrent/rnn.h>
#include <cornu/layers/recurrent/simple_rnn.h>
#include <cornu/layers/recurrent/time_distributed.h>

#include "../catch.h"
#include "../support/layer_check.h"

using namespace cornu;
using test::difference;

namespace {

Tensor wave(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.8f * static_cast<float>((static_cast<int>(i * 37) % 19) - 9) / 9.0f;
  return Tensor::from(values, shape);
}

Tensor padding() { return ops::cast(Tensor::from({1, 0, 1, 0, 1, 1}, {2, 3}), DType::boolean); }

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
CORNU_REGISTER("wrappers_test>DecayCell", DecayCell);

// check_layer with layers inside that are new each time, so that they have the policy in force.
template <class Handle>
void check_new(const std::function<Handle()>& make, const test::LayerExpectation& expected) {
  test::check_layer([&]() -> std::shared_ptr<Layer> { return make().shared(); }, expected);
}

std::vector<std::string> paths(Layer& layer) {
  std::vector<std::string> result;
  for (const auto& entry : saving::weight_entries(layer))
    if (!entry.layer->own_weights().empty()) result.push_back(entry.path);
  return result;
}

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

TEST_CASE("Bidirectional merges a layer and its reverse") {
  const Tensor x = wave({2, 3, 4}), mask = padding();
  layers::GRU forward({.units = 3, .return_sequences = true, .zero_output_for_mask = true});
  layers::GRU backward(
      {.units = 3, .return_sequences = true, .go_backwards = true, .zero_output_for_mask = true});
  const Tensor a = forward(x, {.mask = mask});
  const Tensor b = ops::flip(backward(x, {.mask = mask}), 1);
  std::vector<Tensor> weights = forward->get_weights();
  for (const Tensor& w : backward->get_weights()) weights.push_back(w);
  auto merged = [&](std::optional<std::string> mode) {
    layers::Bidirectional both(
        {.layer = layers::GRU({.units = 3, .return_sequences = true}), .merge_mode = mode});
    both->ensure_built(x);
    both->set_weights(weights);
    CHECK(paths(*both) == std::vector<std::string>{"backward_layer/cell", "forward_layer/cell"});
    return both(Nest(x), {.mask = mask});
  };
  CHECK(difference(merged("concat"), ops::concatenate({a, b}, -1)) < 1e-6);
  CHECK(difference(merged("sum"), a + b) < 1e-6);
  CHECK(difference(merged("mul"), a * b) < 1e-6);
  CHECK(difference(merged("ave"), (a + b) * 0.5) < 1e-6);
  const Nest both = merged(std::nullopt);
  CHECK(difference(both[0], a) < 1e-6);
  CHECK(difference(both[1], b) < 1e-6);
  CHECK(both[1].tensor().mask());
  CHECK_THROWS_AS(merged("product"), ValueError);
}

TEST_CASE("Bidirectional names its layers, takes and returns states") {
  layers::Bidirectional both(
      {.layer = layers::LSTM({.units = 2, .return_state = true, .name = "m"})});
  CHECK(both->forward_layer->name() == "forward_m");
  CHECK(both->backward_layer->name() == "backward_m");
  const auto copy =
      std::dynamic_pointer_cast<layers::BidirectionalLayer>(deserialize(serialize(*both)));
  CHECK(copy->forward_layer->name() == "forward_m");
  const Tensor x = wave({2, 3, 2}), s = wave({2, 2});
  const Nest plain = both(Nest(x)), started = both(Nest{x, s, s, s, s});
  REQUIRE(plain.size() == 5);
  CHECK(plain[0].tensor().shape() == Shape{2, 4});
  CHECK(difference(plain[0], started[0]) > 1e-3);

  auto in = Input({3, 2});
  auto h = Input({2});
  Functional model(Nest{in, h}, both(Nest{in, h, h, h, h})[0]);
  CHECK(difference(model(Nest{x, s}), started[0]) < 1e-6);
}

TEST_CASE("Bidirectional keeps a layer's contract") {
  check_new<layers::Bidirectional>(
      [] {
        return layers::Bidirectional(
            {.layer = layers::LSTM({.units = 2, .return_sequences = true})});
      },
      {.input = {2, 3, 2}, .output = {2, 3, 4}, .weights = 6});
  check_new<layers::Bidirectional>(
      [] {
        return layers::Bidirectional(
            {.layer = layers::RNN({.cell = layers::GRUCell({.units = 2})}),
             .backward_layer = AnyLayer(layers::SimpleRNN({.units = 2, .go_backwards = true}))});
      },
      {.input = {2, 3, 2}, .output = {2, 4}, .weights = 6, .mask = padding()});
  CHECK_THROWS_AS(layers::Bidirectional({.layer = layers::Dense({.units = 2})}), ValueError);
  CHECK_THROWS_AS(layers::Bidirectional({.layer = layers::GRU({.units = 2}),
                                         .backward_layer = AnyLayer(layers::GRU({.units = 2}))}),
                  ValueError);
}

TEST_CASE("TimeDistributed applies a layer to each step") {
  check_new<layers::TimeDistributed>(
      [] { return layers::TimeDistributed({.layer = layers::Dense({.units = 3})}); },
      {.input = {2, 4, 5}, .output = {2, 4, 3}, .weights = 2});
  // Each step is normalized by its own statistics, and moves the averages on.
  const Tensor x = wave({4, 2, 3});
  layers::TimeDistributed steps({.layer = layers::BatchNormalization()});
  layers::BatchNormalization norm;
  const Tensor y = steps(x, {.training = true});
  std::vector<Tensor> expected;
  for (const Tensor& step : ops::unstack(x, {}, 1))
    expected.push_back(norm(step, {.training = true}));
  CHECK(difference(y, ops::stack(expected, 1)) < 1e-6);
  for (size_t i = 0; i < 4; ++i)
    CHECK(difference(steps->get_weights()[i], norm->get_weights()[i]) < 1e-6);
  CHECK(paths(*steps) == std::vector<std::string>{"layer"});
}

TEST_CASE("TimeDistributed hands on a mask of its steps") {
  layers::TimeDistributed steps({.layer = layers::Dense({.units = 2})});
  const Tensor y = steps(wave({2, 3, 2}), {.mask = padding()});
  CHECK(y.mask().to_vector<float>() == padding().to_vector<float>());
  const Tensor wrong = ops::cast(Tensor::from({1, 0}, {1, 2}), DType::boolean);
  CHECK_THROWS_AS(steps(wave({2, 3, 2}), {.mask = wrong}), ShapeError);
  CHECK_THROWS_AS(steps(wave({2, 3})), ShapeError);
}

TEST_CASE("recurrent layers build from the sequence alone") {
  layers::LSTM lstm({.units = 2});
  const Tensor x = wave({2, 3, 2}), s = wave({2, 2});
  lstm(Nest{x, s, s});
  std::string where;
  CHECK(test::same(Value(lstm->build_config()), Value::Dict{{"input_shape", Value::List{2, 3, 2}}},
                   where));
  layers::LSTM other({.units = 2});
  other->build_from_config(
      {{"shapes_dict", Value::Dict{{"sequences_shape", Value::List{Value(), 3, 2}},
                                   {"initial_state_shape", Value::List{Value(), 2}}}}});
  CHECK(other->cell->kernel.shape() == Shape{2, 8});
}

TEST_CASE("Wrapper is abstract") {
  layers::Wrapper wrapper({.layer = layers::Dense({.units = 2})});
  CHECK_THROWS_AS(wrapper(wave({2, 3})), UnsupportedError);
  CHECK(wrapper->layer->built());
}
