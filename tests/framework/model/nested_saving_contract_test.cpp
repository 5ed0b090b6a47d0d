// What files promise for models within models, layers of one's own, and training that goes on.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace nested_saving_contract_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::identical;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

std::shared_ptr<Model> reloaded(Model& model) {
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  return load_model((folder / "m.keras").string());
}

void check_reloaded(Model& model, const Nest& x) {
  const auto loaded = reloaded(model);
  const auto a = model.predict(x, quiet).flatten(), b = loaded->predict(x, quiet).flatten();
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK(identical(a[i], b[i]));
  CHECK(loaded->count_params() == model.count_params());
  CHECK(loaded->to_json() == model.to_json());
  const auto again = reloaded(*loaded);
  CHECK(identical(again->predict(x, quiet).flatten()[0], a[0]));
}

struct ScaleConfig {
  Required<double> factor;
  std::vector<int64_t> steps = {1, 2};
  cornu::Activation activation = "linear";
  Choice<Initializer> initializer = "ones";
  std::optional<std::string> label = {};
};

// A layer with options of several kinds, and a layer inside.
class ScaleLayer : public LayerOf<ScaleLayer, ScaleConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    gain = add_weight({.name = "gain", .shape = {input.back()}, .initializer = config.initializer});
  }
  Tensor call(const Tensor& x, const Call&) override {
    return config.activation(inner(x) * gain * *config.factor);
  }
  Variable gain;
  layers::Dense inner = track("inner", layers::Dense({.units = 3}));
};
using Scale = Ref<ScaleLayer>;
CORNU_REGISTER("nested_saving_contract>Scale", ScaleLayer);

struct PairConfig {
  int64_t units = 2;
  std::string name = "";
};

// A model of one's own whose steps count themselves.
class PairModel : public ModelOf<PairModel, PairConfig> {
 public:
  using ModelOf::ModelOf;
  Tensor call(const Tensor& x, const Call&) override { return second(first(x)); }
  StepLogs train_step(const Batch& batch) override {
    ++steps;
    return ModelOf::train_step(batch);
  }
  int steps = 0;
  layers::Dense first =
      track("first", layers::Dense({.units = config.units, .activation = "tanh"}));
  layers::Dense second = track("second", layers::Dense({.units = 1}));
};
CORNU_REGISTER("nested_saving_contract>Pair", PairModel);

}  // namespace

TEST_CASE("models within models come back from files") {
  const auto encoder = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({4}), layers::Dense({.units = 3, .activation = "relu"}), layers::Dense({.units = 2})});
  Input code({2});
  const auto decoder = std::make_shared<Functional>(
      code, layers::Concatenate()(
                Nest{layers::Dense({.units = 2})(code), layers::Dense({.units = 2})(code)}));
  Input in({4});
  Functional whole(in, (*decoder)((*encoder)(in)));
  check_reloaded(whole, waves({5, 4}));
  Sequential stack({Input({4}), AnyLayer(encoder), AnyLayer(decoder)});
  check_reloaded(stack, waves({5, 4}));
  CHECK(identical(stack.predict(waves({5, 4}), quiet).tensor(),
                  whole.predict(waves({5, 4}), quiet).tensor()));
}

TEST_CASE("a model that is used twice keeps one set of weights through a file") {
  const auto tower = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({3}), layers::Dense({.units = 2, .activation = "tanh"})});
  Input a({3}), b({3});
  Functional siamese(Nest{a, b}, layers::Dot({.axes = 1})(Nest{(*tower)(a), (*tower)(b)}));
  CHECK(siamese.weights().size() == 2);
  const Nest x{waves({4, 3}, 1), waves({4, 3}, 2)};
  check_reloaded(siamese, x);
  CHECK(reloaded(siamese)->weights().size() == 2);
}

TEST_CASE("dictionaries of inputs and outputs keep their names through a file") {
  Input left({.shape = {2}, .name = "left"}), right({.shape = {3}, .name = "right"});
  const Tensor joined = layers::Concatenate()(Nest{left, right}).tensor();
  Functional model(Nest::dict({{"left", left}, {"right", right}}),
                   Nest::dict({{"small", layers::Dense({.units = 1})(joined)},
                               {"large", layers::Dense({.units = 4})(joined)}}));
  const Nest x = Nest::dict({{"right", waves({2, 3})}, {"left", waves({2, 2})}});
  check_reloaded(model, x);
  const Nest y = reloaded(model)->predict(x, quiet);
  CHECK(y["small"].tensor().shape() == Shape{2, 1});
  CHECK(y["large"].tensor().shape() == Shape{2, 4});
}

