// Dropout, noise and ActivityRegularization.
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/recurrent/conv_lstm.h>
#include <cornu/layers/recurrent/gru_cell.h>
#include <cornu/layers/recurrent/lstm_cell.h>
#include <cornu/layers/recurrent/rnn.h>
#include <cornu/layers/recurrent/simple_rnn_cell.h>
#include <cornu/layers/recurrent/time_distributed.h>
#include <cornu/layers/regularization/activity_regularization.h>
#include <cornu/layers/regularization/alpha_dropout.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/regularization/gaussian_dropout.h>
#include <cornu/layers/regularization/gaussian_noise.h>
#include <cornu/layers/regularization/spatial_dropout.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace dropout_test {

using namespace cornu;
using test::check_layer;

namespace {

Tensor sines(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.8f * std::sin(0.7f * static_cast<float>(i));
  return Tensor::from(values, shape);
}

// The second call while training, of a layer whose weights are sines, against Keras's first values
// of it.
void check_draws(const std::shared_ptr<Layer>& layer, const Shape& shape,
                 const std::vector<double>& expected) {
  const Tensor x = sines(shape);
  const Tensor still = (*layer)(x);
  std::vector<Tensor> weights;
  for (const Variable& v : layer->weights()) weights.push_back(sines(v.shape()));
  if (weights.empty()) CHECK(test::difference(still, x) == 0);
  layer->set_weights(weights);
  (*layer)(x, Call{.training = true});
  const auto y = (*layer)(x, Call{.training = true}).to_vector<double>();
  REQUIRE(y.size() >= expected.size());
  for (size_t i = 0; i < expected.size(); ++i) CHECK(y[i] == Approx(expected[i]).epsilon(2e-6));
}

}  // namespace

TEST_CASE("noise is Keras's noise") {
  check_draws(layers::GaussianNoise({.stddev = 0.3, .seed = 5}).shared(), {2, 3},
              {-0.477171, 0.9844602, 1.050953, 0.904195, 0.3450519, -0.3464267});
  check_draws(layers::GaussianDropout({.rate = 0.3, .seed = 5}).shared(), {2, 3},
              {0, 1.042926, 1.24011, 1.012492, 0.3130563, -0.2403321});
  check_draws(layers::AlphaDropout({.rate = 0.4, .seed = 5}).shared(), {2, 4},
              {-0.9106419, 1.052008, 1.287672, 1.20325, 0.8384463, 0.3648346, 0.005161703});
  check_draws(
      layers::AlphaDropout({.rate = 0.4, .noise_shape = Shape{Shape::unknown, 1}, .seed = 5})
          .shared(),
      {4, 2}, {-0.9106419, -0.9106419, 1.287672, 1.20325, 0.8384463, 0.3648346});
}

TEST_CASE("whole feature maps are dropped as in Keras") {
  const std::vector<double> kept = {0, 0, 0, 0, 0.5359811, 0, 0, 0};
  check_draws(layers::SpatialDropout1D({.rate = 0.5, .seed = 5}).shared(), {2, 2, 4}, kept);
  check_draws(layers::SpatialDropout2D({.rate = 0.5, .seed = 5}).shared(), {2, 2, 1, 4}, kept);
  check_draws(layers::SpatialDropout3D({.rate = 0.5, .seed = 5}).shared(), {2, 2, 1, 1, 4}, kept);
  check_draws(
      layers::SpatialDropout2D({.rate = 0.5, .data_format = "channels_first", .seed = 5}).shared(),
      {2, 4, 2, 1}, {0, 1.030748, 0, 0, 0, 0, 0, 0});
  const Value::Dict config = layers::SpatialDropout1D({.rate = 0.5})->get_config();
  CHECK(detail::find(config, "trainable") == nullptr);
}

TEST_CASE("cells in RNN, ConvLSTM and TimeDistributed drop as in Keras") {
  const double d = 0.4;
  check_draws(
      layers::RNN(
          {.cell =
               layers::Cells{
                   layers::LSTMCell(
                       {.units = 3, .dropout = d, .recurrent_dropout = 0.3, .seed = 1}),
                   layers::GRUCell({.units = 2, .dropout = d, .recurrent_dropout = 0.2, .seed = 2}),
                   layers::SimpleRNNCell(
                       {.units = 2, .dropout = d, .recurrent_dropout = 0.2, .seed = 3})},
           .return_sequences = true})
          .shared(),
      {2, 3, 4}, {0.2200826, 0.7961205, 0.6380361, 0.9413375, 0.7343457, 0.9798396});
  check_draws(layers::ConvLSTM1D({.filters = 2,
                                  .kernel_size = 2,
                                  .dropout = d,
                                  .recurrent_dropout = 0.3,
                                  .seed = 7,
                                  .return_sequences = true})
                  .shared(),
              {2, 3, 4, 2}, {0.02933994, -0.03629134, 0.0009290611, -0.02968104, -0.006209692});
  check_draws(
      layers::TimeDistributed({.layer = layers::Dropout({.rate = 0.5, .seed = 9})}).shared(),
      {2, 3, 4}, {0, 1.030748, 1.57672, 1.381135, 0, 0, 0, -1.571924});
}

TEST_CASE("noisy layers keep a layer's contract") {
  test::check_layer<layers::GaussianNoise>({.stddev = 0.1}, {.input = {2, 3}, .output = {2, 3}});
  test::check_layer<layers::GaussianDropout>({.rate = 0.1}, {.input = {2, 3}, .output = {2, 3}});
  test::check_layer<layers::AlphaDropout>({.rate = 0.1}, {.input = {2, 3}, .output = {2, 3}});
  test::check_layer<layers::SpatialDropout3D>(
      {.rate = 0.1}, {.input = {2, 3, 1, 2, 2}, .output = {2, 3, 1, 2, 2}});
  CHECK_THROWS_AS(layers::GaussianNoise({.stddev = 1.5}), ValueError);
  CHECK_THROWS_AS(layers::SpatialDropout2D({.rate = 0.1})(sines({2, 3, 4})), ShapeError);
}

TEST_CASE("ActivityRegularization adds its penalty to the losses") {
  layers::ActivityRegularization layer({.l1 = 0.5, .l2 = 0.25});
  const Tensor x = Tensor::from({1.0f, -2.0f, 3.0f, 0.0f}, {2, 2});
  CHECK(test::difference(layer(x), x) == 0);
  REQUIRE(layer->losses().size() == 1);
  CHECK(layer->losses()[0].item() == Approx((0.5 * 6 + 0.25 * 14) / 2));
  test::check_layer<layers::ActivityRegularization>({.l2 = 0.1},
                                                    {.input = {2, 3}, .output = {2, 3}});
}

TEST_CASE("Dropout drops while training, and only then") {
  check_layer<layers::Dropout>(
      {.rate = 0.5}, {.input = {2, 5}, .output = {2, 5}, .training = true, .random = true});
  check_layer<layers::Dropout>({.rate = 0.5}, {.input = {2, 5}, .output = {2, 5}});
  const Tensor x = Tensor::from(std::vector<float>(10000, 1.0f), {100, 100});
  layers::Dropout dropout({.rate = 0.3, .seed = 1});
  CHECK(test::difference(dropout(x), x) == 0);
  const Tensor y = dropout(x, Call{.training = true});
  CHECK(ops::count_nonzero(y).item() == Approx(7000).epsilon(0.03));
  CHECK(ops::max(y).item() == Approx(1 / 0.7));
  CHECK_THROWS_AS(layers::Dropout({.rate = 1.5}), ValueError);
}

}  // namespace dropout_test
