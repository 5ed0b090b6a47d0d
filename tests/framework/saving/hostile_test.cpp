// Files made to do harm, in tests/data/hostile: each is refused with its name and the cause, or
// loads right.
#include <catch.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/io/archive.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/model/model.h>
#include <paths.h>

#include <chrono>
#include <cstdlib>
#include <set>

#include "../../support/temporary.h"
#include "support/memory_peak.h"

namespace hostile_test {

using namespace cornu;
using namespace cornu::test;

namespace {

namespace fs = std::filesystem;

const fs::path folder = source_path("tests/data/hostile");

std::string text_of(const Value::Dict& dict, const char* key) {
  const Value* v = detail::find(dict, key);
  REQUIRE(v);
  return v->get<std::string>();
}

Tensor array(const io::H5Reader& file, const std::string& path) {
  const io::H5Info info = file.info(path);
  return Tensor::written(info.shape, info.dtype,
                         [&](void* to) { file.read(path, to, info.dtype, info.shape); });
}

std::vector<std::vector<double>> values(const Model& model) {
  std::vector<std::vector<double>> result;
  for (const Tensor& t : model.get_weights()) result.push_back(t.to_vector<double>());
  return result;
}

/// What a load says; "" when it succeeds.
std::string error_of(const std::string& path, bool compile = true) {
  try {
    load_model(path, compile);
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

std::set<fs::path> files_in(const fs::path& where) {
  std::set<fs::path> result;
  for (const auto& entry : fs::directory_iterator(where)) result.insert(entry.path());
  return result;
}

}  // namespace

TEST_CASE("Hostile files are refused by name and cause, and odd ones load") {
  const MemoryPeak memory;
  const io::H5Reader io(folder / "base.io.h5");
  const Tensor x = array(io, "x");
  const std::vector<double> y = array(io, "y").to_vector<double>();
  const Value cases = cornu::parse_json(slurp(folder / "cases.json"), "cases.json");
  const std::set<fs::path> before = files_in(folder);
  for (const Value& value : cases.get<Value::List>()) {
    const auto& c = value.get<Value::Dict>();
    const std::string name = text_of(c, "file"), path = (folder / name).string();
    INFO(name);
    const auto start = std::chrono::steady_clock::now();
    if (text_of(c, "expect") == "loads") {
      const auto model = load_model(path);
      const std::vector<double> found =
          model->predict(x, {.batch_size = 8, .verbose = Verbose::silent})
              .tensor()
              .to_vector<double>();
      REQUIRE(found.size() == y.size());
      for (size_t i = 0; i < y.size(); ++i) CHECK(found[i] == Approx(y[i]).margin(1e-5));
      continue;
    }
    std::string error;
    if (text_of(c, "action") == "load_weights") {
      const auto model = load_model((folder / "base.keras").string());
      const auto weights = values(*model);
      try {
        model->load_weights(path);
      } catch (const FileError& e) {
        error = e.what();
      }
      CHECK(values(*model) == weights);
    } else {
      error = error_of(path);
    }
    INFO(error);
    CHECK(error.find(name) != error.npos);
    const Value* words = detail::find(c, "words");
    for (const Value& word : words->get<Value::List>()) {
      INFO(word.get<std::string>());
      CHECK(error.find(word.get<std::string>()) != error.npos);
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  }
  CHECK(error_of((folder / "compile_garbage.keras").string(), false).empty());
  CHECK(files_in(folder) == before);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("Texts that grow or nest without end are refused") {
  const MemoryPeak memory;
  const TemporaryFolder scratch;
  const auto with_config = [&](const std::string& name, std::string config) {
    const std::string path = scratch / name;
    io::ArchiveWriter writer{fs::path(path)};
    writer.add("config.json", io::Bytes::of(std::move(config)), io::Compression::deflate);
    writer.add_text("model.weights.h5", "");
    writer.finish();
    return error_of(path);
  };
  CHECK(with_config("deep.keras", std::string(100'000, '[')).find("1000 levels") !=
        std::string::npos);
  CHECK(with_config("bomb.keras", std::string(size_t{80} << 20, ' ')).find("config.json") !=
        std::string::npos);
  std::string many = "[0";
  for (int i = 0; i < 5'000'000; ++i) many += ",0";
  CHECK(with_config("many.keras", many + "]").find("values") != std::string::npos);
  CHECK(with_config("twice.keras", R"({"a": 1, "a": 2})").find("appears twice") !=
        std::string::npos);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("A config may not ask for more weights than its file can hold") {
  const MemoryPeak memory;
  const TemporaryFolder scratch;
  io::ArchiveReader reader(folder / "base.keras");
  for (const char* units : {"100000000", "9223372036854775807", "4611686018427387904"}) {
    std::string config = reader.map("config.json").text();
    const size_t at = config.find("\"units\": 4");
    REQUIRE(at != config.npos);
    config.replace(at, 10, std::string("\"units\": ") + units);
    const std::string path = scratch / "m.keras";
    io::ArchiveWriter writer{fs::path(path)};
    writer.add_text("config.json", config);
    writer.add("model.weights.h5", reader.map("model.weights.h5"));
    writer.finish();
    const std::string error = error_of(path);
    INFO(error);
    CHECK(error.find("m.keras") != error.npos);
    CHECK(error.find("first") != error.npos);
  }
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("The whole collection of hostile files, where CORNU_HOSTILE names its folder") {
  const MemoryPeak memory;
  const char* whole = std::getenv("CORNU_HOSTILE");
  if (!whole) return;
  const fs::path collection = whole;
  const io::H5Reader io(collection / "base.io.h5");
  const Tensor x = array(io, "x");
  const std::vector<double> y = array(io, "y").to_vector<double>();
  const std::set<fs::path> before = files_in(collection);
  int checked = 0;
  for (const fs::path& description : before) {
    const std::string name = description.stem().string();
    if (description.extension() != ".json" || name.ends_with(".weights")) continue;
    const Value parsed = cornu::parse_json(slurp(description), description.string());
    const auto& c = parsed.get<Value::Dict>();
    const std::string path = (collection / name).string(), expect = text_of(c, "expect");
    INFO(name << ": " << text_of(c, "cause"));
    const auto start = std::chrono::steady_clock::now();
    std::string error;
    std::shared_ptr<Model> model;
    try {
      if (text_of(c, "action") == "load_weights") {
        model = load_model((collection / "base.keras").string());
        model->load_weights(path);
      } else {
        model = load_model(path);
      }
    } catch (const FileError& e) {
      error = e.what();
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    INFO(error);
    if (!error.empty()) CHECK(error.find(name) != error.npos);
    if (expect == "error") CHECK_FALSE(error.empty());
    if (expect == "loads") {
      REQUIRE(error.empty());
      const std::vector<double> found =
          model->predict(x, {.verbose = Verbose::silent}).tensor().to_vector<double>();
      REQUIRE(found.size() == y.size());
      for (size_t i = 0; i < y.size(); ++i) CHECK(found[i] == Approx(y[i]).margin(1e-5));
    }
    ++checked;
  }
  CHECK(checked > 40);
  CHECK(files_in(collection) == before);
  CHECK(memory.megabytes() < 1000);
}

TEST_CASE("a graph that gives an op no tensor is refused") {
  const std::string text =
      R"({"module": "keras", "class_name": "Functional", "config": {"name": "m", "trainable": true,
      "layers": [
        {"module": "keras.layers", "class_name": "InputLayer", "registered_name": null, "name": "x",
         "config": {"batch_shape": [null, 6, 2], "dtype": "float32", "name": "x"}, "inbound_nodes": []},
        {"module": "keras.src.ops.numpy", "class_name": "Transpose", "registered_name": "Transpose",
         "config": {"name": "t", "axes": [0, 2, 1]}, "name": "t", "inbound_nodes": [NODE]}],
      "input_layers": [["x", 0, 0]], "output_layers": [["t", 0, 0]]}, "registered_name": "Functional"})";
  for (const char* node :
       {"null", R"({"args": [null], "kwargs": {}})", R"({"args": [[null]], "kwargs": {}})"}) {
    std::string broken = text;
    broken.replace(broken.find("NODE"), 4, node);
    CHECK_THROWS_AS(model_from_json(broken), Error);
  }
}

}  // namespace hostile_test
