// Tests of when fit, evaluate and predict ask a dataset for batches: on the CPU when a step needs
// them, on other devices while the step before runs.
#include <cornu/callbacks/lambda_callback.h>

#include "model_support.h"
#include "support/remote_backend.h"

namespace fetch_ahead_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

const Verbose quiet = Verbose::silent;

// Writes down what is asked of it, in the same text as Watcher.
class Source : public Dataset {
 public:
  Source(int64_t batches, std::string& notes) : batches_(batches), notes_(notes) {}
  int64_t size() const override { return batches_; }
  Batch batch(int64_t index) override {
    notes_ += " ?" + std::to_string(index);
    if (index == faulty) throw FileError("batch " + std::to_string(index) + " is unreadable");
    return {wave({2, 3}, static_cast<double>(index)), ops::ones({2, 1})};
  }
  void on_epoch_begin(int64_t epoch) override { notes_ += " <" + std::to_string(epoch); }
  void on_epoch_end(int64_t epoch) override { notes_ += " >" + std::to_string(epoch); }
  int64_t faulty = -1;

 private:
  int64_t batches_;
  std::string& notes_;
};

class Watcher : public Callback {
 public:
  explicit Watcher(std::string& notes) : notes_(notes) {}
  void on_train_batch_begin(int64_t batch, Logs&) override { note("[", batch); }
  void on_train_batch_end(int64_t batch, Logs&) override {
    note("]", batch);
    if (batch == stop_at) model()->stop_training = true;
  }
  void on_epoch_end(int64_t, Logs&) override {
    if (go_on) model()->stop_training = false;
    stop_at = -1;
  }
  void on_test_batch_begin(int64_t batch, Logs&) override { note("[", batch); }
  void on_test_batch_end(int64_t batch, Logs&) override { note("]", batch); }
  void on_predict_batch_begin(int64_t batch, Logs&) override { note("[", batch); }
  void on_predict_batch_end(int64_t batch, Logs&) override { note("]", batch); }
  int64_t stop_at = -1;
  bool go_on = false;

 private:
  void note(const char* what, int64_t batch) { notes_ += " " + (what + std::to_string(batch)); }
  std::string& notes_;
};

// A model whose tensors are on the CPU or on a device whose memory the host cannot read.
struct Run {
  Run(bool remote, int64_t batches)
      : scope(remote ? Device(cornu::testing::remote_backend()) : Device::cpu()),
        model({Input({3}), Dense({.units = 1, .kernel_initializer = "ones"})}),
        data(std::make_shared<Source>(batches, notes)),
        watcher(std::make_shared<Watcher>(notes)) {
    compile(1);
  }
  void compile(int64_t group) {
    model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = group});
  }
  std::string fit(FitOptions options = {}) {
    notes.clear();
    options.verbose = quiet;
    options.shuffle = false;
    options.callbacks = {watcher};
    model.fit(data, options);
    return notes;
  }
  std::vector<float> weights() { return floats(model.weights()[0].value()); }

  DeviceScope scope;
  std::string notes;
  Sequential model;
  std::shared_ptr<Source> data;
  std::shared_ptr<Watcher> watcher;
};

}  // namespace

TEST_CASE("A batch is asked for when its step comes, on devices one step ahead") {
  {
    Run run(false, 3);
    CHECK(run.fit({.epochs = 2}) ==
          " [0 <0 ?0 ]0 [1 ?1 ]1 [2 ?2 ]2 >0 [0 <1 ?0 ]0 [1 ?1 ]1 [2 ?2 ]2 >1");
  }
  Run run(true, 3);
  CHECK(run.fit({.epochs = 2}) ==
        " [0 <0 ?0 ?1 ]0 [1 ?2 ]1 [2 ]2 >0 [0 <1 ?0 ?1 ]0 [1 ?2 ]1 [2 ]2 >1");
}

