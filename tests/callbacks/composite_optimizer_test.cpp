// Callbacks that set or log learning rates, with an optimizer that is made of several.
#include "support.h"

#include <cornu/cornu.h>

#include "../support/contract.h"

namespace composite_optimizer_test {

using namespace cornu;
using callbacks::LearningRateScheduler;
using callbacks::ReduceLROnPlateau;

namespace {

struct Trained {
  Sequential model;
  optimizers::SGD sgd{optimizers::SGDConfig{.learning_rate = 0.5}};
  optimizers::Adam adam{optimizers::AdamConfig{.learning_rate = 0.25}};

  explicit Trained(bool scaled = false) : model({Input({2}), layers::Dense({.units = 1})}) {
    const optimizers::MultiOptimizer both(
        {.optimizer_map = optimizers::OptimizerMap(
             {.default_optimizer = sgd, .optimizer_map = {{".*bias", adam}}})});
    if (scaled)
      model.compile(
          {.optimizer = optimizers::LossScaleOptimizer({.inner_optimizer = both}), .loss = "mse"});
    else
      model.compile({.optimizer = both, .loss = "mse"});
  }

  History fit(Callbacks callbacks, int64_t epochs = 3) {
    return model.fit(
        ops::ones({4, 2}), ops::ones({4, 1}),
        {.epochs = epochs, .verbose = Verbose::silent, .callbacks = std::move(callbacks)});
  }
};

// A figure that never gets better.
std::shared_ptr<Callback> constant_figure() {
  return callbacks::LambdaCallback(
             {.on_epoch_end = [](int64_t, Logs& logs) { logs["figure"] = 1; }})
      .shared();
}

}  // namespace

TEST_CASE("a schedule sets the rate of each of several optimizers") {
  for (const bool scaled : {false, true}) {
    INFO("within a LossScaleOptimizer: " << scaled);
    Trained t(scaled);
    const History history = t.fit({LearningRateScheduler(
        {.schedule = [](int64_t epoch, double rate) { return epoch == 0 ? rate : rate / 2; }})});
    CHECK(history["learning_rate_sgd"] == std::vector<double>{0.5, 0.25, 0.125});
    CHECK(history["learning_rate_adam"] == std::vector<double>{0.25, 0.125, 0.0625});
    CHECK_FALSE(history.history.count("learning_rate"));
    CHECK(t.sgd->learning_rate() == 0.125);
    CHECK(t.adam->learning_rate() == 0.0625);
  }
}

TEST_CASE("on a plateau the rates of all of several optimizers fall, as far as each may") {
  Trained t;
  const ReduceLROnPlateau callback({.monitor = "figure",
                                    .factor = 0.5,
                                    .patience = 1,
                                    .mode = "min",
                                    .cooldown = 0,
                                    .min_lr = 0.125});
  const History history = t.fit({constant_figure(), callback}, 5);
  CHECK(history["learning_rate_sgd"] == std::vector<double>{0.5, 0.5, 0.25, 0.125, 0.125});
  CHECK(history["learning_rate_adam"] == std::vector<double>{0.25, 0.25, 0.125, 0.125, 0.125});
}

TEST_CASE("a cooldown begins when one of several rates fell") {
  Trained t;
  t.adam->set_learning_rate(0.0625);
  const ReduceLROnPlateau callback({.monitor = "figure",
                                    .factor = 0.5,
                                    .patience = 1,
                                    .mode = "min",
                                    .cooldown = 2,
                                    .min_lr = 0.0625});
  const History history = t.fit({constant_figure(), callback}, 6);
  CHECK(history["learning_rate_sgd"] == std::vector<double>{0.5, 0.5, 0.25, 0.25, 0.125, 0.125});
  CHECK(history["learning_rate_adam"] == std::vector<double>(6, 0.0625));
}

TEST_CASE("optimizers of one name have figures of their own") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  const optimizers::MultiOptimizer both(
      {.optimizer_map = optimizers::OptimizerMap(
           {.default_optimizer = optimizers::SGD({.learning_rate = 0.5}),
            .optimizer_map = {{".*bias", optimizers::SGD({.learning_rate = 0.25})}}})});
  model.compile({.optimizer = both, .loss = "mse"});
  const LearningRateScheduler halve({.schedule = [](int64_t, double rate) { return rate / 2; }});
  const History history = model.fit(ops::ones({4, 2}), ops::ones({4, 1}),
                                    {.verbose = Verbose::silent, .callbacks = {halve}});
  CHECK(history["learning_rate_sgd"] == std::vector<double>{0.125});
  CHECK(history["learning_rate_sgd_1"] == std::vector<double>{0.25});
}

TEST_CASE("TensorBoard writes the rate of each of several optimizers") {
  const test::TemporaryFolder folder;
  Trained t;
  t.fit({callbacks::TensorBoard({.log_dir = folder / "logs", .write_graph = false})}, 2);
  std::string written;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder / "logs"))
    if (file.is_regular_file()) written += test::slurp(file.path().string());
  CHECK(test::has(written, "epoch_learning_rate_sgd"));
  CHECK(test::has(written, "epoch_learning_rate_adam"));
}

TEST_CASE("which way the mean of a function should go is known of losses alone") {
  const auto fit = [&](const metrics::MetricFunction& function, const std::string& mode) {
    Sequential model({Input({2}), layers::Dense({.units = 1})});
    model.compile({.optimizer = "sgd",
                   .loss = "mse",
                   .metrics = {metrics::MeanMetricWrapper({.fn = function, .name = "score"})}});
    return test::error_of([&] {
      model.fit(ops::ones({4, 2}), ops::ones({4, 1}),
                {.epochs = 2,
                 .verbose = Verbose::silent,
                 .callbacks = {callbacks::EarlyStopping({.monitor = "score", .mode = mode})}});
    });
  };
  const metrics::MetricFunction mine(
      [](const Tensor& t, const Tensor& p) { return ops::max(t - p, -1); });
  CHECK(fit("mse", "auto") == "no error");
  CHECK(test::has(fit("binary_accuracy", "auto"), ".mode"));
  CHECK(test::has(fit(mine, "auto"), ".mode"));
  CHECK(fit(mine, "max") == "no error");
}

}  // namespace composite_optimizer_test
