// Runs the program cornu, which the build puts beside the tests.
#include <catch.h>
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/io/archive.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/text/string_lookup.h>

#include <cstring>

#include "program.h"

namespace cornu_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

// y = 2 * (x0 + x1) + 1
void save_model(const std::string& path) {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  model.set_weights({Tensor::from({2.0f, 2.0f}, {2, 1}), Tensor::from({1.0f}, {1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.save(path);
}

}  // namespace

TEST_CASE("arguments") {
  CHECK(run("--help").status == 0);
  CHECK(run("predict --help").status == 0);
  CHECK(run("").status == 2);
  CHECK(run("train model.keras").status == 2);
  CHECK(run("summary").status == 2);
  CHECK(run("predict a.keras in.npy").status == 2);
  CHECK(run("predict a.keras in.npy -o out.npy --batch-size 0").status == 2);
}

TEST_CASE("a missing file") {
  for (const char* command : {"summary nowhere.keras", "predict nowhere.keras in.npy -o out.npy"}) {
    const Outcome outcome = run(command);
    CHECK(outcome.status == 1);
    CHECK(has(outcome, "cornu: "));
    CHECK(has(outcome, "nowhere.keras"));
  }
}

TEST_CASE("summary, predict and evaluate") {
  Folder folder;
  save_model(folder / "m.keras");
  const Outcome summary = run("summary '" + folder / "m.keras" + "'");
  CHECK(summary.status == 0);
  CHECK(has(summary, "dense"));

  const Tensor x =
      Tensor::from({1.0, 2.0, 3.0, 4.0, 0.0, 0.0}, {3, 2});  // float64, as NumPy makes it
  io::write_npy(folder / "x.npy", io::array_of("", x));
  CHECK(run("predict " + folder / "m.keras" + " " + folder / "x.npy" + " " + " -o " +
            folder / "y.npy -b 2")
            .status == 0);
  const io::NpyArray y = io::read_npy(folder / "y.npy");
  REQUIRE(y.shape == Shape{3, 1});
  REQUIRE(y.dtype == DType::float32);
  float values[3];
  std::memcpy(values, y.data.data(), sizeof values);
  CHECK(values[0] == Approx(7));
  CHECK(values[1] == Approx(15));
  CHECK(values[2] == Approx(1));

  io::write_npz(folder / "xy.npz", {io::array_of("x", x),
                                    io::array_of("y", Tensor::from({7.0f, 15.0f, 4.0f}, {3, 1}))});
  const Outcome evaluated = run("evaluate " + folder / "m.keras" + " " + folder / "xy.npz");
  CHECK(evaluated.status == 0);
  CHECK(has(evaluated, "loss: 3\n"));

  const Outcome targetless = run("evaluate " + folder / "m.keras" + " " + folder / "x.npy");
  CHECK(targetless.status == 1);
  CHECK(has(targetless, "no targets"));
}

TEST_CASE("several inputs and outputs by name") {
  Folder folder;
  Input a({.shape = {2}, .name = "left"});
  Input b({.shape = {2}, .name = "right"});
  Functional model({a, b}, {layers::Dense({.units = 1, .name = "first"})(a),
                            layers::Dense({.units = 3, .name = "second"})(b)});
  model.save(folder / "m.keras");
  const Tensor ones = ops::ones({4, 2});
  io::write_npz(folder / "in.npz", {io::array_of("right", ones), io::array_of("left", ones)});
  CHECK(run("predict " + folder / "m.keras" + " " + folder / "in.npz" + " -o " + folder / "out.npz")
            .status == 0);
  const auto outputs = io::read_npz(folder / "out.npz");
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].name == "first");
  CHECK(outputs[1].shape == Shape{4, 3});

  const Outcome one_file =
      run("predict " + folder / "m.keras" + " " + folder / "in.npz" + " -o " + folder / "out.npy");
  CHECK(one_file.status == 1);
  CHECK(has(one_file, ".npz"));
  io::write_npz(folder / "bad.npz", {io::array_of("rightt", ones), io::array_of("left", ones)});
  const Outcome misspelt =
      run("predict " + folder / "m.keras" + " " + folder / "bad.npz" + " -o " + folder / "out.npz");
  CHECK(misspelt.status == 1);
  CHECK(has(misspelt, "Did you mean 'rightt'?"));
}

TEST_CASE("check tells whether a file loads") {
  Folder folder;
  save_model(folder / "good.keras");
  const Outcome good = run("check " + folder / "good.keras");
  CHECK(good.status == 0);
  CHECK(has(good, "Keras 3."));
  CHECK(has(good, "3 parameters"));

  std::ofstream(folder / "bad.keras") << "no archive";
  const Outcome bad = run("check " + folder / "bad.keras");
  CHECK(bad.status == 1);
  CHECK(has(bad, "does not load"));

  io::ArchiveWriter archive{fs::path(folder / "odd.keras")};
  archive.add_text("metadata.json", R"({"keras_version": "9.9.9"})");
  archive.add_text("config.json",
                   R"({"module": "keras.layers", "class_name": "Densse", "config": {}})");
  archive.add_text("model.weights.h5", "");
  archive.finish();
  const Outcome odd = run("check " + folder / "odd.keras");
  CHECK(odd.status == 1);
  CHECK(has(odd, "Keras 9.9.9"));
  CHECK(has(odd, "Densse"));
}

TEST_CASE("the environment limits the instructions that are used") {
  const auto devices = [](const char* limit) {
    ::setenv("CORNU_MAX_CPU_ISA", limit, 1);
    const Outcome outcome = run("devices");
    ::unsetenv("CORNU_MAX_CPU_ISA");
    return outcome;
  };
  CHECK(has(devices("baseline"), ", baseline, "));
  const Outcome wrong = devices("avx3");
  CHECK(wrong.status != 0);
  CHECK(has(wrong, "CORNU_MAX_CPU_ISA: expected avx2 or baseline, found 'avx3'"));
}

TEST_CASE("outputs that are strings are written as strings") {
  Folder folder;
  const Input in(InputConfig{.shape = Shape{2}, .dtype = DType::int64});
  Functional model(in, layers::StringLookup({.vocabulary = std::vector<std::string>{"tree",
                                                                                    "Br\xC3\xBC"
                                                                                    "cke"},
                                             .invert = true})(in));
  model.save(folder / "m.keras");
  io::write_npy(folder / "in.npy", io::array_of("", Tensor::from({1, 2, 2, 0}, {2, 2})));
  const std::vector<std::string> expected = {"tree",
                                             "Br\xC3\xBC"
                                             "cke",
                                             "Br\xC3\xBC"
                                             "cke",
                                             "[UNK]"};
  for (const std::string out : {"out.npy", "out.npz", "out.h5"}) {
    CHECK(run("predict '" + folder / "m.keras" + "' '" + folder / "in.npy" + "' -o '" +
              folder / out + "'")
              .status == 0);
    if (out == "out.npy") CHECK(io::read_npy(folder / out).strings == expected);
    if (out == "out.npz") CHECK(io::read_npz(folder / out).at(0).strings == expected);
    if (out == "out.h5") {
      const io::H5Reader file{fs::path(folder / out)};
      const std::string name = file.children("").at(0);
      CHECK(file.string_shape(name) == Shape{2, 2});
      CHECK(file.read_strings(name) == expected);
    }
  }
  const std::string m = "'" + folder / "m.keras" + "' ";
  CHECK(has(run("diff " + m + m), "output 0: equal"));
}

TEST_CASE("doctor names what is wrong with a training, and its exit status tells") {
  const Folder folder;
  std::vector<float> x, y;
  for (int i = 0; i < 128; ++i) {
    const double angle = 1.3 * i;
    x.insert(x.end(), {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))});
    y.push_back(static_cast<float>(std::sin(angle) + 0.5 * std::cos(angle)));
  }
  const Tensor inputs = Tensor::from(x, {128, 2}), targets = Tensor::from(y, {128, 1});
  Sequential model(
      {Input({2}), layers::Dense({.units = 8, .activation = "relu"}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.save(folder / "m.keras");
  io::write_npz(folder / "good.npz", {io::array_of("x", inputs), io::array_of("y", targets)});
  io::write_npz(folder / "large.npz",
                {io::array_of("x_train", inputs * Tensor(1000.0)), io::array_of("y_train", targets),
                 io::array_of("x_test", take_rows(inputs, 0, 16).tensor()),
                 io::array_of("y_test", take_rows(targets, 0, 16).tensor())});
  // The inputs of a test part are enough.
  io::write_npz(folder / "leak.npz",
                {io::array_of("x_train", inputs), io::array_of("y_train", targets),
                 io::array_of("x_test", take_rows(inputs, 0, 16).tensor())});
  const std::string doctor = "doctor " + folder / "m.keras" + " ";
  Outcome outcome = run(doctor + folder / "good.npz");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "nothing found"));
  outcome = run(doctor + folder / "large.npz");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "inputs_unscaled"));
  CHECK(run(doctor + folder / "large.npz --silence inputs_unscaled").status == 0);
  outcome = run(doctor + folder / "leak.npz");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "split_leak"));
  outcome = run(doctor + folder / "good.npz --learning-rate 50");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "learning_rate_high"));
  // What is named to validate on goes before the parts of the file.
  outcome = run(doctor + folder / "good.npz --validation-data " + folder / "leak.npz");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "split_leak"));
  CHECK_FALSE(has(run(doctor + folder / "leak.npz --validation-split 0.2"), "split_leak"));
  CHECK(run(doctor + folder / "good.npz --validation-split 1").status == 2);
  CHECK(run(doctor + folder / "good.npz --validation-split 0.1 --validation-data x.npz").status ==
        2);
  CHECK(run(doctor + folder / "good.npz --class-weight 0").status == 2);
  CHECK(run(doctor + folder / "missing.npz").status == 2);
  CHECK(run(doctor + folder / "good.npz --silence nothing").status == 2);

  // Classes of which one is rare, which weights make up for.
  for (size_t i = 0; i < y.size(); ++i) y[i] = i % 32 == 0 ? 1 : 0;
  Sequential classifier({Input({2}), layers::Dense({.units = 1, .activation = "sigmoid"})});
  classifier.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  classifier.save(folder / "c.keras");
  io::write_npz(folder / "rare.npz",
                {io::array_of("x", inputs), io::array_of("y", Tensor::from(y, {128, 1}))});
  const std::string rare = "doctor " + folder / "c.keras" + " " + folder / "rare.npz --steps 0";
  CHECK(has(run(rare), "class_imbalance"));
  CHECK_FALSE(has(run(rare + " --class-weight 0=1,1=30"), "class_imbalance"));
}

