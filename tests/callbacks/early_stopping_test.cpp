// Tests of EarlyStopping and of how figures to monitor are found.
#include "support.h"

#include <cornu/callbacks/early_stopping.h>
#include <cornu/callbacks/lambda_callback.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>
#include <cornu/optimizers/sgd.h>

#include <cmath>
#include <limits>

namespace early_stopping_test {

using namespace cornu;
using callbacks::EarlyStopping;
using test::end_epoch;

namespace {

// The epoch (from 0) after which training was stopped, or -1.
int64_t stopped_after(const EarlyStopping& callback, const std::vector<double>& losses) {
  test::OneWeight model;
  Logs logs;
  callback->set_model(&model);
  callback->on_train_begin(logs);
  for (size_t epoch = 0; epoch < losses.size(); ++epoch)
    if (end_epoch(*callback, model, static_cast<int64_t>(epoch), {{"val_loss", losses[epoch]}}))
      return static_cast<int64_t>(epoch);
  return -1;
}

}  // namespace

TEST_CASE("patience counts epochs without improvement") {
  CHECK(stopped_after(EarlyStopping({.patience = 0}), {1, 0.9, 0.95}) == 2);
  CHECK(stopped_after(EarlyStopping({.patience = 2}), {1, 0.9, 0.95, 0.91, 0.5}) == 3);
  CHECK(stopped_after(EarlyStopping({.patience = 3}), {1, 0.9, 0.95, 0.91, 0.5}) == -1);
}

TEST_CASE("a change below min_delta is none") {
  CHECK(stopped_after(EarlyStopping({.min_delta = 0.1, .patience = 1}), {1, 0.95}) == 1);
  CHECK(stopped_after(EarlyStopping({.min_delta = -0.1, .patience = 1}), {1, 0.85, 0.8}) == 2);
}

TEST_CASE("the baseline must be beaten too") {
  CHECK(stopped_after(EarlyStopping({.patience = 2, .baseline = 0.5}), {1, 0.9, 0.9, 0.8}) == 2);
  CHECK(stopped_after(EarlyStopping({.patience = 2, .baseline = 0.5}), {1, 0.4, 0.3, 0.2}) == -1);
}

TEST_CASE("epochs of warm-up are not looked at") {
  CHECK(stopped_after(EarlyStopping({.patience = 1, .start_from_epoch = 3}), {1, 2, 3, 4, 5}) == 4);
}

TEST_CASE("a NaN never is an improvement") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(stopped_after(EarlyStopping({.patience = 2}), {1, nan, nan}) == 2);
}

TEST_CASE("a callback serves several fits") {
  EarlyStopping callback({.patience = 1});
  CHECK(stopped_after(callback, {1, 2}) == 1);
  CHECK(stopped_after(callback, {5, 4, 3}) == -1);
}

TEST_CASE("the best weights come back") {
  test::OneWeight model;
  EarlyStopping callback({.patience = 2, .restore_best_weights = true});
  Logs logs;
  callback->set_model(&model);
  callback->on_train_begin(logs);
  const double losses[] = {1, 0.5, 0.7, 0.8};
  for (int epoch = 0; epoch < 4; ++epoch) {
    model.set(static_cast<float>(epoch));
    end_epoch(*callback, model, epoch, {{"val_loss", losses[epoch]}});
  }
  CHECK(model.stop_training);
  CHECK(callback->stopped_epoch() == 3);
  CHECK(callback->best_epoch() == 1);
  callback->on_train_end(logs);
  CHECK(model.get() == 1.0f);
}

TEST_CASE("modes") {
  CHECK_THROWS_AS(EarlyStopping({.mode = "lowest"}), ValueError);
  test::OneWeight model;
  EarlyStopping rising({.monitor = "score", .patience = 1, .mode = "max"});
  Logs logs;
  rising->on_train_begin(logs);
  CHECK_FALSE(end_epoch(*rising, model, 0, {{"score", 1}}));
  CHECK_FALSE(end_epoch(*rising, model, 1, {{"score", 2}}));
  CHECK(end_epoch(*rising, model, 2, {{"score", 1.5}}));

  EarlyStopping unclear({.monitor = "score"});
  CHECK_THROWS_AS(end_epoch(*unclear, model, 0, {{"score", 1}}), ValueError);
}

