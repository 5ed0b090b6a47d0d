// Tests of datasets in fit, evaluate and predict, and of batches of tensors.
#include <algorithm>
#include <numeric>
#include <set>

#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/data/shuffled_batches.h>
#include <cornu/framework/ops/random/seed.h>
#include "model_support.h"

namespace dataset_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

std::vector<float> column(TensorDataset& data) {
  std::vector<float> all;
  for (int64_t i = 0; i < data.size(); ++i)
    for (float v : floats(data.batch(i).x)) all.push_back(v);
  return all;
}

}  // namespace

TEST_CASE("A dataset's passes begin and end once each") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto train = std::make_shared<NotingDataset>(3, 3), test = std::make_shared<NotingDataset>(2, 3);
  model.fit(train,
            {.epochs = 2, .verbose = Verbose::silent, .validation_data = {test}, .shuffle = false});
  CHECK(train->notes == "<0:012:0><1:012:1>");
  CHECK(test->notes == "<0:01:0><1:01:1>");
  test->notes.clear();
  model.evaluate(test, {.verbose = Verbose::silent});
  CHECK(test->notes == "<0:01:0>");
  test->notes.clear();
  CHECK(model.predict(test, {.verbose = Verbose::silent}).tensor().shape() == Shape{4, 1});
  CHECK(test->notes == "<0:01:0>");
}

TEST_CASE("steps_per_epoch goes on where the last epoch stopped, up to the end of the data") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto data = std::make_shared<NotingDataset>(5, 3);
  model.fit(data,
            {.epochs = 4, .verbose = Verbose::silent, .shuffle = false, .steps_per_epoch = 2});
  CHECK(data->notes == "<0:01234:2><3:01:3>");
  data->notes.clear();
  model.fit(data, {.verbose = Verbose::silent, .shuffle = false, .steps_per_epoch = 7});
  CHECK(data->notes == "<0:01234:0>");
}

TEST_CASE("Steps limit validation, evaluate and predict") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto train = std::make_shared<NotingDataset>(1, 3), test = std::make_shared<NotingDataset>(4, 3);
  model.fit(
      train,
      {.epochs = 2, .verbose = Verbose::silent, .validation_data = {test}, .validation_steps = 2});
  CHECK(test->notes == "<0:01:0><1:01:1>");
  test->notes.clear();
  model.evaluate(test, {.verbose = Verbose::silent, .steps = 3});
  CHECK(test->notes == "<0:012:0>");
  CHECK(model.predict(test, {.verbose = Verbose::silent, .steps = 1}).tensor().shape() ==
        Shape{2, 1});
}

TEST_CASE("Validation may be rarer than epochs") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto train = std::make_shared<NotingDataset>(1, 3), test = std::make_shared<NotingDataset>(1, 3);
  const History history = model.fit(
      train,
      {.epochs = 5, .verbose = Verbose::silent, .validation_data = {test}, .validation_freq = 2});
  CHECK(history["val_loss"].size() == 2);
  CHECK(history["loss"].size() == 5);
  CHECK(test->notes == "<1:0:1><3:0:3>");
}

TEST_CASE("Tensors come in batches, the last one smaller") {
  TensorDataset data(wave({7, 2}), wave({7}), Nest(), {.batch_size = 3});
  CHECK(data.size() == 3);
  CHECK(data.samples() == 7);
  CHECK(data.batch(0).x.tensor().shape() == Shape{3, 2});
  CHECK(data.batch(2).x.tensor().shape() == Shape{1, 2});
  CHECK(data.batch(2).y.tensor().shape() == Shape{1});
  CHECK(data.batch(0).sample_weight.empty());
}

TEST_CASE("Shuffles are permutations, other in each epoch, the same for a seed") {
  std::vector<float> ordered(50);
  std::iota(ordered.begin(), ordered.end(), 0.0f);
  TensorDataset a(ordered, ordered, Nest(), {.batch_size = 8, .shuffle = true, .seed = 3});
  TensorDataset b(ordered, Nest(), Nest(), {.batch_size = 9, .shuffle = true, .seed = 3});
  TensorDataset c(ordered, Nest(), Nest(), {.batch_size = 9, .shuffle = true, .seed = 4});
  for (Dataset* d :
       {static_cast<Dataset*>(&a), static_cast<Dataset*>(&b), static_cast<Dataset*>(&c)})
    d->on_epoch_begin(0);
  const auto first = column(a);
  CHECK(first != ordered);
  CHECK(std::set<float>(first.begin(), first.end()).size() == 50);
  CHECK(column(b) == first);
  CHECK(column(c) != first);
  CHECK(floats(a.batch(1).x) == floats(a.batch(1).y));
  a.on_epoch_begin(1);
  CHECK(column(a) != first);
  a.on_epoch_begin(0);
  CHECK(column(a) == first);
}

TEST_CASE("Datasets of other sizes than one say what is wrong") {
  CHECK_THROWS_WITH(TensorDataset(wave({7, 2}), wave({6}), Nest(), {}), has("y has 6 samples"));
  CHECK_THROWS_WITH(TensorDataset(wave({7, 2}), Nest(), wave({6}), {}),
                    has("sample_weight has 6 samples"));
  CHECK_THROWS_WITH(TensorDataset(wave({7, 2}), Nest(), Nest(), {.batch_size = 0}),
                    has("batch_size"));
  CHECK_THROWS_WITH(TensorDataset(Tensor(1.0), Nest(), Nest(), {}),
                    has("first axis must be the samples"));
  CHECK_THROWS_WITH(TensorDataset(Nest(), Nest(), Nest(), {}), has("no tensor was given"));
}

