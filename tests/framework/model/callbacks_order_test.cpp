// Tests of which hooks of callbacks are called, when, and with which numbers.
#include <cornu/callbacks/lambda_callback.h>

#include "model_support.h"

namespace callbacks_order_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

const Verbose quiet = Verbose::silent;

// Writes down each hook with its number, and the names in its logs.
class Recorder : public Callback {
 public:
  void on_train_begin(Logs& logs) override { note("train[", logs); }
  void on_train_end(Logs& logs) override { note("]train", logs); }
  void on_epoch_begin(int64_t epoch, Logs& logs) override {
    note("epoch[" + std::to_string(epoch), logs);
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    note("]epoch" + std::to_string(epoch), logs);
  }
  void on_train_batch_begin(int64_t batch, Logs& logs) override {
    note("b" + std::to_string(batch), logs);
  }
  void on_train_batch_end(int64_t batch, Logs& logs) override {
    note("e" + std::to_string(batch), logs);
  }
  void on_test_begin(Logs& logs) override { note("test[", logs); }
  void on_test_end(Logs& logs) override { note("]test", logs); }
  void on_test_batch_begin(int64_t batch, Logs& logs) override {
    note("tb" + std::to_string(batch), logs);
  }
  void on_test_batch_end(int64_t batch, Logs& logs) override {
    note("te" + std::to_string(batch), logs);
  }
  void on_predict_begin(Logs& logs) override { note("predict[", logs); }
  void on_predict_end(Logs& logs) override { note("]predict", logs); }
  void on_predict_batch_begin(int64_t batch, Logs& logs) override {
    note("pb" + std::to_string(batch), logs);
  }
  void on_predict_batch_end(int64_t batch, Logs& logs) override {
    note("pe" + std::to_string(batch), logs);
  }

  std::vector<std::string> hooks, logs;

 private:
  void note(const std::string& hook, const Logs& figures) {
    hooks.push_back(hook);
    std::string text;
    for (const auto& [name, value] : figures) text += (text.empty() ? "" : ",") + name;
    logs.push_back(text);
  }
};

struct Setup {
  Setup() { model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}}); }
  Sequential model{Input({2}), Dense({.units = 1})};
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
  Tensor x = wave({4, 2}), y = wave({4, 1});
};

using Hooks = std::vector<std::string>;

}  // namespace

TEST_CASE("fit calls the hooks in Keras's order") {
  Setup s;
  s.model.fit(s.x, s.y,
              {.batch_size = 2,
               .epochs = 2,
               .verbose = quiet,
               .callbacks = {s.recorder},
               .validation_data = {s.x, s.y},
               .validation_batch_size = 3});
  CHECK(s.recorder->hooks ==
        Hooks{"train[",  //
              "epoch[0", "b0",    "e0",      "b1",      "e1",    "test[",   "tb0",   "te0", "tb1",
              "te1",     "]test", "]epoch0", "epoch[1", "b0",    "e0",      "b1",    "e1",  "test[",
              "tb0",     "te0",   "tb1",     "te1",     "]test", "]epoch1", "]train"});
  CHECK(s.recorder->logs[3] == "loss,mae");   // e0
  CHECK(s.recorder->logs[2].empty());         // b0
  CHECK(s.recorder->logs[8] == "loss,mae");   // te0
  CHECK(s.recorder->logs[11] == "loss,mae");  // ]test
  CHECK(s.recorder->logs[12] == "loss,mae,val_loss,val_mae");
  CHECK(s.recorder->logs.back() == "loss,mae,val_loss,val_mae");
}

TEST_CASE("predict shows what the model gave for each batch, or group of batches") {
  for (const int64_t group : {1, 2}) {
    Sequential model({Input({2}), Dense({.units = 3})});
    model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = group});
    std::vector<Shape> shapes;
    std::vector<float> seen;
    const callbacks::LambdaCallback watch({.on_predict_batch_end = [&](int64_t, const Logs& logs) {
      shapes.push_back(logs.outputs.tensor().shape());
      const auto values = logs.outputs.tensor().to_vector<float>();
      seen.insert(seen.end(), values.begin(), values.end());
    }});
    const Tensor y =
        model.predict(wave({5, 2}), {.batch_size = 1, .verbose = quiet, .callbacks = {watch}});
    CHECK(shapes.size() == static_cast<size_t>((5 + group - 1) / group));
    CHECK(shapes.front() == Shape{group, 3});
    CHECK(shapes.back() == Shape{1, 3});
    CHECK(seen == y.to_vector<float>());
  }
}

