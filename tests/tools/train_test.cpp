// cornu train, and evaluate and predict on the files that it trains on.
#include <catch.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/io/csv.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/random/seed.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/pooling/global_average_pooling.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/text/text_vectorization.h>
#include <cornu/optimizers/adam.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <thread>

#include "program.h"

namespace train_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

constexpr int64_t samples = 120;
const std::vector<std::string> species = {"iris", "rose", "tulip"};

// Four numbers between -1 and 1 for each sample; the largest of the first three is its class.
std::vector<float> numbers() {
  std::vector<float> values;
  uint64_t state = 7;
  for (int64_t i = 0; i < samples * 4; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values.push_back(static_cast<float>(state >> 40) / 8388608.0f - 1.0f);
  }
  return values;
}

std::vector<int64_t> classes() {
  const std::vector<float> x = numbers();
  std::vector<int64_t> result;
  for (size_t i = 0; i < static_cast<size_t>(samples); ++i)
    result.push_back(std::max_element(x.begin() + 4 * i, x.begin() + 4 * i + 3) -
                     (x.begin() + 4 * i));
  return result;
}

Tensor inputs() { return Tensor::from(numbers(), {samples, 4}); }
Tensor targets() { return Tensor::from(classes(), {samples}); }

void write_table(const std::string& path, const std::string& header = "a,b,c,d,owner,species") {
  const std::vector<float> x = numbers();
  const std::vector<int64_t> y = classes();
  std::ofstream file(path);
  file << header << "\n";
  for (size_t i = 0; i < y.size(); ++i) {
    for (size_t c = 0; c < 4; ++c) file << x[4 * i + c] << ",";
    file << "Ada,\"" << species[static_cast<size_t>(y[i])] << "\"\n";
  }
}

// Dropout and shuffles draw random numbers, which a run that goes on has to draw too.
Sequential network() {
  return Sequential({Input({4}),
                     layers::Dense({.units = 8, .activation = "relu", .name = "hidden"}),
                     layers::Dropout({.rate = 0.2}),
                     layers::Dense({.units = 3, .activation = "softmax", .name = "head"})});
}

void save_compiled(const std::string& path) {
  random::set_seed(1);
  Sequential model = network();
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  model.save(path);
}

// The model and all forms of its data.
struct Data : Folder {
  Data() {
    save_compiled(*this / "m.keras");
    io::write_npz(*this / "d.npz", {io::array_of("x", inputs()), io::array_of("y", targets())});
    io::write_npy(*this / "x.npy", io::array_of("", inputs()));
    io::write_npy(*this / "y.npy", io::array_of("", targets()));
    io::H5Writer h5{fs::path(*this / "d.h5")};
    h5.write("pixels", DType::float32, {samples, 4}, inputs().host_data());
    h5.write("labels", DType::int64, {samples}, targets().host_data());
    h5.finish();
    write_table(*this / "d.csv");
  }
};

// In the folder of the data.
Outcome cornu_in(const Folder& folder, const std::string& arguments) {
  return run_in(folder.path(), arguments);
}

Value::Dict run_of(const std::string& folder) {
  return cornu::parse_json(slurp(folder + "/run.json"), "run.json").get<Value::Dict>();
}

const Value& entry(const Value::Dict& dict, const std::string& name) {
  const Value* value = detail::find(dict, name);
  INFO(name);
  REQUIRE(value);
  return *value;
}

void check_equal_models(const std::string& a, const std::string& b) {
  const auto first = load_model(a), second = load_model(b);
  const std::vector<Tensor> left = first->get_weights(), right = second->get_weights();
  REQUIRE(left.size() == right.size());
  for (size_t i = 0; i < left.size(); ++i)
    CHECK(left[i].to_vector<float>() == right[i].to_vector<float>());
  const auto slots = first->optimizer()->variables(), others = second->optimizer()->variables();
  REQUIRE(slots.size() == others.size());
  REQUIRE(slots.size() > 2);
  for (size_t i = 0; i < slots.size(); ++i)
    CHECK(slots[i].value().to_vector<double>() == others[i].value().to_vector<double>());
}

