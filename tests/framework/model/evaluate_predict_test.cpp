// Tests of evaluate, predict and the *_on_batch methods.
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/optimizers/sgd.h>

#include "model_support.h"

namespace evaluate_predict_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {
const Verbose quiet = Verbose::silent;
}

TEST_CASE("predict is the same in one batch and in many") {
  Sequential model({Input({3}), Dense({.units = 4, .activation = "tanh"}), Dense({.units = 2})});
  const Tensor x = wave({37, 3});
  const Tensor whole = model.predict(x, {.batch_size = 100, .verbose = quiet});
  CHECK(close(model.predict(x, {.verbose = quiet}), whole));
  CHECK(close(model.predict(x, {.batch_size = 5, .verbose = quiet}), whole));
  CHECK(close(model.predict(x, {.batch_size = 1, .verbose = quiet}), whole));
  CHECK(close(model(x), whole));
  CHECK(close(model.predict_on_batch(x), whole));
  CHECK(model.predict(x, {.batch_size = 5, .verbose = quiet, .steps = 2}).tensor().shape() ==
        Shape{10, 2});
}

TEST_CASE("predict needs no compile and joins each output's batches") {
  Input x({2});
  Functional model(x, Nest::dict({{"twice", x * 2.0}, {"list", Nest{x, -x}}}));
  const Tensor in = wave({7, 2});
  const Nest out = model.predict(in, {.batch_size = 3, .verbose = quiet});
  CHECK(out.structure() == "{'twice': *, 'list': [*, *]}");
  CHECK(close(out["twice"], in * 2.0));
  CHECK(close(out["list"][1], -in));
}

TEST_CASE("evaluate weighs batches by their size and leaves the weights alone") {
  Sequential model({Input({1}), constant_dense(1), layers::BatchNormalization()});
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const auto before = model.get_weights();
  const Tensor x = wave({10, 1}), y = wave({10, 1}, 2);
  const Logs all = model.evaluate(x, y, {.batch_size = 10, .verbose = quiet});
  const Logs parts = model.evaluate(x, y, {.batch_size = 4, .verbose = quiet});
  CHECK(all.at("loss") == Approx(parts.at("loss")));
  CHECK(all.at("mae") == Approx(parts.at("mae")));
  const auto after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i) CHECK(floats(before[i]) == floats(after[i]));
  CHECK(model.metrics_names() == std::vector<std::string>{"loss", "compile_metrics"});
}

TEST_CASE("evaluate begins anew each time") {
  Sequential model({Input({1}), constant_dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor ones = ops::ones({4, 1});
  CHECK(model.evaluate(ones, ones * 3.0, {.verbose = quiet}).at("loss") == Approx(4));
  CHECK(model.evaluate(ones, ones, {.verbose = quiet}).at("loss") == Approx(0).margin(1e-9));
}

TEST_CASE("Steps on single batches") {
  Sequential model({Input({1}), constant_dense(1)});
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
  const Tensor ones = ops::ones({2, 1});
  Logs logs = model.train_on_batch(ones, ones * 2.0);
  CHECK_THROWS_WITH(logs["los"],
                    "The logs have no 'los'. Did you mean 'loss'? They have 'loss', 'mae'.");
  CHECK_THROWS_AS(model.test_on_batch(ones, ones)["los"], ValueError);
  CHECK_THROWS_AS(model.evaluate(ones, ones, {.verbose = 0})["los"], ValueError);
  CHECK(logs.at("loss") == Approx(1));
  CHECK(logs.at("mae") == Approx(1));
  CHECK(model.get_weights()[0].item() == Approx(1.2));
  // Figures are of this batch alone.
  logs = model.test_on_batch(ones, ones * 2.0);
  CHECK(logs.at("loss") == Approx(0.64));
  CHECK(logs.at("mae") == Approx(0.8));
  logs = model.train_on_batch(ones, ones * 1.2);
  CHECK(logs.at("loss") == Approx(0).margin(1e-9));
  CHECK(model.test_on_batch(ones, ones * 2.0, std::vector<float>{0.5f, 0.5f}).at("loss") ==
        Approx(0.32));
  const Tensor y = Tensor::from({0.0f, 1.0f}, {2, 1});
  CHECK(model.train_on_batch(ones, y, Nest(), {{0, 0.0}}).at("loss") == Approx(0.02));
  model.set_weights({Tensor::from({1.2f}, {1, 1})});
  CHECK(
      model.train_on_batch(ones, y, {.class_weight = {{0, 0.0}}, .return_dict = true}).at("loss") ==
      Approx(0.02));
  CHECK(model.test_on_batch(ones, ones * 2.0, {.sample_weight = std::vector<float>{0, 0}})
            .at("loss") == 0);
  CHECK(model.evaluate(ones, y, {.verbose = quiet, .return_dict = true}).contains("mae"));
}

TEST_CASE("BatchNormalization trains in fit and not in evaluate or predict") {
  Sequential model({Input({2}), layers::BatchNormalization({.momentum = 0.5})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor x = Tensor::from({0.0f, 0.0f, 2.0f, 4.0f}, {2, 2});
  model.predict(x, {.verbose = quiet});
  model.evaluate(x, x, {.verbose = quiet});
  CHECK(floats(model.get_weights()[2]) == std::vector<float>{0, 0});
  model.fit(x, x, {.verbose = quiet});
  CHECK(floats(model.get_weights()[2]) == std::vector<float>{0.5f, 1.0f});
}

TEST_CASE("rows and elements of what predict gives are reached by indices") {
  Input x({3});
  Functional model(x, x * 2.0);
  const Tensor in = wave({4, 3});
  const auto out = model.predict(in, {.verbose = quiet});
  CHECK(close(out[1], in[1] * 2.0));
  CHECK(out[1][2].item() == in[{1, 2}].item() * 2);
  CHECK(out[-1].shape() == Shape{3});
  CHECK_THROWS_AS(out[4], ShapeError);
  Functional two(x, Nest{x, x + 1.0});
  const auto outs = two.predict(in, {.verbose = quiet});
  CHECK(outs[1].shape() == Shape{4, 3});
  CHECK(close(outs[1][2], in[2] + 1.0));
}

}  // namespace evaluate_predict_test