TEST_CASE("evaluate and predict call theirs") {
  Setup s;
  s.model.evaluate(s.x, s.y, {.batch_size = 2, .verbose = quiet, .callbacks = {s.recorder}});
  CHECK(s.recorder->hooks == Hooks{"test[", "tb0", "te0", "tb1", "te1", "]test"});
  s.recorder->hooks.clear();
  s.model.predict(s.x, {.batch_size = 3, .verbose = quiet, .callbacks = {s.recorder}});
  CHECK(s.recorder->hooks == Hooks{"predict[", "pb0", "pe0", "pb1", "pe1", "]predict"});
}

TEST_CASE("Epochs count from initial_epoch, batches from 0 in each") {
  Setup s;
  s.model.fit(s.x, s.y,
              {.batch_size = 2,
               .epochs = 4,
               .verbose = quiet,
               .callbacks = {s.recorder},
               .initial_epoch = 2,
               .steps_per_epoch = 1});
  CHECK(s.recorder->hooks == Hooks{"train[", "epoch[2", "b0", "e0", "]epoch2", "epoch[3", "b0",
                                   "e0", "]epoch3", "]train"});
}

TEST_CASE("Batch hooks come once for each execution") {
  Setup s;
  s.model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = 3});
  s.model.fit(s.x, s.y, {.batch_size = 1, .verbose = quiet, .callbacks = {s.recorder}});
  CHECK(s.recorder->hooks ==
        Hooks{"train[", "epoch[0", "b0", "e2", "b3", "e5", "]epoch0", "]train"});
}

TEST_CASE("Callbacks know the model and the run") {
  class Asks : public Callback {
   public:
    void on_train_begin(Logs&) override { seen = params(); }
    TrainingParams seen;
  };
  Setup s;
  auto asks = std::make_shared<Asks>();
  s.model.fit(s.x, s.y, {.batch_size = 1, .epochs = 3, .verbose = quiet, .callbacks = {asks}});
  CHECK(asks->model() == &s.model);
  CHECK(asks->seen.epochs == 3);
  CHECK(asks->seen.steps == 4);
  CHECK(asks->seen.verbose == 0);
}

TEST_CASE("What a callback writes into the logs, later ones and History see") {
  Setup s;
  double seen = 0;
  const auto writes = callbacks::LambdaCallback({.on_epoch_end = [](int64_t epoch, Logs& logs) {
    logs["extra"] = static_cast<double>(epoch) + 1;
  }});
  const auto reads = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs& logs) { seen = logs.at("extra"); }});
  const History history =
      s.model.fit(s.x, s.y, {.epochs = 2, .verbose = quiet, .callbacks = {writes, reads}});
  CHECK(seen == 2);
  CHECK(history["extra"] == std::vector<double>{1, 2});
}

TEST_CASE("A stop in the middle of an epoch still ends it") {
  Setup s;
  const auto stop = callbacks::LambdaCallback(
      {.on_train_batch_end = [&](int64_t, Logs&) { s.model.stop_training = true; }});
  s.model.fit(s.x, s.y,
              {.batch_size = 1,
               .epochs = 3,
               .verbose = quiet,
               .callbacks = {s.recorder, stop},
               .validation_data = {s.x, s.y},
               .validation_batch_size = 4});
  CHECK(s.recorder->hooks == Hooks{"train[", "epoch[0", "b0", "e0", "test[", "tb0", "te0", "]test",
                                   "]epoch0", "]train"});
}

TEST_CASE("A stop at the end of an epoch begins no other") {
  Setup s;
  const auto stop = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t epoch, Logs&) { s.model.stop_training = epoch == 1; }});
  CHECK(s.model.fit(s.x, s.y, {.epochs = 5, .verbose = quiet, .callbacks = {stop}}).epoch ==
        std::vector<int64_t>{0, 1});
}

TEST_CASE("An empty callback is an error") {
  Setup s;
  CHECK_THROWS_WITH(s.model.fit(s.x, s.y, {.verbose = quiet, .callbacks = {nullptr}}),
                    has("one of them is empty"));
}

}  // namespace callbacks_order_test
