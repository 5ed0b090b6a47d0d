// Keras's guide to customizing what is saved, in C++.
#include <filesystem>

#include "goldens.h"
#include "support/all_close.h"
#include "support/temporary.h"

namespace customizing_saving_test {

using namespace cornu;
using test::all_close;
using test::check_close;
using test::TemporaryFolder;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("customizing_saving");
  return result;
}

const PredictOptions silent = {.verbose = Verbose::silent};
const FitOptions two_epochs = {.epochs = 2, .verbose = Verbose::silent, .shuffle = false};

// A Dense with a variable beside its weights, which files keep with them.
class LayerWithCustomVariables : public layers::DenseLayer {
 public:
  explicit LayerWithCustomVariables(layers::DenseConfig config) : DenseLayer(std::move(config)) {
    stored_variables = add_weight({.name = "special_arr",
                                   .shape = {10},
                                   .initializer = initializers::RandomUniform({.seed = 5}),
                                   .trainable = false});
  }
  static std::shared_ptr<LayerWithCustomVariables> from_config(const Value::Dict& config) {
    return std::make_shared<LayerWithCustomVariables>(DenseLayer::from_config(config)->config);
  }
  Tensor call(const Tensor& inputs, const Call& call) override {
    return DenseLayer::call(inputs, call) * stored_variables;
  }

  Variable stored_variables;
};
CORNU_REGISTER("my_custom_package>LayerWithCustomVariables", LayerWithCustomVariables);

}  // namespace

TEST_CASE("A layer derived from Dense keeps a variable of its own") {
  const TemporaryFolder folder;
  utils::set_random_seed(1);
  auto layer = make<LayerWithCustomVariables>(layers::DenseConfig{.units = 1});
  Sequential model({layer});
  const Tensor ref_input = random::uniform({8, 10}, 0, 1, 1),
               ref_output = random::uniform({8, 1}, 0, 1, 2);
  model.compile({.optimizer = "adam", .loss = "mean_squared_error"});
  check_close(model.fit(ref_input, ref_output, two_epochs)["loss"],
              goldens().numbers("variables", "loss"));
  check_close(layer->stored_variables, goldens().numbers("variables", "special_arr"));

  layer->stored_variables.assign(random::uniform({10}, 0, 1, 9));
  model.save(folder / "custom_vars_model.keras");
  auto restored_model = load_model(folder / "custom_vars_model.keras");
  auto restored = std::dynamic_pointer_cast<LayerWithCustomVariables>(restored_model->get_layer(0));
  REQUIRE(restored);
  CHECK(all_close(layer->stored_variables, restored->stored_variables, 0, 0));
  CHECK(all_close(model.predict(ref_input, silent), restored_model->predict(ref_input, silent), 0,
                  0));
}

namespace {

struct VocabularyConfig {
  Required<int64_t> units;
  std::string vocab = "";
  std::string name = "";
};

// A sentence that stands in a file of its own, and not in the config.
class LayerWithCustomAssets : public LayerOf<LayerWithCustomAssets, VocabularyConfig> {
 public:
  explicit LayerWithCustomAssets(VocabularyConfig c) : LayerOf(std::move(c)), vocab(config.vocab) {
    config.vocab = "";
  }
  Tensor call(const Tensor& x, const Call&) override { return dense(x); }
  void save_assets(AssetStore& store) const override { store.write("vocabulary.txt", vocab); }
  void load_assets(const AssetStore& store) override {
    vocab = store.read("vocabulary.txt").value();
    vocab.replace(vocab.find("<unk>"), 5, "little");
  }

  std::string vocab;

 private:
  layers::Dense dense = track("dense", layers::Dense({.units = config.units}));
};
CORNU_REGISTER("my_custom_package>LayerWithCustomAssets", LayerWithCustomAssets);

}  // namespace

TEST_CASE("A layer keeps a file of its own in the archive") {
  const TemporaryFolder folder;
  auto layer = make<LayerWithCustomAssets>({.units = 5, .vocab = "Mary had a <unk> lamb."});
  Sequential model({layer});
  const Tensor x = random::uniform({10, 10});
  const Tensor y = model(x);

  model.save(folder / "custom_assets_model.keras");
  auto restored_model = load_model(folder / "custom_assets_model.keras");
  auto restored = std::dynamic_pointer_cast<LayerWithCustomAssets>(restored_model->get_layer(0));
  REQUIRE(restored);
  CHECK(restored->vocab == "Mary had a little lamb.");
  CHECK(all_close(restored_model(x), y, 0, 0));

  // As a folder the archive's files can be read by anybody.
  saving::save_model(model, folder / "as_folder", {.zipped = false});
  bool found = false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "as_folder"))
    if (entry.path().filename() == "vocabulary.txt") {
      found = true;
      CHECK(test::slurp(entry.path()) == "Mary had a <unk> lamb.");
    }
  CHECK(found);
}

