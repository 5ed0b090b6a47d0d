// Losses, metrics and figures that the command line names: what is wrong is said before the run.
#include <catch.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/layers/core/dense.h>

#include "program.h"

namespace compiling_test {

using namespace cornu;
using namespace cornu::test;

namespace {

// A model with the outputs "price" and "rent".
struct Homes : Folder {
  Homes() {
    const Input home({.shape = {2}, .name = "home"});
    Functional model(home, {layers::Dense({.units = 1, .name = "price"})(home),
                            layers::Dense({.units = 1, .name = "rent"})(home)});
    model.save(*this / "m.keras");
    const Tensor ones = ops::ones({4, 1});
    io::write_npz(*this / "d.npz", {io::array_of("x", ops::ones({4, 2})),
                                    io::array_of("price", ones), io::array_of("rent", ones)});
  }
};

// A model that tells three classes apart.
struct Classes : Folder {
  Classes() {
    const layers::Dense head({.units = 3, .activation = "softmax"});
    Sequential model({Input({4}), head});
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
    model.save(*this / "m.keras");
    Sequential({Input({4}), layers::Dense({.units = 1})}).save(*this / "plain.keras");
    std::vector<float> x;
    std::vector<int32_t> y;
    for (int i = 0; i < 60; ++i) {
      for (int c = 0; c < 4; ++c) x.push_back(static_cast<float>((i * 7 + c * 3) % 11) / 11);
      y.push_back(i * i % 3);
    }
    for (size_t i = 0; i < y.size(); i += 3) y[i] = 2;
    io::write_npz(*this / "d.npz", {io::array_of("x", Tensor::from(x, {60, 4})),
                                    io::array_of("y", Tensor::from(y, {60}))});
  }
};

}  // namespace

TEST_CASE("one loss and one metric are for all outputs") {
  const Homes homes;
  const std::string one = "d.npz --loss mse --metrics mae";
  const Outcome trained = run_in(homes.path(), "train m.keras " + one + " -e 1 -o r");
  CHECK(trained.status == 0);
  for (const char* name : {"price_loss", "rent_loss", "price_mae", "rent_mae"})
    CHECK(has(trained, name));
  CHECK(run_in(homes.path(), "evaluate m.keras " + one).text ==
        run_in(homes.path(), "evaluate m.keras d.npz --loss mse,mse --metrics mae,mae").text);
  // The file has them as Keras takes them.
  CHECK(run_in(homes.path(), "evaluate r/model.keras d.npz").status == 0);
}

TEST_CASE("losses and metrics that do not fit the outputs are errors of usage") {
  const Homes homes;
  const auto fails = [&](const std::string& options, const char* part) {
    for (const char* command : {"train m.keras d.npz -e 2 -o r ", "evaluate m.keras d.npz "}) {
      const Outcome outcome = run_in(homes.path(), command + options);
      CHECK(outcome.status == 2);
      CHECK(has(outcome, part));
      CHECK_FALSE(has(outcome, "Epoch"));
    }
    CHECK_FALSE(std::filesystem::exists(homes / "r"));
  };
  fails("--loss mse,mae,mse", "--loss mse,mae,mse: these are 3 for 2 outputs (price, rent)");
  fails("--loss mse --metrics mse,mae,mape", "these are 3 for 2 outputs (price, rent)");
  fails("--loss prise=mse", "there is no output 'prise'. Did you mean 'price'?");
  fails("--loss mse --metrics rant=mae", "there is no output 'rant'. Did you mean 'rent'?");
  const Classes classes;
  CHECK(has(run_in(classes.path(), "evaluate m.keras d.npz --loss mse,mae"), "2 for 1 output ("));
  CHECK(run_in(classes.path(), "evaluate m.keras d.npz --metrics accuracy,acc").status == 0);
}

TEST_CASE("a figure to monitor that there is not is told before the run") {
  const Classes classes;
  const auto fails = [&](const std::string& options, const char* part) {
    const Outcome outcome = run_in(classes.path(), "train m.keras d.npz -e 2 -o r " + options);
    CHECK(outcome.status == 2);
    CHECK(has(outcome, part));
    CHECK_FALSE(has(outcome, "Epoch"));
    CHECK_FALSE(std::filesystem::exists(classes / "r"));
  };
  fails("--monitor val_accuracy",
        "--monitor val_accuracy: there is nothing to validate on. Give --validation-split or "
        "--validation-data.");
  fails("--monitor acuracy",
        "there is no such figure. Did you mean 'accuracy'? There are accuracy, loss.");
  fails("--monitor val_acc --validation-split 0.2",
        "There are accuracy, loss, val_accuracy, val_loss.");
  for (const char* options :
       {"--monitor accuracy -o a", "--monitor val_accuracy --validation-split 0.2 -o b"})
    CHECK(run_in(classes.path(), std::string("train m.keras d.npz -e 1 -q ") + options).status ==
          0);
  const Homes homes;
  CHECK(run_in(homes.path(),
               "train m.keras d.npz --loss mse --metrics mae -e 1 -q --monitor "
               "rent_mae -o r")
            .status == 0);
}

TEST_CASE("doctor looks at a model as it would be compiled") {
  const Classes classes;
  const std::string doctor = "doctor plain.keras d.npz --steps 0";
  const Outcome bare = run_in(classes.path(), doctor);
  CHECK(bare.status == 0);
  CHECK(has(bare, "the model has no loss"));
  CHECK(has(bare, "--loss"));
  const Outcome compiled =
      run_in(classes.path(), doctor +
                                 " --loss sparse_categorical_crossentropy --optimizer adam "
                                 "--metrics accuracy");
  CHECK(compiled.status == 1);
  CHECK(has(compiled, "loss_output_mismatch"));
  CHECK(has(run_in(classes.path(), doctor + " --loss msee"), "Did you mean"));
  CHECK(run_in(classes.path(), doctor + " --optimizer adam").status == 2);
}

}  // namespace compiling_test
