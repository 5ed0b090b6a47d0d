// Keras's guide to callbacks of one's own, in C++.
#include <cstdio>
#include <limits>

#include "goldens.h"
#include "support/all_close.h"
#include "support/temporary.h"

namespace writing_your_own_callbacks_test {

using namespace cornu;
using test::all_close;
using test::check_close;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("writing_your_own_callbacks");
  return result;
}

Handle<Sequential> get_model(double learning_rate = 0.1) {
  utils::set_random_seed(1);
  auto model = make<Sequential>({Input({20}), layers::Dense({.units = 1})});
  model->compile({.optimizer = optimizers::RMSprop({.learning_rate = learning_rate}),
                  .loss = "mean_squared_error",
                  .metrics = {"mean_absolute_error"}});
  return model;
}

Tensor digits_of(const Shape& shape, int seed) {
  return ops::cast(random::randint(shape, 0, 10, seed), DType::float32);
}

const Tensor x_train = random::uniform({100, 20}, 0, 1, 1), y_train = digits_of({100}, 2);
const Tensor x_test = random::uniform({50, 20}, 0, 1, 3), y_test = digits_of({50}, 4);

// A line for each call: what happens, the number of the epoch or batch, the names in the logs.
class CustomCallback : public Callback {
 public:
  void on_train_begin(Logs& logs) override { note("train begin", logs); }
  void on_train_end(Logs& logs) override { note("train end", logs); }
  void on_epoch_begin(int64_t epoch, Logs& logs) override { note("epoch begin", epoch, logs); }
  void on_epoch_end(int64_t epoch, Logs& logs) override { note("epoch end", epoch, logs); }
  void on_test_begin(Logs& logs) override { note("test begin", logs); }
  void on_test_end(Logs& logs) override { note("test end", logs); }
  void on_predict_begin(Logs& logs) override { note("predict begin", logs); }
  void on_predict_end(Logs& logs) override { note("predict end", logs); }
  void on_train_batch_begin(int64_t batch, Logs& logs) override {
    note("train batch begin", batch, logs);
  }
  void on_train_batch_end(int64_t batch, Logs& logs) override {
    note("train batch end", batch, logs);
  }
  void on_test_batch_begin(int64_t batch, Logs& logs) override {
    note("test batch begin", batch, logs);
  }
  void on_test_batch_end(int64_t batch, Logs& logs) override {
    note("test batch end", batch, logs);
  }
  void on_predict_batch_begin(int64_t batch, Logs& logs) override {
    note("predict batch begin", batch, logs);
  }
  void on_predict_batch_end(int64_t batch, Logs& logs) override {
    note("predict batch end", batch, logs);
  }

  std::vector<std::string> lines;

 private:
  void note(const std::string& what, const Logs& logs) {
    std::string line = what + ":";
    for (const auto& [key, value] : logs) line += " " + key;
    lines.push_back(line);
  }
  void note(const std::string& what, int64_t number, const Logs& logs) {
    note(what + " " + std::to_string(number), logs);
  }
};

}  // namespace

TEST_CASE("Hooks are called in Keras's order with Keras's names") {
  auto noting = std::make_shared<CustomCallback>();
  auto model = get_model();
  model->fit(x_train, y_train,
             {.batch_size = 32,
              .epochs = 1,
              .verbose = Verbose::silent,
              .callbacks = {noting},
              .validation_split = 0.5,
              .shuffle = false});
  model->evaluate(x_test, y_test,
                  {.batch_size = 32, .verbose = Verbose::silent, .callbacks = {noting}});
  model->predict(x_test, {.batch_size = 32, .verbose = Verbose::silent, .callbacks = {noting}});

  const Value file = test::golden_file("guides_writing_your_own_callbacks.json");
  const Value& lines = test::entry(test::entry(file, "calls"), "lines");
  CHECK(noting->lines == cornu::detail::from_value<std::vector<std::string>>(lines));
}

namespace {

class LossAndErrorPrintingCallback : public Callback {
 public:
  void on_train_batch_end(int64_t batch, Logs& logs) override {
    train.push_back(logs["loss"]);
    lines.push_back(line(batch, logs["loss"]));
  }
  void on_test_batch_end(int64_t, Logs& logs) override { test.push_back(logs["loss"]); }
  void on_epoch_end(int64_t, Logs& logs) override {
    epochs.push_back(logs["loss"]);
    epochs.push_back(logs["mean_absolute_error"]);
  }
  static std::string line(int64_t batch, double loss) {
    char text[80];
    std::snprintf(text, sizeof text, "Up to batch %d, the average loss is %7.2f.",
                  static_cast<int>(batch), loss);
    return text;
  }
  std::vector<double> train, test, epochs;
  std::vector<std::string> lines;
};

}  // namespace