namespace {

struct CustomBuildConfig {
  int64_t units = 32;
  std::string name = "";
};

// How its weights begin is told when it is built, and not when it is made.
class LayerWithCustomBuild : public LayerOf<LayerWithCustomBuild, CustomBuildConfig> {
 public:
  using LayerOf::build;
  using LayerOf::LayerOf;
  Tensor call(const Tensor& inputs, const Call&) override { return ops::matmul(inputs, w) + b; }

  void build(const Shape& input_shape, const std::string& layer_init) {
    w = add_weight(
        {.name = "w", .shape = {input_shape.back(), config.units}, .initializer = layer_init});
    b = add_weight({.name = "b", .shape = {config.units}, .initializer = layer_init});
    this->input_shape = input_shape;
    this->layer_init = layer_init;
  }
  Value::Dict get_build_config() const override {
    return {{"input_shape", input_shape}, {"layer_init", layer_init}};
  }
  void build_from_config(const Value::Dict& kept) override {
    const auto at = [&](const std::string& key) { return *cornu::detail::find(kept, key); };
    build(cornu::detail::from_value<Shape>(at("input_shape")),
          cornu::detail::from_value<std::string>(at("layer_init")));
  }

  std::string layer_init;

 private:
  Shape input_shape;
  Variable w, b;
};
CORNU_REGISTER("my_custom_package>LayerWithCustomBuild", LayerWithCustomBuild);

}  // namespace

TEST_CASE("A layer that is built with an argument is built so again") {
  const TemporaryFolder folder;
  const Tensor x = random::uniform({16, 8});
  const auto check = [&](Model& model) {
    const Tensor y = model(x);
    model.save(folder / "custom_build_model.keras");
    auto restored_model = load_model(folder / "custom_build_model.keras");
    auto restored =
        std::dynamic_pointer_cast<LayerWithCustomBuild>(restored_model->get_layer("custom"));
    REQUIRE(restored);
    CHECK(restored->layer_init == "random_normal");
    CHECK(restored_model->built());
    CHECK(all_close(restored_model(x), y, 0, 0));
  };

  auto custom_layer = make<LayerWithCustomBuild>({.units = 16, .name = "custom"});
  custom_layer->build({8}, "random_normal");
  CHECK(custom_layer->weights().size() == 2);
  Sequential model({custom_layer, layers::Dense({.units = 1, .activation = "sigmoid"})});
  check(model);

  auto another = make<LayerWithCustomBuild>({.units = 16, .name = "custom"});
  another->build({8}, "random_normal");
  Input inputs({8});
  Functional graph(inputs, layers::Dense({.units = 1})(another(inputs)));
  check(graph);
}

namespace {

Tensor small_square_sum_loss(const Tensor& y_true, const Tensor& y_pred) {
  Tensor loss = ops::square(y_pred - y_true);
  loss = loss / 10.0;
  return ops::sum(loss, 1);
}

Tensor mean_pred(const Tensor&, const Tensor& y_pred) { return ops::mean(y_pred); }

class ModelWithCustomCompile : public Model {
 public:
  Tensor call(const Tensor& inputs, const Call&) override { return dense2(dense1(inputs)); }

 private:
  layers::Dense dense1 = track("dense1", layers::Dense({.units = 8, .activation = "relu"}));
  layers::Dense dense2 = track("dense2", layers::Dense({.units = 4, .activation = "softmax"}));
};
CORNU_REGISTER("my_custom_package>ModelWithCustomCompile", ModelWithCustomCompile);

}  // namespace

TEST_CASE("A loss and a metric that are functions come back with the model") {
  const TemporaryFolder folder;
  losses::register_function("my_custom_package>small_square_sum_loss", small_square_sum_loss);
  metrics::register_function("my_custom_package>mean_pred", mean_pred);
  utils::set_random_seed(1);
  ModelWithCustomCompile model;
  model.compile({.optimizer = "SGD",
                 .loss = "my_custom_package>small_square_sum_loss",
                 .metrics = {"accuracy", "my_custom_package>mean_pred"}});
  const Tensor x = random::uniform({4, 8}, 0, 1, 3), y = random::uniform({4, 4}, 0, 1, 4);
  check_close(model.fit(x, y, two_epochs), goldens().history("compiled"));

  model.save(folder / "custom_compile_model.keras");
  auto restored_model = load_model(folder / "custom_compile_model.keras");
  CHECK(restored_model->optimizer()->iterations() == 2);
  check_close(restored_model->fit(x, y, {.verbose = Verbose::silent, .shuffle = false}),
              goldens().history("restored"));
}

