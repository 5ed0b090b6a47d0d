// Tests of fit: each argument, what is in the loss, and History.
#include <cornu/callbacks/lambda_callback.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/seed.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/optimizers/sgd.h>

#include "model_support.h"

namespace fit_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

const Verbose quiet = Verbose::silent;

// y = w * x from w = 0, where one step on the batch's mean of (w x - y)^2 is easy to follow.
class Line : public Sequential {
 public:
  explicit Line(double rate = 0.1, const char* initializer = "zeros")
      : Sequential({Input({1}), constant_dense(1, initializer)}) {
    compile({.optimizer = optimizers::SGD({.learning_rate = rate}), .loss = "mse"});
  }
  double w() const { return get_weights()[0].item(); }
};

}  // namespace

TEST_CASE("fit takes vectors of numbers and follows the gradient") {
  Line model;
  const std::vector<float> x = {1, 1, 1, 1}, y = {1, 1, 1, 1};
  const History history = model.fit(x, y, {.epochs = 2, .verbose = quiet});
  // w: 0 -> 0.2 -> 0.36
  CHECK(history["loss"][0] == Approx(1));
  CHECK(history["loss"][1] == Approx(0.64));
  CHECK(model.w() == Approx(0.36));
  CHECK(history.epoch == std::vector<int64_t>{0, 1});
  CHECK_THROWS_WITH(history["los"], "History has no 'los'. Did you mean 'loss'? It has 'loss'.");
  CHECK_THROWS_WITH(History()["loss"], "History has no 'loss'. It is empty.");
}

TEST_CASE("batch_size is 32 unless given, and the last batch may be smaller") {
  Line standard(0);
  int64_t batches = 0;
  const auto counter = callbacks::LambdaCallback(
      {.on_train_batch_end = [&](int64_t batch, Logs&) { batches = batch + 1; }});
  standard.fit(ops::ones({65, 1}), ops::ones({65, 1}), {.verbose = quiet, .callbacks = {counter}});
  CHECK(batches == 3);
  // The epoch's loss weighs batches by their sizes.
  const Tensor y = Tensor::from({1.0f, 1.0f, 1.0f, 3.0f}, {4, 1});
  const History history =
      standard.fit(ops::ones({4, 1}), y,
                   {.batch_size = 3, .verbose = quiet, .callbacks = {counter}, .shuffle = false});
  CHECK(batches == 2);
  CHECK(history["loss"][0] == Approx((3 * 1 + 9) / 4.0));
}

TEST_CASE("validation_split takes the last samples") {
  Line model(0);
  const Tensor y = Tensor::from({1.0f, 1.0f, 1.0f, 5.0f}, {4, 1});
  const History history =
      model.fit(ops::ones({4, 1}), y, {.verbose = quiet, .validation_split = 0.25});
  CHECK(history["loss"][0] == Approx(1));
  CHECK(history["val_loss"][0] == Approx(25));
  CHECK_THROWS_WITH(model.fit(ops::ones({4, 1}), y, {.verbose = quiet, .validation_split = 0.9}),
                    has("leaves an empty part"));
  CHECK_THROWS_WITH(model.fit(ops::ones({4, 1}), y, {.verbose = quiet, .validation_split = 1.0}),
                    has("[0, 1)"));
}

TEST_CASE("validation_data stands before validation_split, and may have weights") {
  Line model(0);
  const Tensor ones = ops::ones({2, 1});
  const Tensor y = Tensor::from({2.0f, 4.0f}, {2, 1});
  History history = model.fit(
      ones, ones, {.verbose = quiet, .validation_split = 0.5, .validation_data = {ones, y}});
  CHECK(history["val_loss"][0] == Approx(10));
  CHECK(history["loss"][0] == Approx(1));
  history = model.fit(ones, ones,
                      {.verbose = quiet, .validation_data = {ones, y, std::vector<float>{1, 0}}});
  CHECK(history["val_loss"][0] == Approx(2));
}