TEST_CASE("operators in a graph come back from a file") {
  Input in({3});
  const Tensor y = ops::exp(in * 0.5) - ops::maximum(in, 0.25) / (ops::square(in) + 1.0);
  Functional model(in, ops::concatenate({y, ops::sum(y, -1, true)}, -1));
  check_reloaded(model, waves({4, 3}));
}

TEST_CASE("a layer of one's own keeps its options and the layer inside") {
  Scale layer({.factor = 2.5,
               .steps = {3, 4, 5},
               .activation = "tanh",
               .initializer = initializers::Constant({.value = 0.5}),
               .label = "x"});
  const auto copy = std::dynamic_pointer_cast<ScaleLayer>(test::remade<Layer>(*layer));
  REQUIRE(copy);
  CHECK(*copy->config.factor == 2.5);
  CHECK(copy->config.steps == std::vector<int64_t>{3, 4, 5});
  CHECK(copy->config.label == "x");
  Sequential model({Input({3}), layer});
  check_reloaded(model, waves({2, 3}));
  CHECK(model.weights().size() == 3);
  CHECK(has(error_of([] {
              const Value config = serialize(*Scale({.factor = 1}));
              Value::Dict dict = config.get<Value::Dict>();
              for (auto& [key, value] : dict)
                if (key == "config") value = Value::Dict{{"factor", 1.0}, {"activatoin", "relu"}};
              deserialize(Value(dict));
            }),
            "activation"));
}

TEST_CASE("a layer of one's own keeps a layer's contract") {
  test::check_layer<Scale>({.factor = 0.5, .activation = "tanh"},
                           {.input = {2, 3}, .output = {2, 3}, .weights = 3});
}

TEST_CASE("a model of one's own keeps its options, trains by its step, and comes back") {
  PairModel model({.units = 4});
  model.compile({.optimizer = "adam", .loss = "mse", .run_eagerly = true});
  const Tensor x = waves({8, 3}), y = waves({8, 1});
  model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = Verbose::silent});
  CHECK(model.steps == 4);
  const auto loaded = std::dynamic_pointer_cast<PairModel>(reloaded(model));
  REQUIRE(loaded);
  CHECK(loaded->config.units == 4);
  CHECK(identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
}

TEST_CASE("training goes on from a file as if nothing had happened") {
  const auto inner = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({3}), layers::Dense({.units = 4, .use_bias = false}), layers::BatchNormalization(),
      layers::Activation({.activation = "relu"})});
  Sequential model({Input({3}), AnyLayer(inner), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const Tensor x = waves({12, 3}), y = waves({12, 1}, 2);
  FitOptions options{.batch_size = 4, .epochs = 2, .verbose = Verbose::silent, .shuffle = false};
  model.fit(x, y, options);
  const auto loaded = reloaded(model), other = reloaded(model);
  const History a = model.fit(x, y, options), b = loaded->fit(x, y, options);
  other->fit(x, y, options);
  // Up to rounding: the one replays its steps by now, the others record them first.
  for (const char* name : {"loss", "mae"})
    for (size_t i = 0; i < 2; ++i) CHECK(b[name][i] == Approx(a[name][i]).epsilon(1e-5));
  for (size_t i = 0; i < model.get_weights().size(); ++i) {
    CHECK(test::difference(model.get_weights()[i], loaded->get_weights()[i]) < 1e-4);
    CHECK(identical(other->get_weights()[i], loaded->get_weights()[i]));
  }
}

TEST_CASE("weights go from a model to its twin, and not to another") {
  const auto make = [](int64_t units) {
    return std::make_shared<Sequential>(std::vector<AnyLayer>{
        Input({3}), layers::Dense({.units = units}), layers::Dense({.units = 1})});
  };
  const auto model = make(4), twin = make(4), other = make(5);
  const test::TemporaryFolder folder;
  const std::string path = (folder / "w.weights.h5").string();
  model->save_weights(path);
  twin->load_weights(path);
  const Tensor x = waves({2, 3});
  CHECK(identical(twin->predict(x, quiet).tensor(), model->predict(x, quiet).tensor()));
  const auto before = other->get_weights();
  CHECK_THROWS_AS(other->load_weights(path), Error);
  for (size_t i = 0; i < before.size(); ++i) CHECK(identical(other->get_weights()[i], before[i]));
}

TEST_CASE("a model from JSON has the same layers and fresh weights") {
  Sequential model(
      {Input({3}), layers::Dense({.units = 4, .name = "wide"}), layers::Dropout({.rate = 0.25})});
  const auto copy = model_from_json(model.to_json());
  CHECK(copy->to_json() == model.to_json());
  CHECK(copy->sublayers()[0]->name() == "wide");
  CHECK(!identical(copy->get_weights()[0], model.get_weights()[0]));
  CHECK_THROWS_AS(model_from_json("{\"class_name\": \"Sequentiel\"}"), Error);
}

}  // namespace nested_saving_contract_test