int64_t lines_of(const std::string& path) {
  const std::string text = slurp(path);
  return std::count(text.begin(), text.end(), '\n');
}

// Starts the program, sends the signal when the table has so many lines, and returns what waitpid
// says.
int start_and_signal(const Folder& folder, std::vector<std::string> arguments,
                     const std::string& table, int64_t lines, int signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(folder.path().c_str()) != 0 || !std::freopen("/dev/null", "w", stdout) ||
        !std::freopen("/dev/null", "w", stderr))
      ::_exit(99);
    // What runs the tests in the background may have it ignored.
    std::signal(SIGINT, SIG_DFL);
    const std::string path = program().string();
    std::vector<char*> argv = {const_cast<char*>(path.c_str())};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(path.c_str(), argv.data());
    ::_exit(98);
  }
  int status = 0;
  for (int i = 0; i < 60000 && lines_of(folder / table) < lines; ++i) {
    REQUIRE(::waitpid(child, &status, WNOHANG) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, signal);
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("train reads each format, and all give the same model") {
  const Data data;
  const std::string rest = " -e 3 --seed 5 -q -o ";
  REQUIRE(cornu_in(data, "train m.keras d.npz" + rest + "npz").status == 0);
  CHECK(cornu_in(data, "train m.keras x.npy y.npy" + rest + "npy").status == 0);
  CHECK(cornu_in(data, "train m.keras d.h5 --x pixels --y labels" + rest + "h5").status == 0);
  const Outcome csv = cornu_in(
      data, "train m.keras d.csv --target species --classes iris,rose,tulip" + rest + "csv");
  CHECK(csv.status == 0);
  CHECK(csv.text.empty());
  const auto reference = load_model(data / "npz/model.keras")->get_weights();
  const auto before = load_model(data / "m.keras")->get_weights();
  CHECK(reference[0].to_vector<float>() != before[0].to_vector<float>());
  for (const char* format : {"npy", "h5", "csv"}) {
    INFO(format);
    const auto weights = load_model(data / (format + std::string("/model.keras")))->get_weights();
    const auto expected = reference[2].to_vector<float>(), found = weights[2].to_vector<float>();
    // The table has its numbers in six digits.
    for (size_t i = 0; i < expected.size(); ++i)
      CHECK(found[i] == Approx(expected[i]).margin(1e-3));
  }
  CHECK(lines_of(data / "csv/history.csv") == 4);
  CHECK_FALSE(fs::exists(data / "csv/backup"));
}

TEST_CASE("run.json says what was done") {
  const Data data;
  REQUIRE(cornu_in(data, "train m.keras d.npz -e 4 -b 16 --validation-split 0.25 -q -o r").status ==
          0);
  const Value::Dict run = run_of(data / "r");
  CHECK(entry(run, "state").get<std::string>() == "complete");
  CHECK(entry(run, "epochs").get<int64_t>() == 4);
  const auto& counts = entry(run, "samples").get<Value::Dict>();
  CHECK(entry(counts, "train").get<int64_t>() == 90);
  CHECK(entry(counts, "validation").get<int64_t>() == 30);
  const auto& options = entry(run, "options").get<Value::Dict>();
  CHECK(entry(options, "batch_size").get<int64_t>() == 16);
  CHECK(entry(options, "seed").is<int64_t>());
  const auto& file = entry(run, "files").get<Value::List>().at(0).get<Value::Dict>();
  CHECK(entry(file, "bytes").get<int64_t>() == static_cast<int64_t>(fs::file_size(data / "d.npz")));
  CHECK(entry(run, "seconds").number() >= 0);
  // The seed that was drawn repeats the run.
  const auto seed = std::to_string(entry(options, "seed").get<int64_t>());
  REQUIRE(cornu_in(data,
                   "train m.keras d.npz -e 4 -b 16 --validation-split 0.25 -q -o s --seed " + seed)
              .status == 0);
  check_equal_models(data / "r/model.keras", data / "s/model.keras");
}

TEST_CASE("the best epoch's model is kept, or the last one's, or all") {
  const Data data;
  // What is learned is wrong on the validation data, so that the first epoch is the best.
  std::vector<int64_t> wrong = classes();
  for (int64_t& y : wrong) y = (y + 1) % 3;
  io::write_npz(data / "wrong.npz",
                {io::array_of("x", inputs()), io::array_of("y", Tensor::from(wrong, {samples}))});
  const std::string rest = "train m.keras d.npz --seed 2 -e 8 -q --validation-data wrong.npz -o ";
  REQUIRE(cornu_in(data, rest + "best").status == 0);
  REQUIRE(cornu_in(data, rest + "all --checkpoint all").status == 0);
  REQUIRE(cornu_in(data, rest + "last --checkpoint last").status == 0);
  const io::CsvTable table = io::read_csv(data / "all/history.csv");
  const std::vector<double>& losses = table.find("val_loss")->numbers;
  REQUIRE(std::min_element(losses.begin(), losses.end()) == losses.begin());
  check_equal_models(data / "best/model.keras", data / "all/checkpoints/epoch_0001.keras");
  check_equal_models(data / "all/model.keras", data / "all/checkpoints/epoch_0001.keras");
  check_equal_models(data / "last/model.keras", data / "all/checkpoints/epoch_0008.keras");
  const Value::Dict run = run_of(data / "best");
  CHECK(entry(entry(run, "best").get<Value::Dict>(), "epoch").get<int64_t>() == 1);
}

TEST_CASE("patience ends a run") {
  const Data data;
  const Outcome outcome = cornu_in(
      data,
      "train m.keras d.npz -e 100 --learning-rate 0 --patience 2 --validation-split 0.2 -o r");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "in epoch 1/100"));
  CHECK(has(outcome, "r/model.keras (best epoch)"));
  CHECK(lines_of(data / "r/history.csv") == 4);
}