namespace {

// A compile of its own signature, which keeps what it was given.
class ModelWithCompileOfItsOwn : public ModelWithCustomCompile {
 public:
  using Model::compile;
  void compile(const Choice<Optimizer>& optimizer, const std::string& loss_fn,
               const std::string& metric) {
    Model::compile({.optimizer = optimizer, .loss = loss_fn, .metrics = {metric}});
    model_optimizer = optimizer.shared();
  }
  std::shared_ptr<Optimizer> model_optimizer;
};
CORNU_REGISTER("my_custom_package>ModelWithCompileOfItsOwn", ModelWithCompileOfItsOwn);

}  // namespace

TEST_CASE("A model with a compile of its own signature is compiled when it comes back") {
  const TemporaryFolder folder;
  losses::register_function("my_custom_package>small_square_sum_loss", small_square_sum_loss);
  metrics::register_function("my_custom_package>mean_pred", mean_pred);
  ModelWithCompileOfItsOwn model;
  model.compile(optimizers::SGD({.learning_rate = 0.25}), "my_custom_package>small_square_sum_loss",
                "my_custom_package>mean_pred");
  CHECK(model.model_optimizer == model.optimizer());
  model.fit(random::uniform({4, 8}), random::uniform({4, 4}), two_epochs);
  model.save(folder / "model.keras");

  auto restored = load_model<ModelWithCompileOfItsOwn>(folder / "model.keras");
  CHECK(restored->compiled());
  CHECK(restored->optimizer()->learning_rate() == 0.25);
  CHECK(restored->compile_options().loss.name() == "my_custom_package>small_square_sum_loss");
}

TEST_CASE("A function without a name is refused when the model is saved") {
  const TemporaryFolder folder;
  ModelWithCustomCompile model;
  model.compile({.optimizer = "SGD", .loss = small_square_sum_loss});
  model.fit(random::uniform({4, 8}), random::uniform({4, 4}), two_epochs);
  CHECK_THROWS_AS(model.save(folder / "custom_compile_model.keras"), StateError);
  CHECK(folder.count() == 0);
}

namespace {

// Notes what is asked of it while it is loaded.
std::vector<std::string>& noted() {
  static std::vector<std::string> result;
  return result;
}

struct WatchedConfig {
  std::string name = "";
};

class WatchedLayer : public LayerOf<WatchedLayer, WatchedConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    scale = add_weight({.name = "scale", .shape = {input.back()}});
  }
  Tensor call(const Tensor& x, const Call&) override { return x * scale; }
  void build_from_config(const Value::Dict& config) override {
    noted().push_back("build_from_config");
    LayerOf::build_from_config(config);
  }
  void save_assets(AssetStore& store) const override { store.write("note.txt", "kept"); }
  void load_assets(const AssetStore& store) override {
    noted().push_back("load_assets: " + store.read("note.txt").value_or("nothing"));
  }

 private:
  Variable scale;
};
CORNU_REGISTER("my_custom_package>Watched", WatchedLayer);

}  // namespace

TEST_CASE("A layer is built before its files are read") {
  const TemporaryFolder folder;
  Sequential model({make<WatchedLayer>(WatchedConfig())});
  (void)model(ops::ones({1, 3}));
  model.save(folder / "model.keras");
  noted().clear();
  load_model(folder / "model.keras");
  CHECK(noted() == std::vector<std::string>{"build_from_config", "load_assets: kept"});
}

TEST_CASE("Weights alone carry a layer's variable and leave its files behind") {
  const TemporaryFolder folder;
  auto layer = make<LayerWithCustomVariables>(layers::DenseConfig{.units = 1});
  Sequential model({Input({10}), layer});
  model.save_weights(folder / "custom.weights.h5");
  const Tensor before = layer->stored_variables.value();
  layer->stored_variables.assign(ops::zeros({10}));
  model.load_weights(folder / "custom.weights.h5");
  CHECK(all_close(layer->stored_variables, before, 0, 0));
}

}  // namespace customizing_saving_test