TEST_CASE("validation_freq, steps and batch size") {
  Line model(0);
  const Tensor ones = ops::ones({4, 1});
  int64_t tested = 0;
  const auto counter =
      callbacks::LambdaCallback({.on_test_batch_end = [&](int64_t, Logs&) { ++tested; }});
  History history = model.fit(ones, ones,
                              {.epochs = 4,
                               .verbose = quiet,
                               .callbacks = {counter},
                               .validation_data = {ones, ones},
                               .validation_steps = 3,
                               .validation_batch_size = 1,
                               .validation_freq = 3});
  CHECK(tested == 3);
  CHECK(history["val_loss"].size() == 1);
}

TEST_CASE("validation_freq may be a list of epochs") {
  Line model(0);
  const Tensor ones = ops::ones({4, 1});
  const History history = model.fit(
      ones, ones,
      {.epochs = 4, .verbose = quiet, .validation_data = {ones, ones}, .validation_freq = {1, 3}});
  CHECK(history["val_loss"].size() == 2);
  CHECK(history.epochs("val_loss") == std::vector<int64_t>{0, 2});
  const std::vector<int64_t> none;
  CHECK_FALSE(model
                  .fit(ones, ones,
                       {.verbose = quiet, .validation_data = {ones, ones}, .validation_freq = none})
                  .history.contains("val_loss"));
}

TEST_CASE("Weights that are made after a fit begin as without it") {
  const auto kernel = [](bool shuffle) {
    random::set_seed(11);
    Line model(0);
    model.fit(ops::ones({4, 1}), ops::ones({4, 1}), {.verbose = quiet, .shuffle = shuffle});
    Sequential after({Input({3}), layers::Dense({.units = 2})});
    return floats(after.weights()[0]);
  };
  CHECK(kernel(true) == kernel(false));
}

TEST_CASE("Weights of classes and of samples") {
  const Tensor x = ops::ones({2, 1}), y = Tensor::from({0.0f, 1.0f}, {2, 1});
  auto step = [&](FitOptions options) {
    Line model(0.5, "ones");
    options.verbose = quiet;
    return model.fit(x, y, options)["loss"][0];
  };
  CHECK(step({}) == Approx(0.5));
  CHECK(step({.class_weight = {{0, 3.0}}}) == Approx(1.5));
  CHECK(step({.class_weight = {{0, 3.0}, {1, 100.0}}}) == Approx(1.5));
  CHECK(step({.sample_weight = std::vector<float>{0.5f, 7.0f}}) == Approx(0.25));
  CHECK(step({.class_weight = {{0, 3.0}}, .sample_weight = std::vector<float>{0.5f, 7.0f}}) ==
        Approx(0.75));
  CHECK(step({.class_weight = {{0, 3.0}}, .sample_weight = Tensor::from({0.5f, 7.0f}, {2, 1})}) ==
        Approx(0.75));
}

TEST_CASE("Class weights may be any map of whole numbers") {
  const Tensor x = ops::ones({2, 1}), y = Tensor::from({0.0f, 1.0f}, {2, 1});
  const std::map<int, double> of_int = {{0, 3.0}};
  const std::map<int64_t, double> of_int64 = {{0, 3.0}};
  const std::map<size_t, float> of_size = {{0, 3.0f}};
  for (const ClassWeights& weights : {ClassWeights(of_int), ClassWeights(of_int64)})
    CHECK(weights == ClassWeights{{0, 3.0}});
  Line a(0.5, "ones"), b(0.5, "ones"), c(0.5, "ones");
  CHECK(a.fit(x, y, {.verbose = quiet, .class_weight = of_int})["loss"][0] == Approx(1.5));
  CHECK(b.fit(x, y, {.verbose = quiet, .class_weight = of_size})["loss"][0] == Approx(1.5));
  CHECK(c.train_on_batch(x, y, {.class_weight = of_int}).at("loss") == Approx(1.5));
}

