// .keras files: round trips of every kind of model, and errors that name the file, the layer and
// the key.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/archive.h>

#include "../../support/temporary.h"
#include "models.h"

namespace keras_file_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::test::files;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};
const FitOptions one_epoch{.batch_size = 7, .verbose = Verbose::silent, .shuffle = false};

/// Every bit of two nests is the same.
bool same(const Nest& a, const Nest& b) {
  if (!a.same_structure(b)) return false;
  const auto x = a.flatten(), y = b.flatten();
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].shape() != y[i].shape() || x[i].to_vector<double>() != y[i].to_vector<double>())
      return false;
  return true;
}

std::vector<Tensor> optimizer_state(const Model& model) {
  std::vector<Tensor> state;
  for (const Variable& v : model.optimizer()->variables()) state.push_back(v.value());
  return state;
}

/// Trains, saves and loads; the copy predicts and trains on with the same bits.
void check_round_trip(Model& model, const Nest& x, const Nest& y) {
  const TemporaryFolder folder;
  const std::string file = folder / "model.keras";
  model.fit(x, y, one_epoch);
  model.fit(x, y, one_epoch);
  model.save(file);
  const auto copy = load_model(file);
  CHECK(copy->name() == model.name());
  CHECK(copy->to_json() == model.to_json());
  CHECK(same(copy->get_weights(), model.get_weights()));
  CHECK(same(optimizer_state(*copy), optimizer_state(model)));
  CHECK(same(copy->predict(x, quiet), model.predict(x, quiet)));

  const EvaluateOptions silent{.verbose = Verbose::silent};
  CHECK(copy->evaluate(x, y, silent) == model.evaluate(x, y, silent));
  CHECK(copy->fit(x, y, one_epoch).history == model.fit(x, y, one_epoch).history);
  CHECK(same(copy->get_weights(), model.get_weights()));
  CHECK(same(optimizer_state(*copy), optimizer_state(model)));

  const auto bare = load_model(file, false);
  CHECK_FALSE(bare->compiled());
  CHECK(bare->predict(x, quiet).size() > 0);
  CHECK(folder.count() == 1);
}

/// Copies an archive with `from` in config.json replaced by `to`, and without the member `dropped`.
void alter(const std::string& source, const std::string& target, const std::string& from,
           const std::string& to, const std::string& dropped = "") {
  io::ArchiveReader reader{std::filesystem::path(source)};
  io::ArchiveWriter writer{std::filesystem::path(target)};
  for (const io::ArchiveMember& member : reader.members()) {
    if (member.name == dropped) continue;
    std::string text = reader.map(member.name).text();
    if (member.name == "config.json" && !from.empty()) {
      const size_t at = text.find(from);
      REQUIRE(at != text.npos);
      text.replace(at, from.size(), to);
    }
    writer.add_text(member.name, text);
  }
  writer.finish();
}

std::string error_of(const std::string& file, bool compile = true) {
  try {
    load_model(file, compile);
  } catch (const FileError& e) {
    return e.what();
  }
  return "no FileError";
}

}  // namespace

TEST_CASE("A Sequential comes back with its optimizer") {
  const auto model = make_cnn();
  check_round_trip(*model, wave({20, 8, 8, 1}), labels(20, 10));
}

TEST_CASE("A Sequential without an Input comes back built") {
  Sequential model(
      {layers::Dense({.units = 3, .activation = "relu"}), layers::Dense({.units = 1})});
  model.ensure_built(Tensor::abstract({Shape::unknown, 4}, DType::float32));
  model.compile({.optimizer = optimizers::SGD({.momentum = 0.9, .nesterov = true}), .loss = "mae"});
  check_round_trip(model, wave({20, 4}), wave({20, 1}, 2));
}

TEST_CASE("A Functional with shared and nested layers, ops and dictionaries comes back") {
  const auto model = make_graph();
  check_round_trip(*model, graph_inputs(20), graph_targets(20));
}

TEST_CASE("A subclassed model with a list of subclassed layers comes back") {
  Net model(NetConfig{.width = 6, .blocks = 3});
  model.compile({.optimizer = "adamw", .loss = "mse", .metrics = {"mae"}});
  check_round_trip(model, wave({20, 4}), wave({20, 1}, 2));
  const TemporaryFolder folder;
  model.save(folder / "net.keras");
  const auto copy = std::dynamic_pointer_cast<Net>(load_model(folder / "net.keras"));
  REQUIRE(copy);
  CHECK(copy->config.blocks == 3);
}