TEST_CASE("event files are written beside the run") {
  const Data data;
  REQUIRE(cornu_in(data, "train m.keras d.npz -e 1 --tensorboard logs -o r").status == 0);
  CHECK(std::filesystem::exists(data / "logs/train"));
}

TEST_CASE("parts of a file are validated and tested on") {
  const Data data;
  const Tensor x = inputs(), y = targets();
  io::write_npz(data / "parts.npz", {io::array_of("x_train", take_rows(x, 0, 80).tensor()),
                                     io::array_of("y_train", take_rows(y, 0, 80).tensor()),
                                     io::array_of("x_val", take_rows(x, 80, 100).tensor()),
                                     io::array_of("y_val", take_rows(y, 80, 100).tensor()),
                                     io::array_of("x_test", take_rows(x, 100, 120).tensor()),
                                     io::array_of("y_test", take_rows(y, 100, 120).tensor())});
  const Outcome outcome = cornu_in(data, "train m.keras parts.npz -e 2 -o r");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "val_accuracy"));
  const Value::Dict run = run_of(data / "r");
  const auto& counts = entry(run, "samples").get<Value::Dict>();
  CHECK(entry(counts, "train").get<int64_t>() == 80);
  CHECK(entry(counts, "validation").get<int64_t>() == 20);
  CHECK(entry(counts, "test").get<int64_t>() == 20);
  const auto model = load_model(data / "r/model.keras");
  const Logs expected =
      model->evaluate(take_rows(x, 100, 120), take_rows(y, 100, 120), {.verbose = Verbose::silent});
  CHECK(entry(entry(run, "test").get<Value::Dict>(), "loss").number() ==
        Approx(expected.at("loss")));
  // evaluate takes the test part as well, predict its inputs.
  const Outcome evaluated = cornu_in(data, "evaluate r/model.keras parts.npz --metrics accuracy");
  CHECK(has(evaluated, "accuracy: "));
  CHECK(cornu_in(data, "predict r/model.keras parts.npz -o p.csv").status == 0);
  CHECK(io::read_csv(data / "p.csv").rows == 20);

  io::write_npz(data / "v.npz", {io::array_of("x", take_rows(x, 0, 30).tensor()),
                                 io::array_of("y", take_rows(y, 0, 30).tensor())});
  REQUIRE(cornu_in(data, "train m.keras d.npz -e 1 -q --validation-data v.npz -o v").status == 0);
  const Value::Dict other = run_of(data / "v");
  CHECK(entry(entry(other, "samples").get<Value::Dict>(), "validation").get<int64_t>() == 30);
  CHECK(cornu_in(data, "train m.keras d.npz -e 1 -q --validation-data x.npy,y.npy -o w").status ==
        0);
}