TEST_CASE("Evaluate and predict fetch ahead as fit does") {
  for (const bool remote : {false, true}) {
    Run run(remote, 3);
    const std::string expected =
        remote ? " [0 <0 ?0 ?1 ]0 [1 ?2 ]1 [2 ]2 >0" : " [0 <0 ?0 ]0 [1 ?1 ]1 [2 ?2 ]2 >0";
    run.model.evaluate(run.data, {.verbose = quiet, .callbacks = {run.watcher}});
    CHECK(run.notes == expected);
    run.notes.clear();
    run.model.predict(run.data, {.verbose = quiet, .callbacks = {run.watcher}});
    CHECK(run.notes == expected);
    run.notes.clear();
    run.model.predict(run.data, {.verbose = quiet, .steps = 1, .callbacks = {run.watcher}});
    CHECK(run.notes == " [0 <0 ?0 ]0 >0");  // no batch that nobody wants
  }
}

TEST_CASE("Epochs of other lengths than the dataset's fetch each batch once") {
  for (const bool remote : {false, true}) {
    Run run(remote, 3);
    const auto without_steps = [](std::string notes) {
      std::string kept;
      for (size_t at = 0; at < notes.size(); at += 3)
        if (notes[at + 1] != '[' && notes[at + 1] != ']') kept += notes.substr(at, 3);
      return kept;
    };
    CHECK(without_steps(run.fit({.epochs = 2, .steps_per_epoch = 2})) == " <0 ?0 ?1 ?2 >1");
    CHECK(without_steps(run.fit({.steps_per_epoch = 5})) == " <0 ?0 ?1 ?2 >0");
    run.compile(2);
    CHECK(run.fit() == (remote ? " [0 <0 ?0 ?1 ?2 ]1 [2 ]3 >0" : " [0 <0 ?0 ?1 ]1 [2 ?2 ]3 >0"));
  }
}

TEST_CASE("What a dataset throws comes at the batch's own step") {
  for (const bool remote : {false, true}) {
    Run run(remote, 4);
    run.data->faulty = 2;
    CHECK_THROWS_WITH(run.fit(), has("batch 2 is unreadable"));
    CHECK(run.notes == (remote ? " [0 <0 ?0 ?1 ]0 [1 ?2 ]1 [2" : " [0 <0 ?0 ]0 [1 ?1 ]1 [2 ?2"));
    // One that stops before does not meet it.
    run.watcher->stop_at = 1;
    CHECK_NOTHROW(run.fit());
    run.data->faulty = -1;
    CHECK(run.fit() == (remote ? " [0 <0 ?0 ?1 ]0 [1 ?2 ]1 [2 ?3 ]2 [3 ]3 >0"
                               : " [0 <0 ?0 ]0 [1 ?1 ]1 [2 ?2 ]2 [3 ?3 ]3 >0"));
  }
}

TEST_CASE("A stop drops the batch that was fetched, and no later one") {
  for (const bool remote : {false, true}) {
    Run run(remote, 3);
    run.watcher->stop_at = 0;
    CHECK(run.fit() == (remote ? " [0 <0 ?0 ?1 ]0 >0" : " [0 <0 ?0 ]0 >0"));
    run.model.fit(run.data, {.verbose = quiet});
    // Where a callback lets training go on, it does so with the batch that was fetched.
    run.watcher->stop_at = 0;
    run.watcher->go_on = true;
    CHECK(run.fit({.epochs = 2}) == (remote ? " [0 <0 ?0 ?1 ]0 >0 [0 <1 ?0 ?1 ]0 [1 ?2 ]1 [2 ]2 >1"
                                            : " [0 <0 ?0 ]0 >0 [0 <1 ?0 ]0 [1 ?1 ]1 [2 ?2 ]2 >1"));
  }
}

TEST_CASE("Fetching ahead changes no result") {
  std::vector<float> weights[2];
  for (const bool remote : {false, true}) {
    Run run(remote, 5);
    run.watcher->stop_at = 2;
    run.watcher->go_on = true;
    run.fit({.epochs = 3, .steps_per_epoch = 4});
    run.fit({.epochs = 2, .class_weight = {{1, 0.5}}});
    run.model.fit(std::make_shared<TensorDataset>(
                      wave({20, 3}), wave({20, 1}), Nest(),
                      TensorDataset::Options{.batch_size = 3, .shuffle = true, .seed = 1}),
                  {.epochs = 2, .verbose = quiet});
    weights[remote] = run.weights();
  }
  CHECK(weights[0] == weights[1]);
}

}  // namespace fetch_ahead_test