TEST_CASE("Subclassed layers and models stand inside other models") {
  Sequential model({Input({4}), Residual({.units = 4, .activation = "tanh"}),
                    make<Net>(NetConfig{.width = 5}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  check_round_trip(model, wave({20, 4}), wave({20, 1}, 2));
}

TEST_CASE("Frozen layers stay frozen, and have no state in the optimizer") {
  const auto model = make_cnn();
  model->layers()[0]->set_trainable(false);
  model->compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  check_round_trip(*model, wave({20, 8, 8, 1}), labels(20, 10));
  const TemporaryFolder folder;
  model->save(folder / "m.keras");
  const auto copy = load_model(folder / "m.keras");
  CHECK(copy->trainable_variables().size() == model->trainable_variables().size());
}

TEST_CASE("Models that were never compiled or never trained are saved too") {
  const TemporaryFolder folder;
  Sequential plain({Input({4}), layers::Dense({.units = 1})});
  plain.save(folder / "plain.keras");
  CHECK_FALSE(load_model(folder / "plain.keras")->compiled());
  plain.compile({.optimizer = "adam", .loss = "mse"});
  plain.save(folder / "untrained.keras");
  const auto copy = load_model(folder / "untrained.keras");
  const Tensor x = wave({9, 4}), y = wave({9, 1});
  CHECK(copy->fit(x, y, one_epoch)["loss"] == plain.fit(x, y, one_epoch)["loss"]);
}

TEST_CASE("to_json and model_from_json keep the architecture") {
  const auto model = make_graph();
  const auto copy = model_from_json(model->to_json());
  CHECK(copy->to_json() == model->to_json());
  CHECK(copy->count_params() == model->count_params());
  CHECK_THROWS_AS(model_from_json("{}"), Error);
  CHECK_THROWS_AS(model_from_json("[1, 2]"), Error);
  CHECK_THROWS_AS(model_from_json("nonsense"), FileError);
}

TEST_CASE("A save that fails leaves the old file as it was") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras";
  Sequential model({Input({4}), layers::Dense({.units = 1})});
  model.save(file);
  const std::string before = slurp(file);

  model.compile({.loss = [](const Tensor& y, const Tensor& p) { return ops::mean(y - p); }});
  CHECK_THROWS_WITH(model.save(file), contains("A function without a name cannot be saved"));
  Sequential unbuilt({layers::Dense({.units = 1})});
  CHECK_THROWS_AS(unbuilt.save(file), StateError);
  CHECK(slurp(file) == before);
  CHECK(folder.count() == 1);
  CHECK_THROWS_AS(model.save(folder / "m.txt"), ValueError);
  Sequential fine({Input({4}), layers::Dense({.units = 1})});
  CHECK_THROWS_WITH(fine.save(folder / "missing/m.keras"), contains("missing/m.keras"));
}

namespace {
class Unregistered : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override { return x; }
};
}  // namespace

TEST_CASE("A class that is not registered is refused with what to do, before anything is written") {
  const TemporaryFolder folder;
  Sequential model({Input({4}), make<Unregistered>(), layers::Dense({.units = 1})});
  CHECK_THROWS_WITH(model.save(folder / "m.keras"),
                    contains("m.keras': Layer 'unregistered' (Unregistered): The class ") &&
                        contains("CORNU_REGISTER"));
  CHECK(folder.count() == 0);
  Sequential lambda(
      {Input({4}), layers::Lambda({.function = [](const Tensor& x) { return x; }, .name = "own"})});
  CHECK_THROWS_WITH(lambda.save(folder / "l.keras"),
                    contains("l.keras': Layer 'own' (Lambda): this Lambda's function has no name"));
  CHECK(folder.count() == 0);
}

TEST_CASE("A layer that two models list comes back as one") {
  const TemporaryFolder folder;
  const Input x({3});
  const layers::Dense shared({.units = 3, .name = "shared"});
  const auto inner = std::make_shared<Sequential>(std::vector<AnyLayer>{Input({3}), shared},
                                                  Sequential::Options{"inner"});
  Functional model(x, shared((*inner)(x)), {.name = "outer"});
  model.save(folder / "m.keras");
  const auto copy = load_model(folder / "m.keras");
  CHECK(copy->weights().size() == 2);
  CHECK(same(copy->predict(wave({5, 3}), quiet), model.predict(wave({5, 3}), quiet)));
}

TEST_CASE("Files that are no Keras files are refused by name") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras", other = folder / "other.keras";
  CHECK(error_of(file).find(file) != std::string::npos);
  spill(file, "not a zip archive");
  CHECK(error_of(file).find("is not a zip archive") != std::string::npos);
  spill(file, "");
  CHECK(error_of(file).find("is empty") != std::string::npos);
  CHECK(error_of(folder.path()).find("a folder without a model's config.json") !=
        std::string::npos);
  CHECK(error_of(folder / "model.h5").find("no such file") != std::string::npos);

  make_cnn()->save(file);
  const std::string whole = slurp(file);
  for (size_t part : {whole.size() / 4, whole.size() / 2, whole.size() - 5}) {
    spill(other, whole.substr(0, part));
    INFO(error_of(other));
    CHECK(error_of(other).find("other.keras' is a truncated or damaged zip") != std::string::npos);
  }
  for (const char* member : {"config.json", "model.weights.h5"}) {
    alter(file, other, "", "", member);
    CHECK(error_of(other) ==
          other + ": the archive has no '" + member + "', so it is no Keras model.");
  }
  alter(file, other, "", "", "metadata.json");
  CHECK_NOTHROW(load_model(other));
}