TEST_CASE("a test part without targets is for predictions alone") {
  const Data data;
  io::write_npz(data / "blind.npz",
                {io::array_of("x_train", inputs()), io::array_of("y_train", targets()),
                 io::array_of("x_test", inputs())});
  const Outcome outcome = cornu_in(data, "train m.keras blind.npz -e 1 -o r");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "'blind.npz' has no targets for its test part"));
  CHECK(entry(run_of(data / "r"), "test").is_null());
  CHECK(cornu_in(data, "predict r/model.keras blind.npz -o p.npy").status == 0);
  // What has no targets cannot be evaluated, nor validated on.
  CHECK(cornu_in(data, "evaluate r/model.keras blind.npz").status == 1);
}

TEST_CASE("a folder's test part may have no classes") {
  const Folder folder;
  for (const char* name : {"d/train/good/1.txt", "d/train/bad/1.txt", "d/test/1.txt"}) {
    fs::create_directories(fs::path(folder / name).parent_path());
    spill(folder / name, "very good");
  }
  const Input text({.shape = {}, .dtype = DType::string});
  const Tensor words = layers::TextVectorization(
      {.output_sequence_length = 4, .vocabulary = std::vector<std::string>{"good", "very"}})(text);
  const Tensor vectors = layers::Embedding({.input_dim = 4, .output_dim = 3})(words);
  Functional model(text, layers::Dense({.units = 1, .activation = "sigmoid"})(
                             layers::GlobalAveragePooling1D()(vectors)));
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  model.save(folder / "m.keras");
  const Outcome outcome = cornu_in(folder, "train m.keras d -e 1 -o r");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "'d' has no targets for its test part"));
}

TEST_CASE("NaN is no best figure") {
  const Data data;
  const Tensor bad = Tensor::from(std::vector<float>(8, NAN), {2, 4});
  io::write_npz(data / "nan.npz",
                {io::array_of("x", bad), io::array_of("y", Tensor::from({0, 1}, {2}))});
  const std::string rest = "train m.keras d.npz --seed 2 --validation-data nan.npz -o ";
  for (const char* patience : {"", " --patience 5"}) {
    INFO(patience);
    const Outcome outcome = cornu_in(data, rest + "r -e 3 --overwrite" + patience);
    CHECK(outcome.status == 0);
    CHECK(has(outcome, "val_loss is NaN in all epochs"));
    CHECK(has(outcome, "r/model.keras (last epoch)"));
    CHECK(entry(run_of(data / "r"), "best").is_null());
    REQUIRE(
        cornu_in(data, "train m.keras d.npz --seed 2 -e 3 --checkpoint last -q --overwrite -o l")
            .status == 0);
    check_equal_models(data / "r/model.keras", data / "l/model.keras");
  }
}

