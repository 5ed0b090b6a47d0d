// Tests of ModelCheckpoint: when it saves, and under which name.
#include "support.h"

#include <cornu/callbacks/model_checkpoint.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>

#include <cmath>

namespace model_checkpoint_test {

using namespace cornu;
using callbacks::checkpoint_path;
using callbacks::ModelCheckpoint;
using std::filesystem::exists;
using test::end_epoch;

namespace {

// Sequential is neither copied nor moved.
std::shared_ptr<Sequential> small_model() {
  return std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({2}), layers::Dense({.units = 1})});
}

}  // namespace

TEST_CASE("paths are filled in as Python does") {
  const Logs logs{{"loss", 0.5}, {"val_loss", 0.125}};
  CHECK(checkpoint_path("a.keras", 0, {}, logs) == "a.keras");
  CHECK(checkpoint_path("m-{epoch:02d}-{val_loss:.2f}.keras", 3, {}, logs) == "m-04-0.12.keras");
  CHECK(checkpoint_path("{epoch}/{batch:04d}.keras", 0, 9, logs) == "1/0010.keras");
  CHECK(checkpoint_path("{loss}.keras", 0, {}, logs) == "0.5.keras");
  CHECK(checkpoint_path("{loss:.2f}.keras", 0, {}, {{"loss", -NAN}}) == "nan.keras");
}

TEST_CASE("paths with unknown figures say what there is") {
  const Logs logs{{"loss", 0.5}, {"val_loss", 0.125}};
  try {
    checkpoint_path("{epoch}-{val_los:.2f}.keras", 0, {}, logs);
    FAIL("no error");
  } catch (const ValueError& e) {
    CHECK(std::string(e.what()) ==
          "ModelCheckpoint: there is no figure 'val_los' for filepath "
          "'{epoch}-{val_los:.2f}.keras'. Available: "
          "epoch, loss, val_loss. Did you mean 'val_loss'?");
  }
  CHECK_THROWS_AS(checkpoint_path("{loss:02d}.keras", 0, {}, logs), ValueError);
  CHECK_THROWS_AS(checkpoint_path("{batch}.keras", 0, {}, logs), ValueError);
}

TEST_CASE("endings and frequencies are checked") {
  CHECK_THROWS_AS(ModelCheckpoint({.filepath = "model.h6"}), ValueError);
  CHECK_THROWS_AS(ModelCheckpoint({.filepath = "model.keras", .save_weights_only = true}),
                  ValueError);
  CHECK_THROWS_AS(ModelCheckpoint({.filepath = "model.keras", .save_freq = "batch"}), ValueError);
  CHECK_THROWS_AS(ModelCheckpoint({.filepath = "model.keras", .save_freq = 0}), ValueError);
}

TEST_CASE("only better models are saved") {
  test::TemporaryFolder folder;
  auto model = small_model();
  ModelCheckpoint callback({.filepath = folder / "new/{epoch}.keras", .save_best_only = true});
  const double losses[] = {1, 0.5, 0.75, 0.25};
  for (int epoch = 0; epoch < 4; ++epoch)
    end_epoch(*callback, *model, epoch, {{"val_loss", losses[epoch]}});
  CHECK(exists(folder / "new/1.keras"));
  CHECK(exists(folder / "new/2.keras"));
  CHECK_FALSE(exists(folder / "new/3.keras"));
  CHECK(exists(folder / "new/4.keras"));
  CHECK(callback->best() == 0.25);
}

TEST_CASE("a threshold for the first save") {
  test::TemporaryFolder folder;
  auto model = small_model();
  ModelCheckpoint callback({.filepath = folder / "{epoch}.weights.h5",
                            .save_best_only = true,
                            .save_weights_only = true,
                            .initial_value_threshold = 0.6});
  end_epoch(*callback, *model, 0, {{"val_loss", 1}});
  end_epoch(*callback, *model, 1, {{"val_loss", 0.5}});
  CHECK_FALSE(exists(folder / "1.weights.h5"));
  CHECK(exists(folder / "2.weights.h5"));
}

TEST_CASE("of an array there is no best one: each model is saved") {
  test::TemporaryFolder folder;
  auto model = small_model();
  ModelCheckpoint callback({.filepath = folder / "{epoch}.keras",
                            .monitor = "f1",
                            .save_best_only = true,
                            .mode = "max"});
  Logs logs;
  logs.set("f1", ops::ones({2}));
  for (int epoch = 0; epoch < 2; ++epoch) end_epoch(*callback, *model, epoch, logs);
  CHECK(exists(folder / "1.keras"));
  CHECK(exists(folder / "2.keras"));
}

TEST_CASE("saving every few batches goes on over epochs") {
  test::TemporaryFolder folder;
  auto model = small_model();
  ModelCheckpoint callback({.filepath = folder / "{epoch}-{batch}.keras", .save_freq = 3});
  callback->set_model(model.get());
  CHECK(callback->wants_batch_logs());
  Logs logs{{"loss", 1}};
  for (int epoch = 0; epoch < 2; ++epoch) {
    callback->on_epoch_begin(epoch, logs);
    for (int batch = 0; batch < 4; ++batch) callback->on_train_batch_end(batch, logs);
    callback->on_epoch_end(epoch, logs);
  }
  for (const char* name : {"1-3.keras", "2-2.keras"}) CHECK(exists(folder / name));
  for (const char* name : {"1-4.keras", "2-4.keras", "2-3.keras"})
    CHECK_FALSE(exists(folder / name));
}

TEST_CASE("a checkpoint of fit can be loaded") {
  test::TemporaryFolder folder;
  auto model = small_model();
  model->compile({.optimizer = "sgd", .loss = "mse"});
  model->fit(ops::ones({8, 2}), ops::ones({8, 1}),
             {.epochs = 2,
              .verbose = Verbose::silent,
              .callbacks = {ModelCheckpoint({.filepath = folder / "last.keras"})}});
  const auto loaded = load_model(folder / "last.keras");
  const Tensor x = ops::ones({1, 2});
  CHECK(loaded->predict(x).tensor().item() == model->predict(x).tensor().item());
}

TEST_CASE("whole models are saved as .keras or as legacy .h5") {
  test::TemporaryFolder folder;
  auto model = small_model();
  ModelCheckpoint callback({.filepath = folder / "model.h5"});
  end_epoch(*callback, *model, 0, {{"loss", 1}});
  const Tensor x = ops::ones({1, 2});
  CHECK(load_model(folder / "model.h5")->predict(x).tensor().item() ==
        model->predict(x).tensor().item());
  CHECK_THROWS_AS(ModelCheckpoint({.filepath = "model.weights.h5"}), ValueError);
  CHECK_THROWS_AS(ModelCheckpoint({.filepath = "model.h5", .save_weights_only = true}), ValueError);
}

}  // namespace model_checkpoint_test