TEST_CASE("Logs have the means so far") {
  auto printing = std::make_shared<LossAndErrorPrintingCallback>();
  auto model = get_model();
  model->fit(x_train, y_train,
             {.batch_size = 32,
              .epochs = 2,
              .verbose = Verbose::silent,
              .callbacks = {printing},
              .shuffle = false});
  CHECK(printing->test.empty());
  model->evaluate(x_test, y_test,
                  {.batch_size = 32, .verbose = Verbose::silent, .callbacks = {printing}});
  check_close(printing->train, goldens().numbers("printed", "train"));
  check_close(printing->test, goldens().numbers("printed", "test"));
  check_close(printing->epochs, goldens().numbers("printed", "epochs"));
  REQUIRE(printing->lines.size() == 8);
  CHECK(printing->lines[0] == LossAndErrorPrintingCallback::line(0, printing->train[0]));
}

namespace {

class EarlyStoppingAtMinLoss : public Callback {
 public:
  explicit EarlyStoppingAtMinLoss(int64_t patience = 0) : patience(patience) {}

  void on_train_begin(Logs&) override {
    wait = 0;
    stopped_epoch = 0;
    best = std::numeric_limits<double>::infinity();
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    const double current = logs["loss"];
    if (current < best) {
      best = current;
      wait = 0;
      best_weights = model()->get_weights();
    } else if (++wait >= patience) {
      stopped_epoch = epoch;
      model()->stop_training = true;
      model()->set_weights(best_weights);
    }
  }

  int64_t patience, wait = 0, stopped_epoch = 0;
  double best = 0;
  std::vector<Tensor> best_weights;
};

}  // namespace

TEST_CASE("A callback ends training at the least loss and brings its weights back") {
  for (const int64_t patience : {0, 2}) {
    CAPTURE(patience);
    const std::string example = "stopped_" + std::to_string(patience);
    auto stopping = std::make_shared<EarlyStoppingAtMinLoss>(patience);
    auto model = get_model(0.5);
    check_close(model->fit(x_train, y_train,
                           {.batch_size = 32,
                            .epochs = 30,
                            .verbose = Verbose::silent,
                            .callbacks = {stopping},
                            .shuffle = false}),
                goldens().history(example), 1e-4);
    CHECK(stopping->stopped_epoch == goldens().numbers(example, "epoch")[0]);
    check_close(model->get_weights()[0], goldens().numbers(example, "kernel"), 1e-4);
  }
}

TEST_CASE("A callback of one's own ends training as the built-in one does") {
  auto mine = get_model(0.5), theirs = get_model(0.5);
  const auto own = std::make_shared<EarlyStoppingAtMinLoss>(2);
  const callbacks::EarlyStopping built_in(
      {.monitor = "loss", .patience = 2, .restore_best_weights = true});
  const auto run = [](Model& model, const std::shared_ptr<Callback>& callback) {
    return model.fit(
        x_train, y_train,
        {.epochs = 30, .verbose = Verbose::silent, .callbacks = {callback}, .shuffle = false});
  };
  CHECK(run(*mine, own).history == run(*theirs, built_in).history);
  CHECK(built_in->stopped_epoch() == own->stopped_epoch);
  CHECK(all_close(mine->get_weights()[0], theirs->get_weights()[0], 0, 0));
}

namespace {

class CustomLearningRateScheduler : public Callback {
 public:
  using Schedule = std::function<double(int64_t epoch, double lr)>;
  explicit CustomLearningRateScheduler(Schedule schedule) : schedule(std::move(schedule)) {}

  void on_epoch_begin(int64_t epoch, Logs&) override {
    const double lr = model()->optimizer()->learning_rate();
    const double scheduled_lr = schedule(epoch, lr);
    model()->optimizer()->set_learning_rate(scheduled_lr);
    rates.push_back(model()->optimizer()->learning_rate());
  }

  Schedule schedule;
  std::vector<double> rates;
};

double lr_schedule(int64_t epoch, double lr) {
  static const std::map<int64_t, double> rates = {{3, 0.05}, {6, 0.01}, {9, 0.005}, {12, 0.001}};
  const auto found = rates.find(epoch);
  return found == rates.end() ? lr : found->second;
}

}  // namespace

TEST_CASE("A callback sets the learning rate of each epoch") {
  auto scheduler = std::make_shared<CustomLearningRateScheduler>(lr_schedule);
  auto model = get_model();
  check_close(model->fit(x_train, y_train,
                         {.batch_size = 32,
                          .epochs = 15,
                          .verbose = Verbose::silent,
                          .callbacks = {scheduler},
                          .shuffle = false}),
              goldens().history("scheduled"));
  check_close(scheduler->rates, goldens().numbers("scheduled", "rates"));
}