TEST_CASE("frozen layers stay as they are") {
  const Data data;
  const Outcome outcome = cornu_in(data, "train m.keras d.npz -e 2 --freeze '^hid' -o r");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "27 parameters are trained"));
  const auto before = load_model(data / "m.keras")->get_weights();
  const auto after = load_model(data / "r/model.keras");
  CHECK(after->get_weights()[0].to_vector<float>() == before[0].to_vector<float>());
  CHECK(after->get_weights()[2].to_vector<float>() != before[2].to_vector<float>());
  CHECK(after->trainable_variables().size() == 2);

  const Outcome none = cornu_in(data, "train m.keras d.npz --freeze hiden -o s");
  CHECK(none.status == 2);
  CHECK(has(none, "Did you mean 'hidden'?"));
  CHECK(has(cornu_in(data, "train m.keras d.npz --freeze . -o s"), "leaves no weight to train"));
  CHECK(cornu_in(data, "train m.keras d.npz --freeze '(' -o s").status == 2);
}

TEST_CASE("a model that was not compiled, and a model's JSON") {
  const Data data;
  Sequential model = network();
  model.save(data / "plain.keras");
  std::ofstream(data / "m.json") << model.to_json();
  const Outcome outcome = cornu_in(data, "train plain.keras d.npz -o r");
  CHECK(outcome.status == 2);
  CHECK(has(outcome, "plain.keras"));
  CHECK(has(outcome, "--loss sparse_categorical_crossentropy"));
  CHECK_FALSE(fs::exists(data / "r"));
  CHECK(cornu_in(data, "evaluate plain.keras d.npz").status == 2);
  CHECK(has(cornu_in(data, "evaluate plain.keras d.npz --loss sparse_categorical_crossentropy"),
            "loss: "));
  const std::string rest =
      " d.npz --loss sparse_categorical_crossentropy --optimizer adam --metrics accuracy -e 2 -q "
      "--seed ";
  REQUIRE(cornu_in(data, "train m.json" + rest + "1 -o a").status == 0);
  REQUIRE(cornu_in(data, "train m.json" + rest + "1 -o b").status == 0);
  REQUIRE(cornu_in(data, "train m.json" + rest + "2 -o c").status == 0);
  check_equal_models(data / "a/model.keras", data / "b/model.keras");
  CHECK(load_model(data / "a/model.keras")->get_weights()[0].to_vector<float>() !=
        load_model(data / "c/model.keras")->get_weights()[0].to_vector<float>());
  CHECK(has(cornu_in(data, "train plain.keras d.npz --loss msee -o d"), "Did you mean"));
}

TEST_CASE("a killed run goes on with the same figures and weights") {
  const Data data;
  const std::string options =
      "train m.keras d.npz -e 40 -b 2 --seed 3 -q --validation-split 0.2 --backup-every 13 -o ";
  REQUIRE(cornu_in(data, options + "whole").status == 0);
  const std::vector<std::string> arguments = {"train",
                                              "m.keras",
                                              "d.npz",
                                              "-e",
                                              "40",
                                              "-b",
                                              "2",
                                              "--seed",
                                              "3",
                                              "-q",
                                              "--validation-split",
                                              "0.2",
                                              "--backup-every",
                                              "13",
                                              "-o",
                                              "killed"};
  const int status = start_and_signal(data, arguments, "killed/history.csv", 4, SIGKILL);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(lines_of(data / "killed/history.csv") < 41);
  CHECK(fs::exists(data / "killed/backup"));
  CHECK(entry(run_of(data / "killed"), "state").get<std::string>() == "running");

  CHECK(cornu_in(data, options + "killed").status == 1);
  const Outcome other = cornu_in(data, options + "killed --resume --no-shuffle");
  CHECK(other.status == 1);
  CHECK(has(other, "--shuffle true, not false"));

  REQUIRE(cornu_in(data, options + "killed --resume").status == 0);
  CHECK(slurp(data / "killed/history.csv") == slurp(data / "whole/history.csv"));
  check_equal_models(data / "killed/model.keras", data / "whole/model.keras");
  CHECK_FALSE(fs::exists(data / "killed/backup"));
  CHECK(entry(run_of(data / "killed"), "state").get<std::string>() == "complete");

  const std::string before = slurp(data / "killed/model.keras");
  CHECK(cornu_in(data, options + "killed --resume").status == 0);
  CHECK(slurp(data / "killed/model.keras") == before);
  CHECK(cornu_in(data,
                 "train m.keras d.npz -e 50 -b 2 --seed 3 --validation-split 0.2 -o killed "
                 "--resume")
            .status == 1);
}

