// Pipelines in fit, evaluate and predict: known, unknown and endless lengths, epochs, and runs that
// go on where they were interrupted.
#include <cornu/backend/log.h>
#include <cornu/framework/data/pipeline.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/losses/mean_squared_error.h>
#include <cornu/optimizers/adam.h>
#include <cornu/optimizers/sgd.h>

#include <thread>

#include "model_support.h"
#include "support/contract.h"
#include "support/temporary.h"

namespace pipeline_fit_test {

using namespace cornu;
using test::has;
using test::identical;
using test::wave;

namespace {

std::shared_ptr<Model> network() {
  random::set_seed(11);
  auto model = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({3}), layers::Dense({.units = 4, .activation = "tanh"}),
                            layers::Dropout({.rate = 0.2}), layers::Dense({.units = 1})});
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  return model;
}

const Tensor x = wave({40, 3}), y = wave({40, 1}, 2);

Batch noisy(Batch sample, const data::Place& place) {
  sample.x = sample.x.tensor() + static_cast<float>(place.random().normal());
  return sample;
}

// Every kind of data that a run may have to go on in.
std::vector<data::Pipeline<Batch>> kinds(int64_t workers) {
  const auto samples = data::from(x, y);
  const auto some = [](const Batch& sample) {
    return sample.x.tensor().to_vector<float>()[0] > -0.8;
  };
  return {
      samples.shuffle().map(noisy, {.workers = workers}).batch(7).prefetch(2),
      samples.filter(some).map(noisy, {.workers = workers}).shuffle({.window = 9}).batch(7),
      samples.map(noisy, {.workers = workers}).batch(5).rebatch(7).prefetch(2),
      data::generate([i = int64_t{0}]() mutable {
        return i < 6 ? std::optional<Batch>({wave({7, 3}, double(i)), wave({7, 1}, double(i++))})
                     : std::nullopt;
      }),
  };
}

struct Stop {};

class StopAfter : public Callback {
 public:
  explicit StopAfter(int64_t steps) : left_(steps) {}
  void on_train_batch_end(int64_t, Logs&) override {
    if (left_-- == 0) throw Stop();
  }

 private:
  int64_t left_;
};

// Counts the steps of epochs.
class Steps : public Callback {
 public:
  void on_epoch_begin(int64_t, Logs&) override { epochs.push_back(0); }
  void on_train_batch_begin(int64_t, Logs&) override { ++begun; }
  void on_train_batch_end(int64_t, Logs&) override { ++epochs.back(); }
  std::vector<int64_t> epochs;
  int64_t begun = 0;
};

FitOptions quiet(int64_t epochs = 3) {
  FitOptions options;
  options.epochs = epochs;
  options.verbose = Verbose::silent;
  return options;
}

// Batches of which nobody knows how many there are, as a user's own class.
class Unknown : public Dataset {
 public:
  explicit Unknown(int64_t batches, int64_t size = unknown) : batches_(batches), size_(size) {}
  int64_t size() const override { return size_; }
  Batch batch(int64_t index) override {
    notes += std::to_string(index);
    return {wave({2, 3}, static_cast<double>(index)), wave({2, 1})};
  }
  std::optional<Batch> next(int64_t index) override {
    if (size_ == unknown && index >= batches_) return {};
    return batch(index);
  }
  void on_epoch_begin(int64_t epoch) override { notes += "<" + std::to_string(epoch) + ":"; }
  void on_epoch_end(int64_t epoch) override { notes += ":" + std::to_string(epoch) + ">"; }
  std::string notes;

 private:
  int64_t batches_, size_;
};

}  // namespace

TEST_CASE("A pipeline trains, validates and predicts as it is") {
  const auto model = network();
  const auto train = data::from(x, y).shuffle().batch(8);
  const auto validation = data::from(x, y).batch(16);
  FitOptions options = quiet();
  options.validation_data = validation;
  const History history = model->fit(train, options);
  CHECK(history["loss"].size() == 3);
  CHECK(history["val_loss"].back() ==
        Approx(model->evaluate(x, y, {.verbose = Verbose::silent}).at("loss")).epsilon(1e-5));
  CHECK(model->evaluate(validation, {.verbose = Verbose::silent}).at("loss") ==
        Approx(history["val_loss"].back()));
  CHECK(test::close(model->predict(validation, {.verbose = Verbose::silent}),
                    model->predict(x, {.verbose = Verbose::silent})));
  CHECK(has(test::error_of([&] { model->fit(data::from(x, y), quiet()); }), "add .batch(32)"));
}

