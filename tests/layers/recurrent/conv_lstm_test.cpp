// ConvLSTM1D, ConvLSTM2D, ConvLSTM3D.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/recurrent/conv_lstm.h>
#include <cornu/layers/recurrent/lstm.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace conv_lstm_test {

using namespace cornu;
using test::check_layer;
using test::difference;

TEST_CASE("ConvLSTM keeps a layer's contract") {
  check_layer<layers::ConvLSTM1D>({.filters = 2, .kernel_size = 2},
                                  {.input = {2, 3, 4, 2}, .output = {2, 3, 2}, .weights = 3});
  check_layer<layers::ConvLSTM2D>(
      {.filters = 2, .kernel_size = {2, 1}, .padding = "same", .return_sequences = true},
      {.input = {1, 2, 3, 2, 1}, .output = {1, 2, 3, 2, 2}, .weights = 3});
  check_layer<layers::ConvLSTM3D>(
      {.filters = 1, .kernel_size = 2, .use_bias = false, .return_state = true},
      {.input = {1, 2, 2, 3, 2, 1}, .output = {1, 1, 2, 1, 1}, .weights = 2});
}

TEST_CASE("ConvLSTM over one place is LSTM") {
  const Tensor x = Tensor::from({0.1f, -0.4f, 0.8f, 0.3f, 0.6f, -0.2f, 0.5f, 0.9f}, {2, 2, 2});
  const Tensor mask = ops::cast(Tensor::from({1, 0, 1, 1}, {2, 2}), DType::boolean);
  layers::LSTM lstm({.units = 3, .return_sequences = true});
  layers::ConvLSTM1D conv({.filters = 3, .kernel_size = 1, .return_sequences = true});
  const Tensor expected = lstm(x, {.mask = mask});
  const Tensor places = ops::expand_dims(x, {2});
  conv->ensure_built(places);
  std::vector<Tensor> weights = lstm->get_weights();
  weights[0] = ops::expand_dims(weights[0], {0});
  weights[1] = ops::expand_dims(weights[1], {0});
  conv->set_weights(weights);
  CHECK(difference(ops::squeeze(conv(places, {.mask = mask}), 2), expected) < 1e-6);
}

TEST_CASE("ConvLSTM takes channels first") {
  const Tensor x = ops::reshape(ops::arange(0, 1.6, 0.1, DType::float32), {1, 2, 4, 2});
  layers::ConvLSTM1D last({.filters = 2, .kernel_size = 2});
  layers::ConvLSTM1D first({.filters = 2, .kernel_size = 2, .data_format = "channels_first"});
  const Tensor expected = last(x), swapped = ops::swapaxes(x, 2, 3);
  first->ensure_built(swapped);
  first->set_weights(last->get_weights());
  CHECK(difference(ops::swapaxes(first(swapped), 1, 2), expected) < 1e-6);
}

TEST_CASE("ConvLSTM says what is wrong") {
  CHECK_THROWS_AS(layers::ConvLSTM1D({.filters = 2}), ValueError);
  CHECK_THROWS_AS(layers::ConvLSTM1D({.filters = 2, .kernel_size = 2, .padding = "causal"}),
                  ValueError);
  layers::ConvLSTM1D conv({.filters = 2, .kernel_size = 2});
  CHECK_THROWS_AS(conv(Tensor::from({1.0f, 2.0f}, {1, 1, 2})), ShapeError);
  conv(ops::zeros({1, 2, 4, 1}));
  CHECK_THROWS_AS(conv(ops::zeros({1, 2, 5, 1})), ShapeError);
}

}  // namespace conv_lstm_test
