// Keras's guide to saving, loading and serializing models, in C++.
#include <cornu/framework/config/json.h>

#include <algorithm>
#include <filesystem>

#include "goldens.h"
#include "support/all_close.h"
#include "support/temporary.h"

namespace serialization_and_saving_test {

using namespace cornu;
using test::all_close;
using test::check_close;
using test::TemporaryFolder;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("serialization_and_saving");
  return result;
}

// What Keras's script recorded as a text or a list of texts.
template <class T>
T recorded(const std::string& name) {
  static const Value file = test::golden_file("guides_serialization_and_saving.json");
  return cornu::detail::from_value<T>(test::entry(file, name));
}

const PredictOptions silent = {.verbose = Verbose::silent};
const FitOptions quiet = {.verbose = Verbose::silent, .shuffle = false};

struct CustomLayerConfig {
  Required<double> factor;
  std::string name = "";
};

class CustomLayerLayer : public LayerOf<CustomLayerLayer, CustomLayerConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return x * *config.factor; }
};
using CustomLayer = Ref<CustomLayerLayer>;
CORNU_REGISTER("MyLayers>CustomLayer", CustomLayerLayer);

Tensor custom_fn(const Tensor& x) { return ops::square(x); }

Handle<Functional> get_model() {
  utils::set_random_seed(1);
  register_activation("my_package>custom_fn", custom_fn);
  Input inputs({4});
  Tensor mid = CustomLayer({.factor = 0.5})(inputs);
  Tensor outputs = layers::Dense({.units = 1, .activation = "my_package>custom_fn"})(mid);
  auto model = make<Functional>(inputs, outputs);
  model->compile({.optimizer = "rmsprop", .loss = "mean_squared_error"});
  return model;
}

const Tensor test_input = random::uniform({16, 4}, 0, 1, 1),
             test_target = random::uniform({16, 1}, 0, 1, 2);

}  // namespace

TEST_CASE("A model from a file predicts the same and trains on") {
  const TemporaryFolder folder;
  for (const std::string name : {"custom_model.keras", "custom_model.h5", "custom_model"}) {
    CAPTURE(name);
    auto model = get_model();
    model->fit(test_input, test_target, quiet);
    if (std::filesystem::path(name).has_extension())
      model->save(folder / name);
    else
      saving::save_model(*model, folder / name, {.zipped = false});

    auto reconstructed_model = load_model(folder / name);
    CHECK(all_close(model->predict(test_input, silent),
                    reconstructed_model->predict(test_input, silent), 0, 0));

    std::vector<double> losses;
    for (int i = 0; i < 2; ++i)
      losses.push_back(reconstructed_model->fit(test_input, test_target, quiet)["loss"][0]);
    check_close(losses, goldens().numbers("resumed", "loss"));
    check_close(reconstructed_model->predict(test_input, silent),
                goldens().numbers("resumed", "predictions"));
  }
}

TEST_CASE("A model is loaded without what compile was given") {
  const TemporaryFolder folder;
  get_model()->save(folder / "model.keras");
  auto model = load_model(folder / "model.keras", {.compile = false});
  CHECK_FALSE(model->compiled());
  CHECK_THROWS_AS(model->fit(test_input, test_target, quiet), StateError);
}

namespace {

class Unregistered : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

}  // namespace

TEST_CASE("A class or function that nobody has registered is not saved") {
  const TemporaryFolder folder;
  Sequential of_class({Input({4}), make<Unregistered>()});
  CHECK_THROWS_WITH(of_class.save(folder / "model.keras"), test::contains("CORNU_REGISTER"));
  Sequential of_function({Input({4}), layers::Dense({.units = 1, .activation = custom_fn})});
  CHECK_THROWS_AS(of_function.save(folder / "model.keras"), StateError);
  CHECK(folder.count() == 0);
}