TEST_CASE("Sample weights of a dataset count") {
  class Weighted : public Dataset {
   public:
    int64_t size() const override { return 1; }
    Batch batch(int64_t) override {
      return {ops::ones({2, 1}), Tensor::from({1.0f, 3.0f}, {2, 1}),
              Tensor::from({1.0f, 0.0f}, {2})};
    }
  };
  Sequential model({Input({1}), constant_dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK(model.evaluate(std::make_shared<Weighted>(), {.verbose = Verbose::silent}).at("loss") ==
        Approx(0.0));
}

TEST_CASE("fit asks for a dataset's batches in another order in each epoch") {
  random::set_seed(3);
  const auto orders = [](bool shuffle, std::shared_ptr<NotingDataset> data) {
    Sequential model({Input({3}), Dense({.units = 1})});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.fit(data, {.epochs = 2, .verbose = Verbose::silent, .shuffle = shuffle});
    return data->notes;
  };
  const auto make_data = [] { return std::make_shared<NotingDataset>(8, 3); };
  CHECK(orders(false, make_data()) == "<0:01234567:0><1:01234567:1>");
  const std::string notes = orders(true, make_data());
  const std::string first = notes.substr(3, 8), second = notes.substr(17, 8);
  CHECK(first != "01234567");
  CHECK(first != second);
  for (std::string order : {first, second}) {
    std::sort(order.begin(), order.end());
    CHECK(order == "01234567");
  }
  CHECK(notes.substr(0, 3) == "<0:");
  CHECK(notes.substr(11, 5) == ":0><1");

  class Ordered : public NotingDataset {
   public:
    using NotingDataset::NotingDataset;
    bool has_own_order() const override { return true; }
  };
  CHECK(orders(true, std::make_shared<Ordered>(8, 3)) == "<0:01234567:0><1:01234567:1>");
}

TEST_CASE("A pipeline keeps its order, and validation every dataset's") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto data = std::make_shared<NotingDataset>(8, 3), test = std::make_shared<NotingDataset>(8, 3);
  model.fit(data::from(std::shared_ptr<Dataset>(data)),
            {.verbose = Verbose::silent, .validation_data = {test}});
  CHECK(data->notes == "<0:01234567:0>");
  CHECK(test->notes == "<0:01234567:0>");
}

TEST_CASE("A shuffled dataset goes on in the order that it had") {
  auto data = std::make_shared<NotingDataset>(6, 3);
  ShuffledBatches shuffled(data, 5), resumed(std::make_shared<NotingDataset>(6, 3), 6);
  resumed.set_state(shuffled.get_state());
  for (const int64_t epoch : {0, 4}) {
    shuffled.on_epoch_begin(epoch);
    resumed.on_epoch_begin(epoch);
    for (int64_t i = 0; i < 6; ++i)
      CHECK(floats(shuffled.batch(i).x) == floats(resumed.batch(i).x));
  }
  CHECK_THROWS_AS(resumed.set_state({}), ValueError);
}

TEST_CASE("Options that a dataset has no use for change nothing") {
  Sequential model({Input({3}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto data = std::make_shared<NotingDataset>(2, 3), test = std::make_shared<NotingDataset>(1, 3);
  CHECK(model.fit(data, {.batch_size = 32, .verbose = Verbose::silent})["loss"].size() == 1);
  CHECK(model.evaluate(data, {.batch_size = 32, .verbose = Verbose::silent}).count("loss") == 1);
  CHECK(model.predict(data, {.batch_size = 1, .verbose = Verbose::silent}).shape(0) == 4);
  // As for tensors, validation_data go before a fraction of the training data.
  CHECK(model
            .fit(data, {.verbose = Verbose::silent,
                        .validation_split = 0.5,
                        .validation_data = {test}})["val_loss"]
            .size() == 1);
  CHECK_THROWS_AS(model.fit(data, {.verbose = Verbose::silent, .validation_split = 0.5}),
                  ValueError);
}

TEST_CASE("Class weights weigh the batches of a dataset") {
  class Classes : public Dataset {
   public:
    int64_t size() const override { return 1; }
    Batch batch(int64_t) override {
      return {ops::ones({2, 1}), Tensor::from({0.0f, 1.0f}, {2, 1})};
    }
  };
  Sequential model({Input({1}), constant_dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  // Squared errors of 1 and 0: that of class 0 counts three times, over two samples.
  const History history = model.fit(std::make_shared<Classes>(),
                                    {.verbose = Verbose::silent, .class_weight = {{0, 3.0}}});
  CHECK(history["loss"][0] == Approx(1.5));
}

TEST_CASE("A batch without samples is named before its step") {
  class Gapped : public Dataset {
   public:
    int64_t size() const override { return 3; }
    Batch batch(int64_t index) override {
      const int64_t samples = index == 1 ? 0 : 2;
      return {ops::ones({samples, 1}), ops::ones({samples, 1})};
    }
  };
  Sequential model({Input({1}), constant_dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto data = std::make_shared<Gapped>();
  CHECK_THROWS_WITH(model.fit(data, {.verbose = Verbose::silent, .shuffle = false}),
                    has("fit: batch 1 of the data (from 0) has no samples, x being of shape "
                        "(0, 1)"));
  CHECK_THROWS_WITH(model.evaluate(data, {.verbose = Verbose::silent}),
                    has("evaluate: batch 1 of the data (from 0) has no samples"));
  const Tensor none = ops::ones({0, 1});
  CHECK_THROWS_WITH(model.train_on_batch(none, none),
                    has("train_on_batch: the batch has no samples"));
  CHECK_THROWS_AS(model.test_on_batch(none, none), ValueError);
  // There is nothing to average in a prediction.
  CHECK(model.predict(data, {.verbose = Verbose::silent}).shape() == Shape{4, 1});
}

}  // namespace dataset_test
