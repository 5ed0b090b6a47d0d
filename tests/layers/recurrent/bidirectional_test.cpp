// Bidirectional.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/recurrent/bidirectional.h>
#include <cornu/layers/recurrent/gru.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/recurrent/rnn.h>
#include <cornu/layers/recurrent/simple_rnn.h>

#include "../../catch.h"
#include "wrapper_check.h"

namespace bidirectional_test {

using namespace cornu;
using test::check_new;
using test::difference;
using test::padding;
using test::paths;
using test::wave;

namespace {

struct PlainConfig {
  Required<int64_t> units;
  std::string name = "";
};

// Of no name that files could have.
class PlainCell : public layers::CellLayer<PlainCell, PlainConfig> {
 public:
  using CellLayer::CellLayer;
  Nest initial_states(int64_t batch) override { return {ops::zeros({batch, config.units})}; }
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor h = inputs[0].tensor() + inputs[1][0].tensor();
    return {h, Nest{h}};
  }
};

}  // namespace

TEST_CASE("Bidirectional says which class it cannot copy, and what to do") {
  const auto make = [] {
    layers::Bidirectional({.layer = layers::RNN({.cell = Ref<PlainCell>({.units = 2})})});
  };
  CHECK_THROWS_AS(make(), StateError);
  CHECK_THROWS_WITH(make(), Catch::Contains("Bidirectional makes its two layers from the config") &&
                                Catch::Contains("PlainCell") && Catch::Contains("CORNU_REGISTER"));
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

}  // namespace bidirectional_test