TEST_CASE("A layer's config makes another like it") {
  layers::Dense layer({.units = 3, .activation = "relu"});
  Value::Dict layer_config = layer->get_config();
  auto new_layer = layers::DenseLayer::from_config(layer_config);
  CHECK(*new_layer->config.units == 3);
  CHECK(to_json(new_layer->get_config()) == to_json(layer_config));

  CustomLayer half({.factor = 0.5, .name = "half"});
  Value serialized = layers::serialize(*half);
  CHECK(parse_json(to_json(serialized), "Cornu").get<Value::Dict>().size() == 4);
  auto again = layers::deserialize(serialized);
  CHECK(std::dynamic_pointer_cast<CustomLayerLayer>(again)->config.factor == 0.5);
  CHECK(again->name() == "half");
}

namespace {

// Entries in the order of their names, all the way down.
Value sorted(const Value& value) {
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& v : value.get<Value::List>()) list.push_back(sorted(v));
    return list;
  }
  if (!value.is<Value::Dict>()) return value;
  Value::Dict dict;
  for (const auto& [key, v] : value.get<Value::Dict>()) dict.emplace_back(key, sorted(v));
  std::sort(dict.begin(), dict.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return dict;
}

// What stands in Keras's text, entry by entry.
std::string keras_text(const std::string& name) {
  return to_json(sorted(parse_json(recorded<std::string>(name), "Keras")));
}

std::string text(const Value& value) {
  return to_json(sorted(parse_json(to_json(value), "Cornu")));
}

}  // namespace

TEST_CASE("Configs are Keras's") {
  layers::Dense layer({.units = 3, .activation = "relu", .name = "dense"});
  CHECK(text(layer->get_config()) == keras_text("dense"));
  CHECK(text(layers::serialize(*CustomLayer({.factor = 0.5, .name = "half"}))) ==
        keras_text("custom_layer"));

  Sequential sequential(
      {Input({32}, {.name = "input_layer"}), layers::Dense({.units = 1, .name = "dense_1"})},
      {.name = "sequential"});
  CHECK(text(sequential.get_config()) == keras_text("sequential"));

  Input inputs({32}, {.name = "input_layer"});
  Functional functional(inputs, layers::Dense({.units = 1, .name = "dense"})(inputs),
                        {.name = "functional"});
  CHECK(text(functional.get_config()) == keras_text("functional"));

  CHECK(text(utils::serialize_keras_object(*regularizers::L1({.l1 = 0.005}))) ==
        keras_text("regularizer"));
}

TEST_CASE("Keras's configs make layers and models") {
  const auto config = [](const std::string& name) {
    return parse_json(recorded<std::string>(name), "Keras").get<Value::Dict>();
  };
  CHECK(layers::DenseLayer::from_config(config("dense"))->config.activation.name() == "relu");
  CHECK(Sequential::from_config(config("sequential"))->count_params() == 33);
  CHECK(
      Functional::from_config(config("functional"))->predict(ops::ones({2, 32}), silent).shape() ==
      Shape{2, 1});
  CHECK(model_from_json(recorded<std::string>("sequential_json"))->count_params() == 33);
  auto regularizer = std::dynamic_pointer_cast<Regularizer>(
      utils::deserialize_keras_object(config("regularizer")));
  CHECK((*regularizer)(ops::ones({4})).item() == Approx(0.02));
}

TEST_CASE("A model goes through its config or JSON, without weights and compile") {
  Sequential model({Input({32}), layers::Dense({.units = 1})});
  auto new_model = Sequential::from_config(model.get_config());
  CHECK(new_model->count_params() == 33);

  model.compile({.optimizer = "adam", .loss = "mse"});
  std::string json_config = model.to_json();
  auto from_json = model_from_json(json_config);
  CHECK(from_json->count_params() == 33);
  CHECK_FALSE(all_close(from_json->get_weights()[0], model.get_weights()[0], 0, 0));

  Input inputs({32});
  Functional functional(inputs, layers::Dense({.units = 1})(inputs));
  CHECK(Functional::from_config(functional.get_config())->get_layer(-1)->name() ==
        functional.get_layer(-1)->name());
}