TEST_CASE("Ctrl-C saves, exits with 130, and the run goes on") {
  const Data data;
  const std::string options = "train m.keras d.npz -e 40 -b 2 --seed 3 -q -o ";
  REQUIRE(cornu_in(data, options + "whole").status == 0);
  const int status = start_and_signal(
      data, {"train", "m.keras", "d.npz", "-e", "40", "-b", "2", "--seed", "3", "-q", "-o", "r"},
      "r/history.csv", 4, SIGINT);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(entry(run_of(data / "r"), "state").get<std::string>() == "interrupted");
  CHECK_NOTHROW(load_model(data / "r/model.keras"));
  REQUIRE(cornu_in(data, options + "r --resume").status == 0);
  CHECK(slurp(data / "r/history.csv") == slurp(data / "whole/history.csv"));
  check_equal_models(data / "r/model.keras", data / "whole/model.keras");
}

TEST_CASE("a folder that is there is not written over") {
  const Data data;
  REQUIRE(cornu_in(data, "train m.keras d.npz -e 1 -q -o r").status == 0);
  const Outcome again = cornu_in(data, "train m.keras d.npz -e 1 -o r");
  CHECK(again.status == 1);
  CHECK(has(again, "--resume"));
  CHECK(has(again, "--overwrite"));
  CHECK(cornu_in(data, "train m.keras d.npz -e 2 -q -o r --overwrite").status == 0);
  CHECK(lines_of(data / "r/history.csv") == 3);
  // The model of the folder itself is read before it goes.
  CHECK(cornu_in(data, "train r/model.keras d.npz -e 1 -q -o r --overwrite").status == 0);
  CHECK(cornu_in(data, "train m.keras d.npz -o r --overwrite --resume").status == 2);
  fs::create_directory(data / "other");
  std::ofstream(data / "other/notes.txt") << "mine";
  CHECK(has(cornu_in(data, "train m.keras d.npz -o other --resume"), "no run.json"));
  CHECK(has(cornu_in(data, "train m.keras d.npz -o d.npz"), "is a file"));
}

