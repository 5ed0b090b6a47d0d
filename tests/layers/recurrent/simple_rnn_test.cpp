// SimpleRNN, SimpleRNNCell.
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/layers/recurrent/rnn.h>
#include <cornu/layers/recurrent/simple_rnn.h>
#include <cornu/layers/recurrent/stacked_rnn_cells.h>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/recorded.h"

namespace simple_rnn_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("SimpleRNN computes what Keras computes") { test::check_recorded("SimpleRNN"); }

TEST_CASE("SimpleRNN keeps a layer's contract") {
  check_layer<layers::SimpleRNN>({.units = 3},
                                 {.input = {2, 4, 2}, .output = {2, 3}, .weights = 3});
  check_layer<layers::SimpleRNN>(
      {.units = 2, .use_bias = false, .return_sequences = true, .go_backwards = true},
      {.input = {2, 3, 2},
       .output = {2, 3, 2},
       .weights = 2,
       .mask = ops::cast(Tensor::from({1, 0, 1, 0, 1, 1}, {2, 3}), DType::boolean)});
}

TEST_CASE("SimpleRNN keeps its weights in its cell") {
  layers::SimpleRNN rnn({.units = 3});
  rnn(Tensor::from(std::vector<float>(8, 1.0f), {2, 2, 2}));
  REQUIRE(rnn->tracked().size() == 1);
  CHECK(rnn->tracked()[0].attribute == "cell");
  CHECK(rnn->cell->name() == "simple_rnn_cell");
  CHECK(rnn->cell->kernel.shape() == Shape{2, 3});
  CHECK(rnn->cell->recurrent_kernel.shape() == Shape{3, 3});
}

TEST_CASE("a stateful SimpleRNN goes on where it stopped") {
  const Tensor x = Tensor::from({0.1f, 0.5f, -0.3f, 0.8f}, {1, 4, 1});
  layers::SimpleRNN whole({.units = 2}), parts({.units = 2, .stateful = true});
  const Tensor expected = whole(x);
  const std::vector<Tensor> halves = ops::split(x, 2, 1);
  parts->ensure_built(halves[0]);
  parts->set_weights(whole->get_weights());
  parts(halves[0]);
  CHECK(test::difference(parts(halves[1]), expected) < 1e-6);
}

TEST_CASE("SimpleRNN steps and drops as its cell says") {
  const Tensor x = Tensor::from(std::vector<float>(24, 0.5f), {2, 3, 4});
  layers::SimpleRNN rnn({.units = 3, .dropout = 0.5, .recurrent_dropout = 0.5, .seed = 3});
  CHECK(test::difference(rnn(x), rnn(x)) == 0);
  CHECK(test::difference(rnn(x, Call{.training = true}), rnn(x, Call{.training = true})) > 0);
}

TEST_CASE("SimpleRNN gives zeros until the first step that is not masked, states or not") {
  const Tensor x = ops::ones({2, 3, 1}), state = ops::full({2, 1}, 0.5f);
  const Tensor mask = ops::cast(Tensor::from({0, 1, 0, 0, 0, 0}, {2, 3}), DType::boolean);
  const Call call{.mask = mask, .extra = {{"initial_state", state}}};
  layers::SimpleRNNConfig config{.units = 1,
                                 .kernel_initializer = "ones",
                                 .recurrent_initializer = "ones",
                                 .return_sequences = true,
                                 .return_state = true};
  const float moved = 0.9051483f;
  const Tensor after = Tensor::from({moved, 0.5f}, {2, 1});
  const std::vector<Tensor> all = layers::SimpleRNN(config)(Nest(x), call).flatten();
  CHECK(test::difference(all[0], Tensor::from({0.0f, moved, moved, 0.0f, 0.0f, 0.0f}, {2, 3, 1})) <
        1e-6);
  CHECK(test::difference(all[1], after) < 1e-6);
  config.return_sequences = false;
  const std::vector<Tensor> last = layers::SimpleRNN(config)(Nest(x), call).flatten();
  CHECK(test::difference(last[0], Tensor::from({moved, 0.0f}, {2, 1})) < 1e-6);
  CHECK(test::difference(last[1], after) < 1e-6);
}

TEST_CASE("an unrolled SimpleRNN zeroes masked steps by the order of the input") {
  const Tensor x = Tensor::from({0.1f, 0.2f, 0.3f, 0.4f}, {1, 4, 1});
  const Call call{.mask = ops::cast(Tensor::from({1, 1, 0, 1}, {1, 4}), DType::boolean)};
  layers::SimpleRNNConfig config{.units = 1,
                                 .kernel_initializer = "ones",
                                 .recurrent_initializer = "ones",
                                 .return_sequences = true,
                                 .go_backwards = true,
                                 .unroll = true,
                                 .zero_output_for_mask = true};
  CHECK(test::difference(layers::SimpleRNN(config)(x, call),
                         Tensor::from({0.37994897f, 0.37994897f, 0.0f, 0.5529554f}, {1, 4, 1})) <
        1e-6);
  layers::SimpleRNNCellConfig cell{
      .units = 1, .kernel_initializer = "ones", .recurrent_initializer = "ones"};
  const layers::RNN stack(
      {.cell = layers::StackedRNNCells(
           {.cells = {layers::SimpleRNNCell(cell), layers::SimpleRNNCell(cell)}}),
       .return_sequences = true,
       .go_backwards = true,
       .unroll = true,
       .zero_output_for_mask = true});
  CHECK(test::difference(stack(x, call), Tensor::from({0.36266315f, 0.36266315f, 0.0f, 0.8516189f},
                                                      {1, 4, 1})) < 1e-6);
  config.go_backwards = false;
  const Tensor unrolled = layers::SimpleRNN(config)(x, call);
  config.unroll = false;
  CHECK(test::difference(layers::SimpleRNN(config)(x, call), unrolled) < 1e-6);
}

TEST_CASE("SimpleRNN says what is wrong") {
  CHECK_THROWS_AS(layers::SimpleRNN({.units = -1}), ValueError);
  layers::SimpleRNN rnn({.units = 3});
  CHECK_THROWS_AS(rnn(Tensor::from({1.0f, 2.0f}, {1, 2})), ShapeError);
}

}  // namespace simple_rnn_test