TEST_CASE("A pipeline gives fit the batches that tensors give it") {
  const auto by_tensors = network(), by_pipeline = network();
  random::set_seed(5);
  FitOptions options = quiet();
  options.batch_size = 8;
  by_tensors->fit(x, y, options);
  random::set_seed(5);
  const int64_t seed = random::shuffle_seed();
  by_pipeline->fit(data::from(x, y).shuffle({.seed = seed}).batch(8).prefetch(3), quiet());
  for (size_t i = 0; i < by_tensors->get_weights().size(); ++i)
    CHECK(identical(by_tensors->get_weights()[i], by_pipeline->get_weights()[i]));
}

TEST_CASE("Data of unknown length end epochs by themselves") {
  const auto model = network();
  const auto data = std::make_shared<Unknown>(3), validation = std::make_shared<Unknown>(2);
  const auto steps = std::make_shared<Steps>();
  FitOptions options = quiet(2);
  options.callbacks = {steps};
  options.validation_data = validation;
  CHECK(model->fit(data, options)["loss"].size() == 2);
  CHECK(data->notes == "<0:012:0><1:012:1>");
  CHECK(validation->notes == "<0:01:0><1:01:1>");
  CHECK(steps->epochs == std::vector<int64_t>{3, 3});
  CHECK(steps->begun == 6);
  CHECK(model->predict(data, {.verbose = Verbose::silent}).tensor().shape() == Shape{6, 1});
  CHECK(model->evaluate(data, {.verbose = Verbose::silent}).at("loss") > 0);
  for (const int64_t group : {2, 4}) {
    model->compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = group});
    data->notes.clear();
    model->fit(data, quiet(1));
    CHECK(data->notes == "<0:012:0>");
  }
}

TEST_CASE("steps_per_epoch goes on in data of unknown length, and begins anew at their end") {
  const auto model = network();
  const auto data = std::make_shared<Unknown>(4);
  FitOptions options = quiet(4);
  options.steps_per_epoch = 2;
  const auto steps = std::make_shared<Steps>();
  options.callbacks = {steps};
  model->fit(data, options);
  CHECK(data->notes == "<0:0123:0><2:0123:3>");
  CHECK(steps->epochs == std::vector<int64_t>{2, 2, 2, 2});
  show_warnings(false);
  const auto few = std::make_shared<Unknown>(3);
  const auto counted = std::make_shared<Steps>();
  options.callbacks = {counted};
  model->fit(few, options);
  show_warnings(true);
  // As in Keras: the second epoch ends with the data, the third has them from the start.
  CHECK(counted->epochs == std::vector<int64_t>{2, 1, 2, 1});
}

TEST_CASE("Data without an end need a number of steps") {
  const auto model = network();
  const auto endless = data::from(x, y).shuffle().repeat().batch(8);
  CHECK(endless.size() == Dataset::endless);
  CHECK(has(test::error_of([&] { model->fit(endless, quiet()); }), "by steps_per_epoch"));
  CHECK(has(test::error_of([&] { model->evaluate(endless); }), "by steps"));
  CHECK(has(test::error_of([&] { model->predict(endless); }), "by steps"));
  FitOptions options = quiet(2);
  options.steps_per_epoch = 7;
  options.validation_data = endless;
  const std::string said = test::error_of([&] { model->fit(endless, options); });
  CHECK(has(said, "fit, validation_data: the data have no end"));
  CHECK(has(said, "by validation_steps"));
  options.validation_steps = 2;
  CHECK(model->fit(endless, options)["val_loss"].size() == 2);
  const auto own = std::make_shared<Unknown>(0, Dataset::endless);
  model->fit(own, options);
  CHECK(own->notes == "<0:012345678910111213:1>");
}

TEST_CASE("Data without a batch are told") {
  const auto model = network();
  const auto nothing = std::make_shared<Unknown>(0);
  CHECK(has(test::error_of([&] { model->fit(nothing, quiet()); }), "has no batches"));
  CHECK(has(test::error_of([&] { model->evaluate(nothing); }), "has no batches"));
  CHECK(has(test::error_of([&] { model->predict(nothing); }), "has no batches"));
  CHECK(has(test::error_of([&] { model->fit(data::from(x, y).take(0).batch(2), quiet()); }),
            "has no batches"));
}