TEST_CASE("wrong data are told with file, column and shape") {
  const Data data;
  const auto fails = [&](const std::string& arguments, int status,
                         std::initializer_list<const char*> parts) {
    const Outcome outcome = cornu_in(data, arguments + " -o wrong");
    CHECK(outcome.status == status);
    CHECK(has(outcome, "cornu: "));
    for (const char* part : parts) {
      INFO(part);
      CHECK(has(outcome, part));
    }
    CHECK_FALSE(fs::exists(data / "wrong"));
  };
  fails("train m.keras d.csv", 2, {"'d.csv'", "--target", "a, b, c, d, owner, species"});
  fails("train m.keras d.csv --target specis", 2, {"'specis'", "Did you mean 'species'?"});
  fails("train m.keras d.csv --target species", 2, {"--classes iris,rose,tulip"});
  fails("train m.keras d.csv --target species --features a,b,c,e", 2,
        {"'e'", "a, b, c, d, owner, species"});
  fails("train m.keras d.csv --target species --classes iris,rose", 1, {"'tulip'", "none of"});
  fails("train m.keras d.csv --target species --classes iris,rose,tulip --features a,b", 1,
        {"expects 4 columns", "2 columns", "a, b"});
  fails("train m.keras d.csv --target species --classes iris,rose,tulip --features a,b,c,owner", 1,
        {"'owner' holds text ('Ada' in line 2)"});
  fails("train m.keras x.npy", 1, {"'x.npy'", "no targets", "second file"});
  fails("train m.keras d.npz --x xx", 2, {"'d.npz'", "'xx'", "float32 (120, 4)"});
  fails("train m.keras nowhere.npz", 1, {"nowhere.npz"});
  fails("train nowhere.keras d.npz", 1, {"nowhere.keras"});
  fails("train m.keras d.npz x.npy", 2, {"two .npy files"});
  fails("train m.keras .", 1, {"'.' has no files that end in .jpg"});
  fails("train m.keras m.keras", 2, {"folder of images", ".csv"});
  fails("train m.keras d.npz --device none", 1, {"'none'"});
  io::write_npz(data / "wide.npz", {io::array_of("x", ops::ones({10, 5})),
                                    io::array_of("y", ops::zeros({10}, DType::int32))});
  fails("train m.keras wide.npz", 1, {"'wide.npz'", "(10, 5)", "(None, 4)"});
  io::write_npz(data / "short.npz", {io::array_of("x", ops::ones({10, 4})),
                                     io::array_of("y", ops::zeros({9}, DType::int32))});
  fails("train m.keras short.npz", 1, {"'short.npz'", "10", "9"});
  const std::string whole = slurp(data / "d.npz");
  std::ofstream(data / "cut.npz", std::ios::binary) << whole.substr(0, whole.size() / 2);
  fails("train m.keras cut.npz", 1, {"cut.npz"});
  std::ofstream(data / "cut.csv") << "a,b,c,d,y\n1,2,3,4,0\n1,2,3\n";
  fails("train m.keras cut.csv --target y", 1, {"'cut.csv' line 3", "3 cells"});
}

TEST_CASE("wrong options are errors of usage") {
  const Data data;
  for (const char* options :
       {"", "-o r --epochs 0", "-o r --validation-split 2", "-o r --checkpoint worst",
        "-o r --class-weight 1", "-o r --validation-split 0.1 --validation-data d.npz",
        "-o r --unknown", "-o r --loss nothing"}) {
    const Outcome outcome = cornu_in(data, std::string("train m.keras d.npz ") + options);
    CHECK(outcome.status == 2);
    CHECK_FALSE(fs::exists(data / "r"));
  }
  const Outcome help = run("train --help");
  CHECK(help.status == 0);
  CHECK(has(help, "Example:"));
}

TEST_CASE("NaN in the data is warned of") {
  const Data data;
  std::vector<float> x = numbers();
  x[9] = NAN;
  io::write_npz(data / "nan.npz",
                {io::array_of("x", Tensor::from(x, {samples, 4})), io::array_of("y", targets())});
  const Outcome outcome = cornu_in(data, "train m.keras nan.npz -e 2 -q -o r");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "'nan.npz': the array x float32 (120, 4) has 1 NaN"));
  CHECK(outcome.text.find("warning") == outcome.text.rfind("warning"));
  std::ofstream(data / "nan.csv") << "a,b,c,d,y\n1,2,3,4,0\n1,,3,4,1\n";
  CHECK(has(cornu_in(data, "train m.keras nan.csv --target y -e 1 -o s"),
            "'nan.csv': column 'b' has no value in 1 of 2 rows (the first is line 3)"));
}

TEST_CASE("predictions of classes as a table") {
  const Data data;
  REQUIRE(cornu_in(data, "train m.keras d.npz -e 20 -q -o r").status == 0);
  REQUIRE(cornu_in(data,
                   "predict r/model.keras d.csv --target species --classes iris,rose,tulip "
                   "-q -o p.csv")
              .status == 0);
  const io::CsvTable table = io::read_csv(data / "p.csv");
  REQUIRE(table.names() == std::vector<std::string>{"class", "iris", "rose", "tulip"});
  CHECK(table.rows == samples);
  const std::vector<int64_t> expected = classes();
  int64_t right = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    right += table.find("class")->texts[i] == species[static_cast<size_t>(expected[i])];
  CHECK(right > samples * 3 / 4);
}

}  // namespace train_test
