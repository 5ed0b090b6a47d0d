// Runs the program cornu-zoo, which the build puts beside the tests.
#include <catch.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/model/functional.h>
#include <cornu/layers/text/string_lookup.h>
#include <paths.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "program.h"

namespace zoo_test {

using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

Outcome run_zoo(const std::string& arguments) { return run(arguments, "cornu-zoo"); }

const std::string zoo = source_path("tests/zoo");

// A copy of a model of the zoo, to be damaged.
struct Copy : TemporaryFolder {
  explicit Copy(const std::string& model) { fs::copy(fs::path(zoo) / model, *this / model); }
};

void overwrite(const fs::path& file, size_t size) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << std::string(size, '\0');
}

}  // namespace

TEST_CASE("the models of the zoo pass") {
  // The sanitizers need address space without end.
  const Outcome outcome = run_zoo("'" + zoo + "' --megabytes 0 --seconds 500");
  CHECK(outcome.status == 0);
  CHECK(has(outcome, "predict 9/9"));
  CHECK(has(outcome, "resave 9/9"));
  CHECK(has(outcome, " 0 failed"));
}

TEST_CASE("what cannot be loaded is a failure with its reason") {
  const Copy copy("mlp_basic");
  overwrite(copy / "mlp_basic" / "model.keras", 100);
  const Outcome outcome = run_zoo("'" + copy.path().string() + "' --megabytes 0");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "FAILED predict: mlp_basic: model.keras: "));
  CHECK(has(outcome, "predict 0/1"));
  CHECK(has(outcome, "resave 0/1"));
}

TEST_CASE("a model without data is a failure") {
  const Copy copy("mlp_basic");
  overwrite(copy / "mlp_basic" / "io.h5", 10);
  const Outcome outcome = run_zoo("'" + copy.path().string() + "' --megabytes 0");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "0 passed, 1 failed"));
}

TEST_CASE("other weights are other outputs") {
  const Copy copy("mlp_basic");
  const fs::path model = copy / "mlp_basic";
  fs::copy_file(model / "trained.keras", model / "model.keras",
                fs::copy_options::overwrite_existing);
  const Outcome outcome = run_zoo("'" + copy.path().string() + "' --megabytes 0");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "largest error"));
  CHECK(has(outcome, "predict 0/1"));
}

TEST_CASE("a model that takes too long, or too much memory, is one failure") {
  const Outcome slow = run_zoo("'" + zoo + "' --filter mlp_basic --seconds 0");
  CHECK(slow.status == 1);
  CHECK(has(slow, "took more than 0 s"));
  const Outcome large = run_zoo("'" + zoo + "' --filter mlp_basic --megabytes 1");
  CHECK(large.status == 1);
  CHECK(has(large, " failed"));
}

TEST_CASE("the zoo's arguments") {
  CHECK(run_zoo("--help").status == 0);
  CHECK(run_zoo("").status == 2);
  CHECK(run_zoo("--wrong").status == 2);
  CHECK(run_zoo("/nowhere").status == 1);
  CHECK(run_zoo("'" + zoo + "' --filter no_such_model").status == 1);
}

TEST_CASE("the figures as JSON") {
  const Copy copy("mlp_basic");
  const fs::path file = copy / "figures.json";
  run_zoo("'" + zoo + "' --filter mlp_basic --megabytes 0 --json '" + file.string() + "'");
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(text.find("\"model\": \"mlp_basic\"") != std::string::npos);
  CHECK(text.find("\"kind\": \"train\"") != std::string::npos);
}

TEST_CASE("outputs that are strings are compared as strings") {
  using namespace cornu;
  Copy copy("lstm_basic");
  const fs::path model = copy / "words";
  fs::create_directory(model);
  const Input in(InputConfig{.shape = Shape{2}, .dtype = DType::int64});
  Functional(in, layers::StringLookup(
                     {.vocabulary = std::vector<std::string>{"tree", "brook"}, .invert = true})(in))
      .save((model / "model.keras").string());
  const auto record = [&](const std::vector<std::string>& words) {
    io::H5Writer file(model / "io.h5");
    const std::vector<int64_t> numbers = {1, 2, 2, 0};
    file.set_attribute("", "batch_size", int64_t{8});
    file.write("inputs/0", DType::int64, {2, 2}, numbers.data());
    file.write_strings("outputs/0", words, {2, 2});
    for (const char* group : {"inputs", "outputs"}) file.set_attribute(group, "structure", "0");
    file.finish();
  };
  record({"tree", "brook", "brook", "[UNK]"});
  CHECK(run_zoo("'" + model.string() + "'").status == 0);
  record({"tree", "brook", "tree", "[UNK]"});
  const Outcome outcome = run_zoo("'" + model.string() + "'");
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "element 2 is 'brook', expected 'tree'"));
}

}  // namespace zoo_test