TEST_CASE("Training does not depend on the number of workers") {
  for (size_t kind = 0; kind < kinds(0).size(); ++kind) {
    INFO("kind " << kind);
    const auto alone = network();
    const History expected = alone->fit(kinds(0)[kind], quiet());
    for (const int64_t workers : {1, 2, 8}) {
      const auto together = network();
      CHECK(together->fit(kinds(workers)[kind], quiet()).history == expected.history);
      for (size_t i = 0; i < alone->get_weights().size(); ++i)
        CHECK(identical(alone->get_weights()[i], together->get_weights()[i]));
    }
  }
}

TEST_CASE("A run on a pipeline that crashed goes on with the same bits") {
  for (size_t kind = 0; kind < kinds(0).size(); ++kind)
    for (const std::optional<int64_t> steps : {std::optional<int64_t>(), std::optional<int64_t>(4)})
      for (const std::optional<int64_t> freq :
           {std::optional<int64_t>(1), std::optional<int64_t>(3), std::optional<int64_t>()}) {
        const test::TemporaryFolder folder;
        FitOptions options = quiet();
        options.steps_per_epoch = steps;
        const auto whole = network();
        const History expected = whole->fit(kinds(0)[kind], options);
        for (const int64_t stop : {0, 1, 4, 5, 6, 7, 8}) {
          INFO("kind " << kind << ", steps " << steps.value_or(-1) << ", freq " << freq.value_or(-1)
                       << ", stopped after step " << stop);
          options.resume =
              BackupOptions{.folder = folder / ("run" + std::to_string(stop)), .save_freq = freq};
          options.callbacks = {std::make_shared<StopAfter>(stop)};
          CHECK_THROWS_AS(network()->fit(kinds(2)[kind], options), Stop);
          options.callbacks = {std::make_shared<StopAfter>(1000)};
          const auto second = network();
          CHECK(second->fit(kinds(1)[kind], options).history == expected.history);
          for (size_t i = 0; i < whole->get_weights().size(); ++i)
            CHECK(identical(whole->get_weights()[i], second->get_weights()[i]));
        }
      }
}

TEST_CASE("A resumed run takes the seed of the one before") {
  const test::TemporaryFolder folder;
  const auto pipeline = data::from(x, y).shuffle().batch(7);
  const auto whole = network();
  const History expected = whole->fit(pipeline.with({.seed = 5}), quiet());
  FitOptions options = quiet();
  options.resume = BackupOptions{.folder = folder / "run", .save_freq = 1};
  options.callbacks = {std::make_shared<StopAfter>(8)};
  CHECK_THROWS_AS(network()->fit(pipeline.with({.seed = 5}), options), Stop);
  options.callbacks = {std::make_shared<StopAfter>(1000)};
  CHECK(network()->fit(pipeline.with({.seed = 6}), options).history == expected.history);
}

TEST_CASE("An error in a stage ends fit, and the model can be used on") {
  const auto model = network();
  const auto broken = data::from(x, y)
                          .map(
                              [](Batch sample, const data::Place& place) {
                                if (place.index == 21) throw FileError("no such page");
                                return sample;
                              },
                              {.workers = 2, .name = "read"})
                          .batch(4)
                          .prefetch(2);
  CHECK(has(test::error_of([&] { model->fit(broken, quiet()); }),
            "Stage 'read', element 21 of epoch 0: no such page"));
  CHECK(model->fit(x, y, quiet(1))["loss"].size() == 1);
}

TEST_CASE("fit tells what it waited for") {
  const auto model = network();
  const auto slow = data::from(x, y)
                        .map(
                            [](Batch sample) {
                              std::this_thread::sleep_for(std::chrono::milliseconds(2));
                              return sample;
                            },
                            {.name = "decode"})
                        .batch(8);
  const History history = model->fit(slow, quiet(2));
  CHECK(has(history.advice, "for data: stage 'decode' is the bottleneck"));
  CHECK(model->fit(x, y, quiet(2)).advice.empty());
}

}  // namespace pipeline_fit_test
