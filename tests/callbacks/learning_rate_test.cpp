// Tests of LearningRateScheduler and ReduceLROnPlateau.
#include "support.h"

#include <cornu/callbacks/learning_rate_scheduler.h>
#include <cornu/callbacks/reduce_lr_on_plateau.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>

namespace learning_rate_test {

using namespace cornu;
using callbacks::LearningRateScheduler;
using callbacks::ReduceLROnPlateau;

TEST_CASE("a schedule sets the rate of each epoch") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.optimizer()->set_learning_rate(1);
  const History history =
      model.fit(ops::ones({4, 2}), ops::ones({4, 1}),
                {.epochs = 3,
                 .verbose = Verbose::silent,
                 .callbacks = {LearningRateScheduler({.schedule = [](int64_t epoch, double rate) {
                   return epoch == 0 ? rate : rate / 2;
                 }})}});
  CHECK(history["learning_rate"] == std::vector<double>{1, 0.5, 0.25});
}

TEST_CASE("a schedule may be one of the epoch alone") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto rate = [](int64_t epoch) { return 1.0 / static_cast<double>(epoch + 1); };
  const History history = model.fit(ops::ones({4, 2}), ops::ones({4, 1}),
                                    {.epochs = 2,
                                     .verbose = Verbose::silent,
                                     .callbacks = {LearningRateScheduler({.schedule = rate})}});
  CHECK(history["learning_rate"] == std::vector<double>{1, 0.5});
}

TEST_CASE("the rate is lowered on a plateau") {
  CHECK_THROWS_AS(ReduceLROnPlateau({.factor = 1}), ValueError);
  test::OneWeight model;
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.optimizer()->set_learning_rate(1);
  ReduceLROnPlateau callback({.factor = 0.5, .patience = 2, .cooldown = 2, .min_lr = 0.25});
  Logs logs;
  callback->set_model(&model);
  callback->on_train_begin(logs);
  std::vector<double> rates;
  const double losses[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int epoch = 0; epoch < 10; ++epoch) {
    test::end_epoch(*callback, model, epoch, {{"val_loss", losses[epoch]}});
    rates.push_back(model.optimizer()->learning_rate());
  }
  // Lowered after two bad epochs; then two epochs of cooldown, of which the second counts; never
  // below min_lr.
  CHECK(rates == std::vector<double>{1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25});
}

}  // namespace learning_rate_test
