// Folders, shards, legacy files: every form holds the same model, and a wrong one is told apart.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/saving/keras_file.h>

#include "../../support/error_of.h"
#include "../../support/temporary.h"
#include "models.h"

namespace forms_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::test::files;
using saving::FileKind;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};
const FitOptions one_epoch{.batch_size = 7, .verbose = Verbose::silent, .shuffle = false};

std::vector<std::vector<double>> values(const Nest& nest) {
  std::vector<std::vector<double>> result;
  for (const Tensor& t : nest.flatten()) result.push_back(t.to_vector<double>());
  return result;
}

std::vector<std::vector<double>> weights(const Model& model) {
  std::vector<std::vector<double>> result;
  for (const Tensor& t : model.get_weights()) result.push_back(t.to_vector<double>());
  return result;
}

void has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != text.npos);
}

/// Saves, loads, predicts and trains on with the same numbers.
void check_form(Model& model, const Nest& x, const Nest& y, const std::string& path,
                const saving::SaveOptions& options) {
  model.fit(x, y, one_epoch);
  saving::save_model(model, path, options);
  const auto copy = load_model(path);
  CHECK(weights(*copy) == weights(model));
  CHECK(values(copy->predict(x, quiet)) == values(model.predict(x, quiet)));
  CHECK(copy->fit(x, y, one_epoch)["loss"] == model.fit(x, y, one_epoch)["loss"]);
  CHECK(weights(*copy) == weights(model));
}

}  // namespace

TEST_CASE("A folder holds what an archive holds, and is replaced as a whole") {
  const TemporaryFolder folder;
  const auto model = make_cnn();
  const std::string path = folder / "model";
  check_form(*model, wave({20, 8, 8, 1}), labels(20, 10), path, {.zipped = false});
  CHECK(std::filesystem::exists(path + "/model.weights.h5"));
  CHECK(saving::kind_of(path) == FileKind::folder);
  saving::save_model(*model, path, {.zipped = false});
  CHECK(folder.count() == 1);
  std::filesystem::create_directory(folder / "precious");
  spill(folder / "precious/letter.txt", "dear");
  has(error_of([&] { saving::save_model(*model, folder / "precious", {.zipped = false}); }),
      "not replaced");
  CHECK(slurp(folder / "precious/letter.txt") == "dear");
  model->load_weights(path);

  // A link in it could lead anywhere.
  std::filesystem::rename(path + "/config.json", folder / "elsewhere.json");
  std::filesystem::create_symlink(folder / "elsewhere.json", path + "/config.json");
  has(error_of([&] { load_model(path); }), "refused");
}

TEST_CASE("Legacy files hold the model, the weights and the optimizer") {
  const TemporaryFolder folder;
  const auto cnn = make_cnn();
  check_form(*cnn, wave({20, 8, 8, 1}), labels(20, 10), folder / "cnn.h5", {});
  const auto graph = make_graph();
  check_form(*graph, graph_inputs(20), graph_targets(20), folder / "graph.hdf5", {});
  Net net(NetConfig{.width = 6});
  net.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}), .loss = "mse"});
  check_form(net, wave({20, 4}), wave({20, 1}, 2), folder / "net.h5", {});

  const io::H5Reader file{std::filesystem::path(folder / "cnn.h5")};
  CHECK(file.has_attribute("", "model_config"));
  CHECK(file.string_attribute("", "model_config").find("\"class_name\": \"Conv2D\"") !=
        std::string::npos);
  CHECK(file.is_group("optimizer_weights"));
  saving::save_model(*cnn, folder / "bare.h5", {.include_optimizer = false});
  CHECK_FALSE(load_model(folder / "bare.h5")->compiled());
  CHECK_FALSE(load_model(folder / "bare.h5", {.compile = false, .safe_mode = true})->compiled());
  CHECK_FALSE(load_model(folder / "cnn.h5", false)->compiled());
}

TEST_CASE("Weights of legacy files go to other models in order or by name") {
  const TemporaryFolder folder;
  const std::string path = folder / "m.h5";
  Sequential model({Input({4}), layers::Dense({.units = 3, .name = "a"}),
                    layers::Dense({.units = 2, .name = "b"})});
  model.save(path);
  Sequential twin({Input({4}), layers::Dense({.units = 3, .name = "x"}),
                   layers::Dense({.units = 2, .name = "y"})});
  twin.load_weights(path);
  CHECK(weights(twin) == weights(model));

  Sequential other({Input({3}), layers::Dense({.units = 2, .name = "b"}),
                    layers::Dense({.units = 5, .name = "c"})});
  const auto before = weights(other);
  has(error_of([&] { other.load_weights(path); }), "layer 'b'");
  CHECK(weights(other) == before);
  saving::load_weights(other, path, {.by_name = true});
  CHECK(weights(other)[0] == weights(model)[2]);
  CHECK(weights(other)[2] == before[2]);
  has(error_of([&] {
        model.save_weights(folder / "m.weights.h5");
        saving::load_weights(other, folder / "m.weights.h5", {.by_name = true});
      }),
      "by_name");
}