TEST_CASE("The built-in scheduler takes the same function") {
  auto model = get_model();
  History history =
      model->fit(x_train, y_train,
                 {.batch_size = 32,
                  .epochs = 15,
                  .verbose = Verbose::silent,
                  .callbacks = {callbacks::LearningRateScheduler({.schedule = lr_schedule})},
                  .shuffle = false});
  check_close(history["loss"], goldens().history("scheduled").at("loss"));
  check_close(history["learning_rate"], goldens().numbers("scheduled", "rates"));
}

namespace {

// Ends training within an epoch.
class StopAfter : public Callback {
 public:
  explicit StopAfter(int64_t batches) : left(batches) {}
  void on_train_batch_end(int64_t, Logs&) override {
    if (--left == 0) model()->stop_training = true;
  }
  int64_t left;
};

class Params : public Callback {
 public:
  void on_train_begin(Logs&) override { seen = params(); }
  TrainingParams seen;
};

}  // namespace

TEST_CASE("Training ends after the batch in which a callback asks for it") {
  auto model = get_model();
  auto noting = std::make_shared<CustomCallback>();
  History history = model->fit(x_train, y_train,
                               {.batch_size = 32,
                                .epochs = 5,
                                .verbose = Verbose::silent,
                                .callbacks = {std::make_shared<StopAfter>(2), noting},
                                .shuffle = false});
  CHECK(history.epoch == std::vector<int64_t>{0});
  CHECK(model->optimizer()->iterations() == 2);
  CHECK(noting->lines.back() == "train end: loss mean_absolute_error");
  // The next run begins with the flag down.
  CHECK(model->fit(x_train, y_train, {.epochs = 2, .verbose = Verbose::silent})["loss"].size() ==
        2);
}

TEST_CASE("A callback knows the run and its model") {
  auto params = std::make_shared<Params>();
  auto model = get_model();
  model->fit(x_train, y_train,
             {.batch_size = 32, .epochs = 3, .verbose = Verbose::silent, .callbacks = {params}});
  CHECK(params->seen.epochs == 3);
  CHECK(params->seen.steps == 4);
  CHECK(params->seen.verbose == 0);
  CHECK(params->model() == model.get());
}

namespace {

// Saves the model now and then, and keeps what it predicts for some samples.
class Watcher : public Callback {
 public:
  explicit Watcher(std::filesystem::path folder) : folder(std::move(folder)) {}
  void on_epoch_end(int64_t epoch, Logs&) override {
    predictions.push_back(model()->predict(x_test[Slice(0, 3)], {.verbose = Verbose::silent}));
    if (epoch % 2 == 1) model()->save(folder / ("epoch_" + std::to_string(epoch) + ".keras"));
  }
  std::filesystem::path folder;
  std::vector<Tensor> predictions;
};

}  // namespace

TEST_CASE("A callback saves the model and predicts with it") {
  const test::TemporaryFolder folder;
  auto watcher = std::make_shared<Watcher>(folder.path());
  auto model = get_model();
  History history = model->fit(x_train, y_train,
                               {.batch_size = 32,
                                .epochs = 4,
                                .verbose = Verbose::silent,
                                .callbacks = {watcher},
                                .shuffle = false});
  CHECK(folder.count() == 2);
  REQUIRE(watcher->predictions.size() == 4);
  for (const int64_t epoch : {1, 3}) {
    const auto saved = load_model(folder / ("epoch_" + std::to_string(epoch) + ".keras"));
    CHECK(all_close(saved->predict(x_test[Slice(0, 3)], {.verbose = Verbose::silent}),
                    watcher->predictions[static_cast<size_t>(epoch)], 0, 0));
  }
  // Predicting in between changes no figure of the training.
  auto unwatched = get_model();
  CHECK(unwatched
            ->fit(x_train, y_train,
                  {.batch_size = 32, .epochs = 4, .verbose = Verbose::silent, .shuffle = false})
            .history == history.history);
}

TEST_CASE("What a callback writes into the logs stands in the history") {
  auto model = get_model();
  History history = model->fit(
      x_train, y_train,
      {.epochs = 3,
       .verbose = Verbose::silent,
       .callbacks = {callbacks::LambdaCallback({.on_epoch_end = [](int64_t epoch, Logs& logs) {
         logs["double_loss"] = 2 * logs["loss"];
         logs["epoch_number"] = static_cast<double>(epoch);
       }})}});
  CHECK(history["epoch_number"] == std::vector<double>{0, 1, 2});
  CHECK(history["double_loss"][2] == 2 * history["loss"][2]);
}

}  // namespace writing_your_own_callbacks_test