TEST_CASE("fit and evaluate take targets by name in braces") {
  Input x({1});
  const auto head = [&](const char* name) {
    return Dense({.units = 1, .kernel_initializer = "ones", .name = name})(x);
  };
  Functional model(x, Nest{{"main", head("main")}, {"other", head("other")}});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor ones = ops::ones({2, 1});
  CHECK(model.fit(ones, {{"main", ones}, {"other", ones * 3.0}})["loss"][0] == Approx(4));
  CHECK(model.evaluate(ones, {{"main", ones * 2.0}, {"other", ones}})["loss"] == Approx(1));
}

TEST_CASE("Class weights of one-hot targets") {
  Sequential model({Input({1}), constant_dense(2)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor y = Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2});
  CHECK(
      model.fit(ops::ones({2, 1}), y, {.verbose = quiet, .class_weight = {{1, 3.0}}})["loss"][0] ==
      Approx((0.5 + 3 * 0.5) / 2));
}

TEST_CASE("Shuffling follows the seed") {
  auto run = [](int64_t seed, bool shuffle) {
    random::set_seed(seed);
    Sequential model({Input({3}), Dense({.units = 1, .kernel_initializer = "ones"}),
                      layers::Dropout({.rate = 0.3, .seed = 5})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    return model.fit(wave({20, 3}), wave({20, 1}, 1),
                     {.batch_size = 4, .epochs = 3, .verbose = quiet, .shuffle = shuffle})["loss"];
  };
  CHECK(run(1, true) == run(1, true));
  CHECK(run(1, true) != run(2, true));
  CHECK(run(1, false) == run(2, false));
}

TEST_CASE("initial_epoch counts on") {
  Line model;
  const Tensor ones = ops::ones({4, 1});
  const History history =
      model.fit(ones, ones, {.epochs = 5, .verbose = quiet, .initial_epoch = 3});
  CHECK(history.epoch == std::vector<int64_t>{3, 4});
  CHECK(history["loss"].size() == 2);
  CHECK(model.fit(ones, ones, {.epochs = 2, .verbose = quiet, .initial_epoch = 2}).epoch.empty());
}

TEST_CASE("steps_per_epoch goes on in the data, whose end is that of an epoch") {
  Line model(0);
  const Tensor y = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {4, 1});
  const History history = model.fit(
      ops::ones({4, 1}), y,
      {.batch_size = 1, .epochs = 3, .verbose = quiet, .shuffle = false, .steps_per_epoch = 3});
  CHECK(history["loss"][0] == Approx((1 + 4 + 9) / 3.0));
  CHECK(history["loss"][1] == Approx(16));
  CHECK(history["loss"][2] == Approx((1 + 4 + 9) / 3.0));
}

TEST_CASE("Penalties are in the loss and in the gradient") {
  Sequential model({Input({1}), Dense({.units = 1,
                                       .use_bias = false,
                                       .kernel_initializer = "ones",
                                       .kernel_regularizer = "l2"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 1.0}), .loss = "mse"});
  const Tensor ones = ops::ones({2, 1});
  CHECK(model.evaluate(ones, ones, {.verbose = quiet}).at("loss") == Approx(0.01));
  CHECK(model.fit(ones, ones, {.verbose = quiet})["loss"][0] == Approx(0.01));
  CHECK(model.get_weights()[0].item() == Approx(0.98));
  CHECK(model.losses().size() == 1);

  Sequential active({Input({2}), Dense({.units = 2,
                                        .use_bias = false,
                                        .kernel_initializer = "ones",
                                        .activity_regularizer = "l1"})});
  active.compile({.optimizer = "sgd", .loss = "mse"});
  // 0.01 * sum(|2|) over two outputs of each sample.
  CHECK(
      active.evaluate(ops::ones({4, 2}), ops::ones({4, 2}) * 2.0, {.verbose = quiet}).at("loss") ==
      Approx(0.04));
}

TEST_CASE("What layers add is in the loss, once for each step") {
  class Adds : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override {
      add_loss(ops::mean(x) * 3.0);
      return x;
    }
  };
  auto adds = make<Adds>();
  Sequential model({Input({1}), constant_dense(1), adds});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  const Tensor ones = ops::ones({2, 1});
  CHECK(model.fit(ones, ones, {.epochs = 1, .verbose = quiet})["loss"][0] == Approx(3));
  CHECK(model.get_weights()[0].item() == Approx(0.7));
  for (int i = 0; i < 3; ++i) model.predict(ones);
  CHECK(model.losses().empty());  // a step's losses are its own
  model(ones);
  CHECK(model.losses().size() == 1);
  model.clear_losses();
  CHECK(model.evaluate(ones, ones, {.verbose = quiet}).at("loss") == Approx(0.09 + 2.1));

  Sequential only({Input({1}), constant_dense(1), make<Adds>()});
  only.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1})});
  CHECK(only.fit(ones, Nest(), {.verbose = quiet})["loss"][0] == Approx(3));
}

