// What cornu predict and evaluate take a model and data from, and what predict writes.
#include <catch.h>
#include <cornu/framework/io/csv.h>
#include <cornu/framework/io/images/png.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/reshaping/flatten.h>

#include <cmath>

#include "program.h"

namespace predict_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

// Pictures of one pixel; the model's output is how red it is.
void make_pictures(const Folder& folder) {
  Sequential model(
      {Input({1, 1, 3}), layers::Flatten(), layers::Dense({.units = 1, .name = "red"})});
  model.set_weights({Tensor::from({1.0f, 0.0f, 0.0f}, {3, 1}), Tensor::from({0.0f}, {1})});
  model.save(folder / "m.keras");
  int red = 0;
  for (const char* name : {"p/dark/10.png", "p/dark/2.png", "p/dark/b.png", "p/light/1.png",
                           "p/light/c.png", "p/light/d.png"}) {
    fs::create_directories(fs::path(folder / name).parent_path());
    const std::vector<uint8_t> pixel = {static_cast<uint8_t>(++red), 0, 0};
    spill(folder / name, io::encode_png(pixel, 1, 1, 3));
  }
}

Sequential numbers_model() {
  return Sequential({Input({2}), layers::Dense({.units = 1, .name = "sum"})});
}

}  // namespace

TEST_CASE("predictions of a folder stand in the order of its files, beside their names") {
  const Folder folder;
  make_pictures(folder);
  REQUIRE(run_in(folder.path(), "predict m.keras p -o p.csv").status == 0);
  const io::CsvTable table = io::read_csv(folder / "p.csv");
  REQUIRE(table.names() == std::vector<std::string>{"file", "red"});
  CHECK(table.columns[0].texts == std::vector<std::string>{"dark/10.png", "dark/2.png",
                                                           "dark/b.png", "light/1.png",
                                                           "light/c.png", "light/d.png"});
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6};
  CHECK(table.columns[1].numbers == expected);
  REQUIRE(run_in(folder.path(), "predict m.keras p/ -o p.npy").status == 0);
  CHECK(io::tensor_of(io::read_npy(folder / "p.npy")).to_vector<double>() == expected);

  // Of a part, the paths begin with it.
  fs::create_directories(folder / "parts/train");
  fs::copy(folder / "p/light", folder / "parts/test");
  REQUIRE(run_in(folder.path(), "predict m.keras parts -o t.csv").status == 0);
  CHECK(io::read_csv(folder / "t.csv").columns[0].texts ==
        std::vector<std::string>{"test/1.png", "test/c.png", "test/d.png"});
}

TEST_CASE("a model's JSON is run with weights from a file") {
  const Folder folder;
  Sequential model = numbers_model();
  model.set_weights({Tensor::from({2.0f, 3.0f}, {2, 1}), Tensor::from({1.0f}, {1})});
  std::ofstream(folder / "m.json") << model.to_json();
  model.save_weights(folder / "m.weights.h5");
  numbers_model().save(folder / "other.keras");
  io::write_npz(folder / "d.npz",
                {io::array_of("x", ops::ones({3, 2})), io::array_of("y", ops::zeros({3, 1}))});
  for (const char* command :
       {"predict m.json d.npz -o p.npy", "evaluate m.json d.npz --loss mse"}) {
    const Outcome bare = run_in(folder.path(), command);
    CHECK(bare.status == 2);
    CHECK(has(bare, "'m.json' is a model's architecture"));
    CHECK(has(bare, "--weights FILE"));
  }
  for (const char* file : {"m.json", "other.keras"}) {
    INFO(file);
    const std::string rest = std::string(file) + " d.npz --weights m.weights.h5";
    REQUIRE(run_in(folder.path(), "predict " + rest + " -o p.npy").status == 0);
    CHECK(io::tensor_of(io::read_npy(folder / "p.npy")).to_vector<float>() ==
          std::vector<float>{6, 6, 6});
    CHECK(has(run_in(folder.path(), "evaluate " + rest + " --loss mse"), "loss: 36\n"));
    // Training goes on from them.
    REQUIRE(run_in(folder.path(), "train " + rest +
                                      " --loss mse --optimizer sgd --learning-rate 0 -e 1 -q "
                                      "--overwrite -o r")
                .status == 0);
    const auto trained = load_model(folder / "r/model.keras");
    CHECK(trained->get_weights()[0].to_vector<float>() == std::vector<float>{2, 3});
  }
  const Outcome missing = run_in(folder.path(), "predict m.json d.npz --weights no.h5 -o p.npy");
  CHECK(missing.status == 1);
  CHECK(has(missing, "no.h5"));
  for (const char* command :
       {"predict m.weights.h5 d.npz -o p.npy", "train m.weights.h5 d.npz -o s"}) {
    const Outcome exchanged = run_in(folder.path(), command);
    CHECK(exchanged.status == 2);
    CHECK(has(exchanged, "'m.weights.h5' is an HDF5 file of weights"));
    CHECK(has(exchanged, "--weights"));
  }
}