TEST_CASE("options that are none") {
  for (const char* arguments : {"train m.keras d.npz -o r --epoch 5", "train m.keras --epoch=5"}) {
    const Outcome outcome = run(arguments);
    CHECK(outcome.status == 2);
    CHECK(has(outcome, "there is no option '--epoch'. Did you mean '--epochs'?"));
  }
  const Outcome doctor = run("doctor m.keras d.npz --learning-rat 0.1");
  CHECK(doctor.status == 2);
  CHECK(has(doctor, "Did you mean '--learning-rate'?"));
  CHECK(has(run("--hepl"), "Did you mean '--help'?"));
  CHECK(has(run("summary m.keras --nothing"), "there is no option '--nothing'. cornu summary"));
  // Other faults of the command line are told as before.
  CHECK(has(run("train m.keras"), "DATA is required"));
  CHECK(run("train --epoch --help").status == 0);
}

TEST_CASE("commands and numbers that are none") {
  Outcome outcome = run("trian m.keras");
  CHECK(outcome.status == 2);
  CHECK(has(outcome, "there is no command 'trian'. Did you mean 'train'?"));
  outcome = run("train m.keras d.npz -o r --epochs abc");
  CHECK(outcome.status == 2);
  CHECK(has(outcome, "expected a number above 0, found 'abc'"));
}

}  // namespace cornu_test