TEST_CASE("the direction follows from the metric") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  model.compile({.loss = "mse", .metrics = {"binary_accuracy", "mean_absolute_error"}});
  model.train_on_batch(ops::ones({4, 2}), ops::ones({4, 1}));
  EarlyStopping accuracy({.monitor = "val_binary_accuracy"});
  end_epoch(*accuracy, model, 0, {{"val_binary_accuracy", 0.5}});
  end_epoch(*accuracy, model, 1, {{"val_binary_accuracy", 0.6}});
  CHECK(accuracy->best() == 0.6);
  EarlyStopping error({.monitor = "mean_absolute_error"});
  end_epoch(*error, model, 0, {{"mean_absolute_error", 0.5}});
  end_epoch(*error, model, 1, {{"mean_absolute_error", 0.6}});
  CHECK(error->best() == 0.5);
}

TEST_CASE("an unknown figure stops nothing") {
  test::OneWeight model;
  EarlyStopping callback({.monitor = "val_los"});
  for (int epoch = 0; epoch < 3; ++epoch)
    CHECK_FALSE(end_epoch(*callback, model, epoch, {{"val_loss", 1}}));
  CHECK(callbacks::available_names({{"loss", 1}, {"val_loss", 1}}, "val_los") ==
        "loss, val_loss. Did you mean 'val_loss'?");
}

TEST_CASE("an array cannot be monitored") {
  test::OneWeight model;
  EarlyStopping callback({.monitor = "f1", .mode = "max"});
  Logs logs;
  logs.set("f1", ops::ones({2}));
  CHECK_THROWS_WITH(end_epoch(*callback, model, 0, logs),
                    "EarlyStopping: 'f1' is not a number but [1.0, 1.0], so it cannot be told "
                    "whether it got better. Monitor a metric of one figure.");
}

TEST_CASE("fit stops early") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  // A learning rate of zero: nothing ever improves.
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.optimizer()->set_learning_rate(0);
  const History history =
      model.fit(ops::ones({8, 2}), ops::ones({8, 1}),
                {.epochs = 20,
                 .verbose = Verbose::silent,
                 .callbacks = {EarlyStopping({.monitor = "loss", .patience = 3})}});
  CHECK(history.epoch.size() == 4);
}

TEST_CASE("the best epoch's weights come back after the averages of the optimizer") {
  Sequential model({Input({1}), layers::Dense({.units = 1, .use_bias = false})});
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.3, .use_ema = true, .ema_momentum = 0.5}),
       .loss = "mse"});
  std::vector<double> weights;
  double at_end = 0;
  // The second epoch is made the best one.
  const auto figures = callbacks::LambdaCallback(
      {.on_epoch_end =
           [&](int64_t epoch, Logs& logs) {
             weights.push_back(model.get_weights()[0].item());
             logs["figure"] = epoch == 1 ? 0 : 1;
           },
       .on_train_end = [&](Logs&) { at_end = model.get_weights()[0].item(); }});
  const auto fit = [&](Callbacks callbacks) {
    model.fit(ops::ones({4, 1}), ops::ones({4, 1}) * 3.0,
              {.epochs = 4, .verbose = Verbose::silent, .callbacks = std::move(callbacks)});
  };
  fit({figures,
       EarlyStopping(
           {.monitor = "figure", .patience = 9, .mode = "min", .restore_best_weights = true})});
  CHECK(model.get_weights()[0].item() == weights[1]);
  // Without it the averages stay, and the last hook sees them.
  CHECK(at_end != weights[3]);
  fit({figures});
  CHECK(model.get_weights()[0].item() == at_end);
  CHECK(at_end != weights[7]);
}

}  // namespace early_stopping_test
