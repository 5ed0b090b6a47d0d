// Tests of what fit prints when it is done, and of the times in its History.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/model/run_summary.h>

#include <chrono>
#include <limits>
#include <thread>

namespace run_summary_test {

using namespace cornu;

namespace {

History history_of(std::vector<double> loss, std::vector<double> val_loss = {}) {
  History history;
  for (size_t i = 0; i < loss.size(); ++i) history.epoch.push_back(static_cast<int64_t>(i));
  history.history["loss"] = std::move(loss);
  if (!val_loss.empty()) history.history["val_loss"] = std::move(val_loss);
  return history;
}

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace

TEST_CASE("The best epoch, the time and its parts, memory and files") {
  History history = history_of({3, 2, 1}, {3, 1.5, 1.75});
  history.time = {.data = 4, .step = 88, .callbacks = 1, .validation = 7, .total = 101};
  CHECK(run_summary(history, 20, 312'000'000, {"model.keras", "history.csv"}) ==
        "3 epochs in 1:41 (step 88%, data 4%, callbacks 1%, validation 7%), 312 MB of memory\n"
        "best val_loss 1.5000 in epoch 2/20, at last 1.7500\n"
        "files: model.keras, history.csv\n");
}

TEST_CASE("Without a validation the loss decides, and parts below a percent are left out") {
  History history = history_of({1, 2});
  history.time = {.data = 0.001, .step = 9.9, .total = 10};
  history.interrupted = true;
  CHECK(run_summary(history, 4, 2'500'000'000, {}) ==
        "interrupted: 2 epochs in 10s (step 100%), 2.5 GB of memory\n"
        "best loss 1.0000 in epoch 1/4, at last 2.0000\n");
}

TEST_CASE("NaN is never the best figure") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(run_summary(history_of({nan, 2, nan}), 3, 0, {}),
             Catch::Contains("best loss 2.0000 in epoch 2/3, at last nan"));
  CHECK_THAT(run_summary(history_of({nan, nan}), 2, 0, {}),
             Catch::Contains("no epoch has a loss that is a number"));
}

TEST_CASE("A validation every second epoch is named by its own epoch") {
  CHECK_THAT(run_summary(history_of({4, 3, 2, 1}, {1, 2}), 4, 0, {}),
             Catch::Contains("best val_loss 1.0000 in epoch 2/4"));
}

TEST_CASE("Many files are counted") {
  CHECK_THAT(run_summary(history_of({1}), 1, 0, {"1", "2", "3", "4", "5", "6", "7", "8"}),
             Catch::Contains("files: 1, 2, 3, 4, 5, 6 and 2 more\n"));
}

TEST_CASE("Parts that take a tenth of the loop are named") {
  CHECK(slow_parts({.data = 38, .step = 60, .callbacks = 2}) == " - data 38%");
  CHECK(slow_parts({.data = 5, .step = 75, .callbacks = 20}) == " - callbacks 20%");
  CHECK(slow_parts({.data = 12, .step = 88, .validation = 500}).empty());
  CHECK(slow_parts({}).empty());
}

TEST_CASE("fit measures where its time goes") {
  class Slow : public Dataset {
   public:
    int64_t size() const override { return 4; }
    Batch batch(int64_t) override {
      sleep_ms(10);
      return {ops::ones({2, 3}), ops::ones({2, 1}), {}};
    }
  };
  class Sleeper : public Callback {
   public:
    void on_train_batch_end(int64_t, Logs&) override { sleep_ms(5); }
    void on_epoch_end(int64_t, Logs&) override { sleep_ms(20); }
  };
  Sequential model({layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const History history = model.fit(
      std::make_shared<Slow>(),
      {.epochs = 2, .verbose = Verbose::silent, .callbacks = {std::make_shared<Sleeper>()}});
  CHECK(history.time.data >= 0.08);
  CHECK(history.time.callbacks >= 0.08);
  CHECK(history.time.validation == 0);
  CHECK(history.time.total >= history.time.data + history.time.callbacks + history.time.validation);
}

TEST_CASE("Every long step is measured, and short ones stand for their neighbors") {
  StepClock clock;
  double part = 0;
  const auto run = [&](int steps, int milliseconds) {
    for (int i = 0; i < steps; ++i) {
      clock.begin();
      if (milliseconds > 0) sleep_ms(milliseconds);
      clock.lap(part);
      clock.end();
    }
  };
  run(5, 1);
  CHECK(part >= 5e-3);
  part = 0;
  run(1000, 0);
  CHECK(part > 0);
}

TEST_CASE("A figure's epochs follow from how many there are") {
  History history;
  history.epoch = {3, 4, 5, 6, 7};
  history.history = {{"loss", {5, 4, 3, 2, 1}}, {"val_loss", {4, 2}}, {"rare", {1}}};
  CHECK(history.epochs("loss") == history.epoch);
  CHECK(history.epochs("val_loss") == std::vector<int64_t>{3, 7});  // validation_freq = 4
  CHECK(history.epochs("rare") == std::vector<int64_t>{5});         // 6, of 6, 7 and 8
  CHECK_THROWS_AS(history.epochs("los"), ValueError);
}

}  // namespace run_summary_test
