// Normalizing layers against their formulas, moving averages, and how training differs from
// inference.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace normalization_values_contract_test {

using namespace cornu;
using test::difference;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -2, 2, seed), DType::float32);
}

using Places = std::vector<int64_t>;

Tensor standardized(const Tensor& x, const Places& axes, double epsilon) {
  const Tensor centered = x - ops::mean(x, axes, true);
  return centered / ops::sqrt(ops::mean(ops::square(centered), axes, true) + epsilon);
}

const Call training{.training = true};

}  // namespace

TEST_CASE("BatchNormalization trains by the batch and infers by moving averages") {
  const Tensor x = waves({6, 3, 4});
  layers::BatchNormalization layer({.momentum = 0.9, .epsilon = 0.01});
  CHECK(difference(layer(x, training), standardized(x, {0, 1}, 0.01)) < 1e-5);
  const Tensor mean = ops::mean(x, {0, 1}), variance = ops::var(x, {0, 1});
  const auto weights = layer->get_weights();  // gamma, beta, mean, variance
  CHECK(difference(weights[2], mean * 0.1) < 1e-6);
  CHECK(difference(weights[3], variance * 0.1 + 0.9) < 1e-6);
  CHECK(difference(layer(x), (x - weights[2]) / ops::sqrt(weights[3] + 0.01)) < 1e-5);
  // Inference has left the averages alone.
  CHECK(identical(layer->get_weights()[2], weights[2]));
}

TEST_CASE("moving averages arrive at the data's mean and variance") {
  layers::BatchNormalization layer({.momentum = 0.5});
  const Tensor x = waves({16, 3});
  for (int i = 0; i < 30; ++i) layer(x, training);
  CHECK(difference(layer(x), layer(x, training)) < 1e-4);
}

TEST_CASE("BatchNormalization along another axis, and without its weights") {
  const Tensor x = waves({4, 3, 5});
  layers::BatchNormalization first({.axis = 1});
  CHECK(difference(first(x, training), standardized(x, {0, 2}, 1e-3)) < 1e-5);
  CHECK(first->weights()[0].shape() == Shape{3});
  layers::BatchNormalization bare({.center = false, .scale = false});
  bare(x);
  CHECK(bare->trainable_variables().empty());
  CHECK(bare->non_trainable_variables().size() == 2);
}

TEST_CASE("a BatchNormalization that is frozen infers in training as well") {
  layers::BatchNormalization layer;
  const Tensor x = waves({6, 4});
  layer(x);
  layer->set_trainable(false);
  CHECK(difference(layer(x, training), layer(x)) < 1e-6);
  CHECK(equals(layer->get_weights()[2], {0, 0, 0, 0}));
}

TEST_CASE("BatchNormalization leaves masked steps out of its statistics") {
  const Tensor x = Tensor::from({1.0f, 3.0f, 1000.0f, 5.0f}, {2, 2, 1});
  const Tensor mask = ops::cast(Tensor::from({1, 1, 0, 1}, {2, 2}), DType::boolean);
  layers::BatchNormalization layer({.momentum = 0.0});
  layer(x, {.training = true, .mask = mask});
  CHECK(equals(layer->get_weights()[2], {3}));
  CHECK(equals(layer->get_weights()[3], {8.0 / 3}));
}

TEST_CASE("LayerNormalization normalizes each sample alone") {
  const Tensor x = waves({3, 4, 5});
  CHECK(difference(layers::LayerNormalization()(x), standardized(x, {2}, 1e-3)) < 1e-5);
  layers::LayerNormalization both({.axis = std::vector<int64_t>{1, 2}, .epsilon = 0.1});
  CHECK(difference(both(x), standardized(x, {1, 2}, 0.1)) < 1e-5);
  CHECK(both->weights()[0].shape() == Shape{4, 5});
  const Tensor one = ops::take(x, Tensor::from({1}, {1}), 0);
  CHECK(difference(layers::LayerNormalization()(one)[0], layers::LayerNormalization()(x)[1]) <
        1e-6);
}

TEST_CASE("GroupNormalization normalizes groups of channels over all places") {
  const Tensor x = waves({2, 3, 3, 6});
  for (const int64_t groups : {1, 2, 3, 6}) {
    const Tensor parts = ops::reshape(x, {2, 3, 3, groups, 6 / groups});
    const Tensor expected = ops::reshape(standardized(parts, {1, 2, 4}, 1e-3), {2, 3, 3, 6});
    CHECK(difference(layers::GroupNormalization({.groups = groups})(x), expected) < 1e-5);
  }
  CHECK(difference(layers::GroupNormalization({.groups = -1})(x), standardized(x, {1, 2}, 1e-3)) <
        1e-5);
  CHECK(has(error_of([&] { layers::GroupNormalization({.groups = 4})(x); }), "4"));
}

TEST_CASE("RMSNormalization and UnitNormalization divide by a size") {
  const Tensor x = waves({3, 4});
  layers::RMSNormalization rms({.epsilon = 0.01});
  CHECK(difference(rms(x), x / ops::sqrt(ops::mean(ops::square(x), -1, true) + 0.01)) < 1e-5);
  const Tensor unit = layers::UnitNormalization()(x);
  CHECK(difference(ops::sum(ops::square(unit), -1), ops::ones({3})) < 1e-5);
  CHECK(difference(layers::UnitNormalization({.axis = 0})(x),
                   x / ops::sqrt(ops::sum(ops::square(x), 0, true))) < 1e-5);
}

TEST_CASE("gamma and beta scale and shift what was normalized") {
  const Tensor x = waves({4, 3});
  const std::vector<Tensor> weights = {Tensor(std::vector<float>{1, 2, -1}),
                                       Tensor(std::vector<float>{0, 0.5f, 3})};
  layers::LayerNormalization layer;
  const Tensor plain = layer(x);
  layer->set_weights(weights);
  CHECK(difference(layer(x), plain * weights[0] + weights[1]) < 1e-5);
}

TEST_CASE("what is normalized does not change when the input is scaled and shifted") {
  const Tensor x = waves({4, 6}) * 10.0;
  const std::vector<AnyLayer> all = {layers::LayerNormalization({.epsilon = 1e-7}),
                                     layers::GroupNormalization({.groups = 2, .epsilon = 1e-7}),
                                     layers::BatchNormalization({.epsilon = 1e-7})};
  for (const AnyLayer& layer : all) {
    INFO(layer->name());
    CHECK(difference((*layer.shared())(x * 7.0 + 3.0, training), (*layer.shared())(x, training)) <
          1e-4);
  }
}

TEST_CASE("averages of fit come back from a file, and evaluate uses them") {
  Sequential model(
      {Input({3}), layers::BatchNormalization({.momentum = 0.5}), layers::Dense({.units = 1})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0}), .loss = "mse"});
  const Tensor x = waves({16, 3}) * 3.0 + 5.0, y = ops::zeros({16, 1});
  model.fit(x, y, {.batch_size = 16, .epochs = 20, .verbose = Verbose::silent});
  CHECK(difference(model.get_weights()[2], ops::mean(x, 0)) < 1e-3);
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const EvaluateOptions quiet{.verbose = Verbose::silent};
  CHECK(loaded->evaluate(x, y, quiet)["loss"] == model.evaluate(x, y, quiet)["loss"]);
}

}  // namespace normalization_values_contract_test