TEST_CASE("A model is cloned with fresh weights") {
  auto model = get_model();
  auto new_model = clone_model(*model);
  CHECK_FALSE(new_model->compiled());
  REQUIRE(new_model->weights().size() == 2);
  CHECK_FALSE(all_close(new_model->get_weights()[0], model->get_weights()[0], 0, 0));
  new_model->set_weights(model->get_weights());
  CHECK(
      all_close(new_model->predict(test_input, silent), model->predict(test_input, silent), 0, 0));
}

TEST_CASE("Any object of Keras goes through its config") {
  regularizers::L1 my_reg({.l1 = 0.005});
  Value config = saving::serialize_keras_object(*my_reg);
  auto new_reg = saving::deserialize_keras_object(config);
  CHECK(to_json(new_reg->get_config()) == to_json(my_reg->get_config()));
  CHECK((*std::dynamic_pointer_cast<Regularizer>(new_reg))(ops::ones({4})).item() == Approx(0.02));
}

namespace {

layers::Dense create_layer() {
  layers::Dense layer({.units = 64, .activation = "relu", .name = "dense_2"});
  layer->build({Shape::unknown, 784});
  return layer;
}

}  // namespace

TEST_CASE("Weights go from one layer to another") {
  layers::Dense layer_1 = create_layer(), layer_2 = create_layer();
  CHECK_FALSE(all_close(layer_1->kernel, layer_2->kernel, 0, 0));
  layer_2->set_weights(layer_1->get_weights());
  CHECK(all_close(layer_1->kernel, layer_2->kernel, 0, 0));
  CHECK(layer_2->weights().size() == 2);
}

namespace {

Handle<Functional> make_functional(bool with_dropout = false) {
  Input inputs({12}, {.name = "digits"});
  Tensor x = layers::Dense({.units = 8, .activation = "relu", .name = "dense_1"})(inputs);
  x = layers::Dense({.units = 8, .activation = "relu", .name = "dense_2"})(x);
  // A layer without weights changes neither their number nor their order.
  if (with_dropout) x = layers::Dropout({.rate = 0.5})(x);
  Tensor outputs = layers::Dense({.units = 10, .name = "predictions"})(x);
  return make<Functional>(inputs, outputs, {.name = "3_layer_mlp"});
}

struct SubclassedConfig {
  int64_t output_dim = 10;
  std::string name = "";
};

class SubclassedModel : public ModelOf<SubclassedModel, SubclassedConfig> {
 public:
  using ModelOf::ModelOf;
  Tensor call(const Tensor& inputs, const Call&) override {
    return dense_3(dense_2(dense_1(inputs)));
  }

 private:
  layers::Dense dense_1 = track("dense_1", layers::Dense({.units = 8, .activation = "relu"}));
  layers::Dense dense_2 = track("dense_2", layers::Dense({.units = 8, .activation = "relu"}));
  layers::Dense dense_3 = track("dense_3", layers::Dense({.units = config.output_dim}));
};
CORNU_REGISTER("guides>SubclassedModel", SubclassedModel);

const Tensor digits = random::uniform({5, 12}, 0, 1, 3);

}  // namespace

TEST_CASE("Weights go from one kind of model to another") {
  auto functional_model = make_functional();
  auto subclassed_model = make<SubclassedModel>({.output_dim = 10});
  (void)subclassed_model(ops::ones({1, 12}));
  subclassed_model->set_weights(functional_model->get_weights());
  REQUIRE(functional_model->weights().size() == subclassed_model->weights().size());
  for (size_t i = 0; i < 6; ++i)
    CHECK(all_close(functional_model->weights()[i], subclassed_model->weights()[i], 0, 0));
  CHECK(all_close(functional_model->predict(digits, silent),
                  subclassed_model->predict(digits, silent), 0, 0));

  auto with_dropout = make_functional(true);
  with_dropout->set_weights(functional_model->get_weights());
  CHECK(all_close(functional_model->predict(digits, silent), with_dropout->predict(digits, silent),
                  0, 0));
}