TEST_CASE("What a layer adds may have axes, or be of integers: its sum counts") {
  class Adds : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override {
      add_loss(ops::mean(x, -1));
      add_loss(ops::cast(ops::sum(x), DType::int32));
      return x;
    }
  };
  // As in Keras 3.15: 9.2 and 27 added to nothing.
  Sequential model({Input({3}), make<Adds>()});
  model.compile({.optimizer = "sgd"});
  const Tensor x = ops::reshape(ops::arange(24), {8, 3}) / 10.0;
  CHECK(model.evaluate(x, Nest(), {.verbose = quiet}).at("loss") == Approx(9.2 + 27));
  Sequential trained({Input({3}), constant_dense(1), make<Adds>()});
  trained.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK_NOTHROW(trained.fit(x, ops::ones({8, 1}), {.verbose = quiet}));
}

TEST_CASE("Several inputs and outputs are fed by name") {
  Input a({.shape = {1}, .name = "a"}), b({.shape = {1}, .name = "b"});
  Functional model(Nest::dict({{"a", a}, {"b", b}}),
                   Nest::dict({{"sum", constant_dense(1)(a + b)}, {"gap", a - b}}));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor ones = ops::ones({6, 1});
  const History history = model.fit(Nest::dict({{"b", ones}, {"a", ones * 2.0}}),
                                    Nest::dict({{"sum", ones}, {"gap", ones}}),
                                    {.batch_size = 4, .verbose = quiet, .validation_split = 0.5});
  CHECK(history["sum_loss"][0] == Approx(4));
  CHECK(history["gap_loss"][0] == Approx(0).margin(1e-9));
  CHECK(history["val_loss"][0] == Approx(4));
}

TEST_CASE("Training may be stopped, and goes on in the next fit") {
  Line model;
  const Tensor ones = ops::ones({8, 1});
  int64_t batches = 0;
  Model* const self = &model;
  const auto stop =
      callbacks::LambdaCallback({.on_train_batch_end = [&, self](int64_t batch, Logs&) {
        ++batches;
        if (batch == 1) self->stop_training = true;
      }});
  FitOptions options{.batch_size = 1, .epochs = 4, .verbose = quiet, .callbacks = {stop}};
  CHECK(model.fit(ones, ones, options).epoch == std::vector<int64_t>{0});
  CHECK(batches == 2);
  CHECK(model.fit(ones, ones, {.epochs = 3, .verbose = quiet}).epoch.size() == 3);
}

TEST_CASE("A dataset that training left in the middle ends its pass") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto data = std::make_shared<NotingDataset>(4, 3);
  const auto stop = callbacks::LambdaCallback(
      {.on_train_batch_end = [&](int64_t batch, Logs&) { model.stop_training = batch == 1; }});
  model.fit(data, {.epochs = 2, .verbose = quiet, .callbacks = {stop}, .shuffle = false});
  // Devices beside the host have the next batch by then.
  CHECK(data->notes == (default_device().backend().on_host() ? "<0:01:0>" : "<0:012:0>"));
}

TEST_CASE("steps_per_execution changes no numbers") {
  auto run = [](int64_t group) {
    Line model;
    model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = group});
    return model.fit(wave({10, 1}), wave({10, 1}, 1),
                     {.batch_size = 2, .epochs = 2, .verbose = quiet, .shuffle = false})["loss"];
  };
  CHECK(run(1) == run(3));
}

}  // namespace fit_test