TEST_CASE("skip_mismatch keeps what does not fit") {
  const TemporaryFolder folder;
  Sequential model({Input({4}), layers::Dense({.units = 3}), layers::Dense({.units = 2})});
  Sequential other({Input({4}), layers::Dense({.units = 3}), layers::Dense({.units = 7})});
  for (const char* name : {"m.weights.h5", "m.h5"}) {
    if (std::string(name) == "m.h5")
      model.save(folder / name);
    else
      model.save_weights(folder / name);
    const auto before = weights(other);
    saving::load_weights(other, folder / name, {.skip_mismatch = true});
    CHECK(weights(other)[0] == weights(model)[0]);
    CHECK(weights(other)[2] == before[2]);
  }
}

TEST_CASE("A model's own functions take the options, and a file is kept where asked") {
  const TemporaryFolder folder;
  Sequential model({Input({3}), layers::Dense({.units = 2})});
  const std::string whole = folder / "m.keras", weights_alone = folder / "m.weights.h5";
  model.save(whole, {.overwrite = false});
  model.save_weights(weights_alone, {.overwrite = false});
  const std::string before = slurp(whole);
  const auto refused = [](const std::string& error) {
    return error.find("is there already") != std::string::npos;
  };
  CHECK(refused(error_of([&] { model.save(whole, {.overwrite = false}); })));
  CHECK(refused(error_of([&] { model.save_weights(weights_alone, {.overwrite = false}); })));
  CHECK(slurp(whole) == before);
  model.save(folder / "unpacked", {.zipped = false});
  CHECK(std::filesystem::is_directory(folder / "unpacked"));
  Sequential other({Input({4}), layers::Dense({.units = 2})});
  const auto own = weights(other);
  CHECK_THROWS_AS(other.load_weights(weights_alone), Error);
  other.load_weights(weights_alone, {.skip_mismatch = true});
  CHECK(weights(other) == own);
}

TEST_CASE("Shards of a limited size hold the weights together") {
  const TemporaryFolder folder;
  const auto model = make_cnn();
  model->fit(wave({20, 8, 8, 1}), labels(20, 10), one_epoch);
  const std::string path = folder / "m.weights.json";
  const auto shards = [&](double limit) {
    saving::save_weights(*model, path, {.max_shard_size = limit});
    return folder.count() - 1;
  };
  CHECK(shards(1) == 1);
  const size_t many = shards(4e-6);
  CHECK(many > 1);
  CHECK(saving::kind_of(path) == FileKind::shard_map);
  const auto other = make_cnn();
  other->load_weights(path);
  CHECK(weights(*other) == weights(*model));
  has(error_of([&] { shards(1e-9); }), "max_shard_size");

  const std::string map = slurp(path);
  const auto refuse = [&](const std::string& name, const std::string& why) {
    std::string changed = map;
    const std::string first = "m_00000.weights.h5";
    for (size_t at; (at = changed.find(first)) != changed.npos;)
      changed.replace(at, first.size(), name);
    spill(path, changed);
    has(error_of([&] { other->load_weights(path); }), why);
    CHECK(weights(*other) == weights(*model));
  };
  refuse("../m.weights.h5", "no plain name");
  refuse("/etc/passwd", "no plain name");
  refuse("gone.weights.h5", "not beside it");
  spill(path, R"({"weight_map": {"/layers/dense/vars": 7}})");
  has(error_of([&] { other->load_weights(path); }), "not given by name");
}

TEST_CASE("A file of another form is told apart") {
  const TemporaryFolder folder;
  const auto model = make_cnn();
  const std::string archive = folder / "m.keras", legacy = folder / "m.h5";
  model->save(archive);
  model->save(legacy);
  model->save_weights(folder / "m.weights.h5");
  spill(folder / "m.json", model->to_json());
  CHECK(saving::kind_of(archive) == FileKind::archive);
  CHECK(saving::kind_of(legacy) == FileKind::legacy_model);
  CHECK(saving::kind_of(folder / "m.weights.h5") == FileKind::weights);
  CHECK(saving::kind_of(folder / "m.json") == FileKind::model_json);

  std::filesystem::copy_file(legacy, folder / "wrong.keras");
  std::filesystem::copy_file(archive, folder / "wrong.h5");
  has(error_of([&] { load_model(folder / "wrong.keras"); }), "legacy HDF5 file");
  has(error_of([&] { load_model(folder / "wrong.h5"); }), "Keras archive");
  has(error_of([&] { load_model(folder / "m.weights.h5"); }), "load_weights");
  has(error_of([&] { load_model(folder / "m.json"); }), "model_from_json");
  has(error_of([&] { model->load_weights(folder / "m.json"); }), "architecture");
  has(error_of([&] { load_model(folder / "none.keras"); }), "no such file");
  has(error_of([&] { model->save(folder / "m.weights.h5"); }), "save_weights");
  has(error_of([&] { model->save(folder / "m.txt"); }), ".keras");
}

}  // namespace forms_test