TEST_CASE("A subclassed model is saved by its options") {
  const TemporaryFolder folder;
  auto model = make<SubclassedModel>({.output_dim = 3});
  const Tensor outputs = model(digits);
  model->save(folder / "my_model.keras");
  auto loaded = load_model<SubclassedModel>(folder / "my_model.keras");
  CHECK(loaded->config.output_dim == 3);
  CHECK(all_close(loaded(digits), outputs, 0, 0));
}

namespace {

struct TowerConfig {
  std::vector<int64_t> hidden_units = {};
  std::string name = "";
};

class Tower : public ModelOf<Tower, TowerConfig> {
 public:
  explicit Tower(TowerConfig c) : ModelOf(std::move(c)) {
    std::vector<layers::Dense> list;
    for (const int64_t u : config.hidden_units) list.push_back(layers::Dense({.units = u}));
    dense_layers = track("dense_layers", list);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = inputs;
    for (const auto& layer : dense_layers) x = layer(x);
    return x;
  }

 private:
  std::vector<layers::Dense> dense_layers;
};
CORNU_REGISTER("guides>Tower", Tower);

// Another layer is among its options.
struct DoubledConfig {
  Required<AnyLayer> sublayer;
  std::string name = "";
};

class DoubledLayer : public LayerOf<DoubledLayer, DoubledConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return 2 * (*sublayer)(x); }

 private:
  std::shared_ptr<Layer> sublayer = track("sublayer", config.sublayer->shared());
};
using Doubled = Ref<DoubledLayer>;
CORNU_REGISTER("guides>Doubled", DoubledLayer);

}  // namespace

TEST_CASE("A model with a list of layers is saved by the list's options") {
  const TemporaryFolder folder;
  Tower model({.hidden_units = {16, 16, 10}});
  const Tensor input_arr = random::uniform({1, 5});
  const Tensor outputs = model(input_arr);
  model.save(folder / "my_model.keras");
  auto loaded = load_model(folder / "my_model.keras");
  CHECK(all_close(loaded(input_arr), outputs, 0, 0));
}

TEST_CASE("A layer with a layer among its options is saved with it") {
  const TemporaryFolder folder;
  Sequential model(
      {Input({12}), Doubled({.sublayer = layers::Dense({.units = 3, .activation = "tanh"})})});
  model.save(folder / "my_model.keras");
  auto loaded = load_model(folder / "my_model.keras");
  CHECK(all_close(loaded(digits), model(digits), 0, 0));
  CHECK(loaded->count_params() == 39);
}

TEST_CASE("Weights are saved and loaded by themselves") {
  const TemporaryFolder folder;
  Sequential sequential_model({
      Input({12}, {.name = "digits"}),
      layers::Dense({.units = 8, .activation = "relu", .name = "dense_1"}),
      layers::Dense({.units = 8, .activation = "relu", .name = "dense_2"}),
      layers::Dense({.units = 10, .name = "predictions"}),
  });
  const auto before = sequential_model.get_weights();
  sequential_model.save_weights(folder / "my_model.weights.h5");
  for (Variable w : sequential_model.weights()) w.assign(random::normal(w.shape()));
  sequential_model.load_weights(folder / "my_model.weights.h5");
  for (size_t i = 0; i < 6; ++i)
    CHECK(all_close(sequential_model.get_weights()[i], before[i], 0, 0));
  CHECK_THROWS(sequential_model.save_weights(folder / "my_model.txt"));
}

namespace {

struct NestedDenseConfig {
  Required<int64_t> units;
  std::string name = "";
};

class NestedDenseLayer : public LayerOf<NestedDenseLayer, NestedDenseConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return dense_2(dense_1(x)); }

  layers::Dense dense_1 =
      track("dense_1", layers::Dense({.units = *config.units, .name = "dense_1"}));
  layers::Dense dense_2 =
      track("dense_2", layers::Dense({.units = *config.units, .name = "dense_2"}));
};