TEST_CASE("Configs that cannot be read name the file, the layer and the key") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras", other = folder / "other.keras";
  Sequential model({Input({4}), layers::Dense({.units = 3, .name = "first"}),
                    Residual({.units = 3}), layers::Dense({.units = 1, .name = "last"})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.save(file);
  const auto check = [&](const char* from, const char* to, std::vector<std::string> parts) {
    alter(file, other, from, to);
    const std::string text = error_of(other);
    INFO(text);
    CHECK(text.starts_with(other));
    for (const std::string& part : parts) CHECK(text.find(part) != std::string::npos);
  };
  check("\"class_name\": \"Dense\"", "\"class_name\": \"Dens\"",
        {"layer 'first'", "no class 'Dens' in 'keras.layers'", "Did you mean 'Dense'?"});
  check("tests>Residual", "other>Residual",
        {"layer 'residual", "'other>Residual' is not registered",
         "CORNU_REGISTER(\"other>Residual\", Class)"});
  check("\"use_bias\"", "\"use_bia\"",
        {"layer 'first'", "unknown option 'use_bia'. Did you mean 'use_bias'?"});
  check("\"units\": 3", "\"unitz\": 3", {"layer 'first'", "option 'units' is missing"});
  check("\"units\": 3", "\"units\": \"three\"", {"layer 'first'", "option 'units'"});
  check("\"units\": 3", "\"units\": -3", {"layer 'first'", "positive", "-3"});
  check("\"activation\": \"linear\"", "\"activation\": \"liner\"",
        {"layer 'first'", "'liner' is not known", "Did you mean 'linear'?"});
  check("\"name\": \"last\"", "\"name\": \"first\"", {"two layers", "'first'"});
  check("\"class_name\": \"Sequential\"", "\"class_name\": \"Sequentia\"",
        {"'Sequentia'", "'Sequential'"});
  check("{\"module\"", "{\"module", {"config.json: not valid JSON"});
  check("\"class_name\": \"Adam\"", "\"class_name\": \"Adamm\"",
        {"compile_config", "Did you mean 'Adam'?", "load_model(path, false)"});
  CHECK_NOTHROW(load_model(other, false));
}

TEST_CASE("Graphs that cannot be are refused") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras", other = folder / "other.keras";
  make_graph()->save(file);
  const auto check = [&](const char* from, const char* to, const char* part) {
    alter(file, other, from, to);
    INFO(error_of(other));
    CHECK(error_of(other).find(part) != std::string::npos);
  };
  check("\"keras_history\": [\"shared\", 0, 0]", "\"keras_history\": [\"shard\", 0, 0]",
        "'shard', which is not there. Did you mean 'shared'?");
  check("\"keras_history\": [\"shared\", 0, 0]", "\"keras_history\": [\"shared\", 7, 0]",
        "call 7 of layer 'shared', which has 2");
  check("\"keras_history\": [\"shared\", 0, 0]", "\"keras_history\": [\"shared\", 0, -1]",
        "output -1 of layer 'shared'");
  check("\"keras_history\": [\"left\", 0, 0]", "\"keras_history\": [\"score\", 0, 0]",
        "wait for each other");
  check("\"class_name\": \"TrueDivide\"", "\"class_name\": \"TrueDivid\"",
        "Did you mean 'TrueDivide'?");
}

TEST_CASE("A file whose weights do not fit the config is refused, and names all that differ") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras", other = folder / "other.keras";
  Sequential model({Input({4}), layers::Dense({.units = 3, .name = "first"}),
                    layers::Dense({.units = 2, .name = "last"})});
  model.save(file);
  alter(file, other, "\"units\": 3", "\"units\": 5");
  const std::string text = error_of(other);
  INFO(text);
  for (const char* part :
       {"2 of the model's layers", "layer 'first': variable 'kernel' has shape (4, 5)",
        "'/layers/dense/vars/0' has (4, 3)", "layer 'last'", "(3, 2)"})
    CHECK(text.find(part) != std::string::npos);
  alter(file, other, "\"use_bias\": true", "\"use_bias\": false");
  CHECK(error_of(other).find("expected 1 variables in '/layers/dense/vars', found 2") !=
        std::string::npos);
}

TEST_CASE("a file whose compile_config is empty holds a model that is not compiled") {
  const TemporaryFolder folder;
  const std::string file = folder / "m.keras", other = folder / "other.keras";
  Sequential({Input({4}), layers::Dense({.units = 2})}).save(file);
  alter(file, other, "{\"module\": \"keras\"", "{\"compile_config\": {}, \"module\": \"keras\"");
  const auto model = load_model(other);
  CHECK_FALSE(model->compiled());
  CHECK_THROWS_WITH(model->fit(wave({2, 4}), wave({2, 2}), one_epoch), contains("compile"));
  const std::string json = model->to_json();
  CHECK_FALSE(model_from_json("{\"compile_config\": {}, " + json.substr(1))->compiled());
}

}  // namespace keras_file_test