TEST_CASE("a run that began with other weights goes on with the same ones") {
  const Folder folder;
  Sequential model = numbers_model();
  std::ofstream(folder / "m.json") << model.to_json();
  model.save_weights(folder / "a.weights.h5");
  io::write_npz(folder / "d.npz",
                {io::array_of("x", ops::ones({3, 2})), io::array_of("y", ops::zeros({3, 1}))});
  const std::string train = "train m.json d.npz --loss mse -e 2 --seed 1 --journal -q -o r";
  REQUIRE(run_in(folder.path(), train + " --weights a.weights.h5").status == 0);
  const Outcome without = run_in(folder.path(), train + " --resume");
  CHECK(without.status == 1);
  CHECK(has(without, "--weights"));
  CHECK(run_in(folder.path(), "replay r --step 1").status == 0);
}

TEST_CASE("files of weights are compared with their model") {
  const Folder folder;
  Sequential model = numbers_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  std::ofstream(folder / "m.json") << model.to_json();
  model.save(folder / "m.keras");
  model.save_weights(folder / "a.weights.h5");
  model.set_weights({Tensor::from({2.0f, 3.0f}, {2, 1}), Tensor::from({1.0f}, {1})});
  model.save_weights(folder / "b.weights.h5");
  const Outcome bare = run_in(folder.path(), "diff a.weights.h5 b.weights.h5");
  CHECK(bare.status == 2);
  CHECK(has(bare, "give its model with --model"));
  CHECK(run_in(folder.path(), "inspect a.weights.h5").status == 2);
  CHECK(run_in(folder.path(), "diff a.weights.h5 a.weights.h5 --model m.json").status == 0);
  CHECK(run_in(folder.path(), "diff m.keras a.weights.h5 --model m.json").status == 0);
  const Outcome different = run_in(folder.path(), "diff a.weights.h5 b.weights.h5 --model m.keras");
  CHECK(different.status == 1);
  CHECK(has(different, "max error"));
}

TEST_CASE("the name of the outputs' file is looked at before the model runs") {
  const Folder folder;
  numbers_model().save(folder / "m.keras");
  const Outcome outcome = run_in(folder.path(), "predict m.keras nowhere.npy -o o.xyz");
  CHECK(outcome.status == 2);
  CHECK(has(outcome, "'o.xyz' must end in .npy, .npz, .h5 or .csv"));
}

TEST_CASE("NaN has no sign in what is printed and written") {
  const Folder folder;
  numbers_model().save(folder / "m.keras");
  const Tensor bad = Tensor::from({-NAN, 1.0f}, {1, 2});
  io::write_npz(folder / "d.npz", {io::array_of("x", bad), io::array_of("y", ops::zeros({1, 1}))});
  const Outcome trained =
      run_in(folder.path(), "train m.keras d.npz --loss mse --metrics mae -e 2 -o r");
  CHECK(has(trained, "- loss: nan"));
  CHECK_FALSE(has(trained, "-nan"));
  CHECK(has(slurp(folder / "r/history.csv"), "0,nan,nan"));
  CHECK(has(run_in(folder.path(), "evaluate m.keras d.npz --loss mse"), "\nloss: nan\n"));
  REQUIRE(run_in(folder.path(), "predict m.keras d.npz -o p.csv").status == 0);
  CHECK(slurp(folder / "p.csv") == "sum\r\nnan\r\n");
}

}  // namespace predict_test