// The last two parts of the paths: the layer that has the variable, and its name.
std::vector<std::string> owners_and_names(const std::vector<Variable>& variables) {
  std::vector<std::string> result;
  for (const Variable& v : variables) {
    const size_t name = v.path().rfind('/'), owner = v.path().rfind('/', name - 1);
    result.push_back(owner == std::string::npos ? v.path() : v.path().substr(owner + 1));
  }
  return result;
}

}  // namespace

TEST_CASE("Freezing a layer inside does not change the order of weights") {
  auto nested = make<NestedDenseLayer>({.units = 10, .name = "nested"});
  Sequential nested_model({Input({12}), nested}, {.name = "sequential"});
  CHECK(owners_and_names(nested_model.weights()) == recorded<std::vector<std::string>>("nested"));
  nested->dense_1->set_trainable(false);
  CHECK(owners_and_names(nested_model.weights()) ==
        recorded<std::vector<std::string>>("nested_frozen"));
  CHECK(owners_and_names(nested_model.trainable_variables()) ==
        recorded<std::vector<std::string>>("nested_trainable"));
}

TEST_CASE("A part of a model keeps its weights for another head") {
  const TemporaryFolder folder;
  auto functional_model = make_functional();
  // All but the last layer, with weights to be told from fresh ones.
  Functional pretrained(functional_model->inputs(), functional_model->get_layer(-1)->input(),
                        {.name = "pretrained_model"});
  for (Variable w : pretrained.weights()) w.assign(random::normal(w.shape(), 0, 1, 5));
  pretrained.save_weights(folder / "pretrained.weights.h5");

  // Another program has the file alone.
  Input inputs({12}, {.name = "digits"});
  Tensor x = layers::Dense({.units = 8, .activation = "relu", .name = "dense_1"})(inputs);
  x = layers::Dense({.units = 8, .activation = "relu", .name = "dense_2"})(x);
  Functional base(inputs, x, {.name = "pretrained"});
  base.load_weights(folder / "pretrained.weights.h5");
  Functional model(inputs, layers::Dense({.units = 5, .name = "predictions"})(x),
                   {.name = "new_model"});
  CHECK(all_close(base.predict(digits, silent), pretrained.predict(digits, silent), 0, 0));
  CHECK(all_close(model.get_weights()[0], pretrained.get_weights()[0], 0, 0));

  Sequential sequential({base, layers::Dense({.units = 5, .name = "predictions"})});
  CHECK(sequential.predict(digits, silent).shape() == Shape{5, 5});
  CHECK(sequential.count_params() == model.count_params());
  CHECK(all_close(sequential.get_weights()[2], pretrained.get_weights()[2], 0, 0));
}

TEST_CASE("Weights that do not fit are left out on request") {
  const TemporaryFolder folder;
  auto functional_model = make_functional();
  functional_model->save_weights(folder / "ten.weights.h5");
  Input inputs({12});
  Tensor x = layers::Dense({.units = 8, .activation = "relu", .name = "dense_1"})(inputs);
  x = layers::Dense({.units = 8, .activation = "relu", .name = "dense_2"})(x);
  Functional model(inputs, layers::Dense({.units = 5, .name = "predictions"})(x));
  const auto before = model.get_weights();
  CHECK_THROWS_AS(model.load_weights(folder / "ten.weights.h5"), FileError);
  saving::load_weights(model, folder / "ten.weights.h5", {.skip_mismatch = true});
  for (size_t i = 0; i < 4; ++i)
    CHECK(all_close(model.get_weights()[i], functional_model->get_weights()[i], 0, 0));
  CHECK(all_close(model.get_weights()[4], before[4], 0, 0));
}

}  // namespace serialization_and_saving_test
