// Tests of losses, metrics and their weights in braces, and of functions with names.
#include <cornu/framework/config/json.h>
#include <cornu/framework/initializers/constant.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/attention/multi_head_attention.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/losses/functions.h>
#include <cornu/losses/huber.h>
#include <cornu/metrics/auc.h>
#include <cornu/metrics/functions.h>
#include <cornu/optimizers/adam.h>

#include "../../support/temporary.h"
#include "model_support.h"

namespace compile_options_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// Outputs "p" and "q" of one input.
std::shared_ptr<Functional> two_headed() {
  const Input x({4});
  return make<Functional>(
      x, Nest{Dense({.units = 1, .name = "p"})(x), Dense({.units = 2, .name = "q"})(x)});
}

std::vector<std::string> figures(Model& model) {
  std::vector<std::string> names;
  for (const auto& [name, value] :
       model.test_on_batch(wave({5, 4}), Nest{wave({5, 1}), wave({5, 2})}))
    names.push_back(name);
  return names;
}

Tensor gap(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(ops::absolute(y_true - y_pred), -1);
}

template <class T>
concept indexed = requires(T t) {
  t[0];
};

class OwnData : public Dataset {
 public:
  int64_t size() const override { return 2; }
  Batch batch(int64_t index) override {
    ++asked;
    return {wave({3, 4}, static_cast<double>(index)), wave({3, 1})};
  }
  int asked = 0;
};

}  // namespace

TEST_CASE("Braces are lists, or dictionaries by output name") {
  const LossOption list{"mse", "mae"};
  CHECK(list.list().size() == 2);
  const LossOption dict{{"p", "mse"}, {"q", losses::Huber()}};
  REQUIRE(dict.dict().size() == 2);
  CHECK(dict.dict()[1].first == "q");
  const LossWeights weights{{"p", 1}, {"q", 0.5}};
  CHECK(weights.dict.size() == 2);
  CHECK(LossWeights{1, 0.5}.list == std::vector<double>{1, 0.5});
  const MetricOption metrics{{"p", {"mae"}}, {"q", {"mae", "mse"}}};
  REQUIRE(metrics.dict().size() == 2);
  CHECK(metrics.dict()[1].second.list().size() == 2);
  CHECK(MetricOption{"mae", "mse"}.list().size() == 2);
  CHECK(MetricOption{{"mae"}, {"mse"}}.list().size() == 2);
}

TEST_CASE("Losses and metrics by name are those of the outputs") {
  const auto model = two_headed();
  model->compile({.loss = {{"p", "mse"}, {"q", "mae"}},
                  .loss_weights = {{"p", 1.0}, {"q", 0.5}},
                  .metrics = {{"p", {"mae"}}, {"q", {"mse"}}}});
  CHECK(figures(*model) == std::vector<std::string>{"loss", "p_loss", "p_mae", "q_loss", "q_mse"});
  // Pairs of names are by output where the first is one.
  model->compile({.loss = {"mse", "mae"}, .metrics = {{"p", "mae"}, {"q", "mse"}}});
  CHECK(figures(*model) == std::vector<std::string>{"loss", "p_loss", "p_mae", "q_loss", "q_mse"});
  model->compile({.loss = {"mse", "mae"}, .metrics = {{"mae"}, {"mse"}}});
  CHECK(figures(*model) == std::vector<std::string>{"loss", "p_loss", "p_mae", "q_loss", "q_mse"});
  CHECK_THROWS_WITH(model->compile({.loss = "mse", .metrics = {{"p", "mea"}, {"q", "mse"}}}),
                    has("'mea' is not known"));
}

TEST_CASE("Metrics by name are those of the keys of a model that returns a dictionary") {
  const Input x({4}, {.name = "a"});
  Functional model({{"a", x}},
                   {{"price", Dense({.units = 1})(x)}, {"kind", Dense({.units = 2})(x)}});
  const auto names = [&] {
    std::vector<std::string> names;
    for (const auto& [name, value] : model.test_on_batch(
             {{"a", wave({5, 4})}}, {{"price", wave({5, 1})}, {"kind", wave({5, 2})}}))
      names.push_back(name);
    return names;
  };
  model.compile({.loss = {{"price", "mse"}, {"kind", "mse"}},
                 .metrics = {{"price", "mae"}, {"kind", "mse"}}});
  CHECK(names() ==
        std::vector<std::string>{"kind_loss", "kind_mse", "loss", "price_loss", "price_mae"});
  model.compile({.loss = {{"price", "mse"}, {"kind", "mse"}}, .metrics = {{"price", "mae"}}});
  CHECK(names() == std::vector<std::string>{"kind_loss", "loss", "price_loss", "price_mae"});
  model.compile({.loss = {{"price", "mse"}, {"kind", "mse"}}, .metrics = {{"prise", "mae"}}});
  CHECK_THROWS_WITH(names(), has("names the output 'prise', which the model does not have. Did you "
                                 "mean 'price'?"));
  // As files keep it: by name.
  CHECK(to_json(MetricOption{{"price", "mae"}, {"kind", "mse"}}.by_name({}).value()) ==
        R"({"price": "mae", "kind": "mse"})");
  // Two lists of metrics stay what they are.
  CHECK((MetricOption{{"mae", "mse"}, {"acc", "mse"}}).by_name({}).is_list());
  CHECK_THROWS_WITH(
      two_headed()->compile({.loss = "mse", .metrics = {{"mea", "mse"}, {"mae", "mse"}}}),
      has("'mea' is not known"));
}

namespace {

class Pinball : public Loss {
 public:
  Pinball() : Loss("pinball") {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override {
    return ops::mean(ops::maximum(0.9 * (y_true - y_pred), 0.1 * (y_pred - y_true)), -1);
  }
};

class Largest : public Metric {
 public:
  Largest() : Metric("largest"), value_(add_variable(ops::zeros({}), "value")) {}
  void update_state(const Tensor&, const Tensor& y_pred, const Tensor&) override {
    value_.assign(ops::maximum(value_, ops::max(y_pred)));
  }
  Tensor result() override { return value_; }

 private:
  Variable value_;
};

}  // namespace

TEST_CASE("Losses and metrics of one's own are given as what makes them") {
  const auto model = two_headed();
  const auto figure = [&](CompileOptions options, const char* name) {
    model->compile(std::move(options));
    return model->test_on_batch(wave({5, 4}), Nest{wave({5, 1}), wave({5, 2})})[name];
  };
  const double expected = figure({.loss = std::shared_ptr<Loss>(new Pinball())}, "loss");
  CHECK(figure({.loss = std::make_shared<Pinball>()}, "loss") == expected);
  CHECK(figure({.loss = make<Pinball>()}, "loss") == expected);
  CHECK(figure({.loss = {make<Pinball>(), std::make_shared<Pinball>()}}, "loss") == expected);
  CHECK(figure({.loss = {{"p", make<Pinball>()}, {"q", make<Pinball>()}}}, "loss") == expected);

  const double largest = ops::max(model->predict(wave({5, 4}), {.verbose = 0})[1].tensor()).item();
  const double reported = std::max(largest, 0.0);
  CHECK(figure({.loss = "mse", .metrics = {{"p", {"mae"}}, {"q", {make<Largest>()}}}},
               "q_largest") == Approx(reported));
  CHECK(figure({.loss = "mse",
                .metrics = {{"mae"}, {std::make_shared<Largest>(), "mae"}},
                .weighted_metrics = {{make<Largest>()}, {}}},
               "q_largest") == Approx(reported));
}

TEST_CASE("fit without targets trains on the losses of layers") {
  struct Penalized : Model {
    Dense dense{{.units = 2}};
    Penalized() { track("dense", dense); }
    Tensor call(const Tensor& x, const Call&) override {
      const Tensor y = dense(x);
      add_loss(ops::mean(ops::square(y)));
      return y;
    }
  };
  Penalized model;
  model.compile({.optimizer = "sgd"});
  const History history = model.fit(wave({8, 4}), {.epochs = 3, .verbose = Verbose::silent});
  CHECK(history["loss"].size() == 3);
  CHECK(history["loss"][2] < history["loss"][0]);
  CHECK(model.evaluate(wave({8, 4}), {.verbose = Verbose::silent}).count("loss") == 1);
}

TEST_CASE("An only output may have no loss") {
  const Tensor data = wave({8, 4}), targets = wave({8, 1});
  const auto model = [](LossOption loss, bool penalty) {
    const Input x({4});
    layers::Dense dense({.units = 1, .name = "out"});
    if (penalty) dense->set_activity_regularizer("l2");
    const auto made = make<Functional>(x, dense(x));
    made->compile({.optimizer = "sgd", .loss = std::move(loss)});
    return made;
  };
  for (const LossOption& none :
       {LossOption(LossOption::Dict{{"out", nullptr}}), LossOption(LossOption::List{nullptr})}) {
    CHECK_THROWS_WITH(model(none, false)->train_on_batch(data, targets), contains("has no loss"));
    // What layers add is trained all the same.
    CHECK(model(none, true)->train_on_batch(data, targets).at("loss") > 0);
  }
}

TEST_CASE("Validation data may be what a function gives") {
  Sequential model({layers::Dense({.units = 1})});
  const Tensor x = wave({4, 2}), y = wave({4, 1});
  const auto last = [&](const ValidationData& data) {
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.set_weights({ops::ones({2, 1}), ops::zeros({1})});
    return model
        .fit(x, y,
             {.verbose = Verbose::silent, .validation_data = data, .shuffle = false})["val_loss"]
        .back();
  };
  model.build({4, 2});
  CHECK(last(std::pair(x, y)) == last({x, y}));
  const Tensor weights = ops::ones({4});
  CHECK(last(std::tuple(x, y, weights)) == last({x, y, weights}));
}

TEST_CASE("Datasets are given by value, by reference and shared") {
  Sequential model({Input({4}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  OwnData data;
  model.fit(data, {.verbose = Verbose::silent, .validation_data = data});
  CHECK(data.asked == 4);
  const auto shared = std::make_shared<OwnData>();
  model.fit(shared, {.verbose = Verbose::silent, .validation_data = shared});
  CHECK(shared->asked == 4);
  model.fit(OwnData(), {.verbose = Verbose::silent, .validation_data = OwnData()});
  CHECK(model.evaluate(data, {.verbose = Verbose::silent}).count("loss") == 1);
  CHECK(model.predict(data, {.verbose = Verbose::silent}).shape() == Shape{6, 1});
}

TEST_CASE("A function with a name is a loss and a metric that files keep") {
  losses::register_function("tests>gap", gap);
  metrics::register_function("tests>gap", gap);
  Sequential model({Input({4}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "tests>gap", .metrics = {"tests>gap", "mse"}});
  const Logs logs = model.test_on_batch(wave({5, 4}), wave({5, 1}));
  CHECK(logs.at("loss") == Approx(logs.at("gap")));
  TemporaryFolder folder;
  model.save(folder / "model.keras");
  auto loaded = load_model(folder / "model.keras");
  CHECK(loaded->test_on_batch(wave({5, 4}), wave({5, 1})) == logs);
  CHECK(serialize(*losses::get("tests>gap")).get<Value::Dict>().size() == 4);
  CHECK(losses::deserialize(losses::serialize(*losses::get("mse")))->name() ==
        losses::get("mse")->name());
  CHECK_THROWS_AS(losses::register_function("gap", gap), ValueError);
  CHECK_THROWS_AS(losses::get("tests>gaps"), ValueError);
  // Without a name it can be used, and not be saved.
  model.compile({.optimizer = "sgd", .loss = gap});
  CHECK_THROWS_WITH(model.save(folder / "model.keras"), has("losses::register_function"));
}

TEST_CASE("Functions are initializers, regularizers and constraints") {
  const auto sevens = [](const Shape& shape, DType dtype) { return ops::full(shape, 7, dtype); };
  Dense dense({.units = 2,
               .kernel_initializer = sevens,
               .kernel_regularizer = [](const Tensor& x) { return ops::sum(x); },
               .kernel_constraint = [](const Tensor& x) { return ops::minimum(x, 1); }});
  Sequential model({Input({3}), dense});
  CHECK(floats(model.weights()[0]) == std::vector<float>(6, 7));
  CHECK(model.losses()[0].item() == 42);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(wave({4, 3}), wave({4, 2}), {.verbose = Verbose::silent});
  CHECK(ops::max(model.weights()[0]).item() <= 1);
  TemporaryFolder folder;
  CHECK_THROWS_WITH(model.save(folder / "model.keras"), has("initializers::register_function"));
  initializers::register_function("tests>sevens", sevens);
  Sequential named({Input({3}), Dense({.units = 2, .kernel_initializer = "tests>sevens"})});
  named.save(folder / "named.keras");
  CHECK(floats(load_model(folder / "named.keras")->weights()[0]) == std::vector<float>(6, 7));
  const auto again = Sequential::from_config(named.get_config());
  CHECK(floats(again->weights()[0]) == std::vector<float>(6, 7));
}

TEST_CASE("Logs and histories have no order") {
  // logs[0] would be the figure of a name that is null.
  static_assert(!indexed<Logs> && !indexed<History>);
  SUCCEED();
}

TEST_CASE("Layers with several weights take functions as initializers") {
  const auto sevens = [](const Shape& shape, DType dtype) { return ops::full(shape, 7, dtype); };
  layers::MultiHeadAttention attention(
      {.num_heads = 2, .key_dim = 2, .kernel_initializer = sevens});
  (void)attention({wave({1, 3, 4}), wave({1, 3, 4})});
  CHECK(ops::min(attention->weights()[0]).item() == 7);
}

TEST_CASE("An array is the value of a constant initializer, in files too") {
  const Tensor vectors = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  Sequential model(
      {Input({2}, {.dtype = DType::int32}),
       layers::Embedding({.input_dim = 3,
                          .output_dim = 2,
                          .embeddings_initializer = initializers::Constant({.value = vectors})})});
  CHECK(floats(model.weights()[0]) == floats(vectors));
  const auto again = model_from_json(model.to_json());
  CHECK(floats(again->weights()[0]) == floats(vectors));
  CHECK_THROWS_AS(
      Dense({.units = 5, .kernel_initializer = initializers::Constant({.value = vectors})})(
          wave({1, 4})),
      ShapeError);
}

TEST_CASE("Each module gets, serializes and deserializes its objects") {
  const auto adam = optimizers::get(optimizers::Adam({.learning_rate = 0.25}));
  CHECK(optimizers::deserialize(optimizers::serialize(*adam))->learning_rate() == 0.25);
  CHECK(metrics::deserialize(metrics::serialize(*metrics::get("mse")))->name() ==
        metrics::get("mse")->name());
  CHECK(initializers::deserialize(initializers::serialize(*initializers::get("ones"))) != nullptr);
  CHECK_THROWS_AS(optimizers::get("adamm"), ValueError);
  CHECK(losses::get(nullptr) == nullptr);
}

TEST_CASE("Keras's functions are options as their names are") {
  const LossOption loss = losses::binary_crossentropy;
  CHECK(loss.value().get<std::string>() == "binary_crossentropy");
  CHECK(LossOption(losses::mean_squared_error).make()->name() == "mean_squared_error");
  const LossOption two = {losses::hinge, "mae"};
  REQUIRE(two.list().size() == 2);
  CHECK(two.list()[0].name() == "hinge");
  const MetricOption metric = {metrics::binary_accuracy, metrics::mean_absolute_error};
  REQUIRE(metric.list().size() == 2);
  CHECK(metric.list()[0].make()->name() == "binary_accuracy");
  CHECK(metric.list()[1].name() == "mean_absolute_error");

  Sequential model({Input({4}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd",
                 .loss = losses::mean_squared_error,
                 .metrics = {losses::mean_absolute_error}});
  const Tensor x = ops::ones({3, 4}), y = ops::zeros({3, 1});
  const Logs logs = model.evaluate(x, y, {.verbose = Verbose::silent});
  CHECK(logs.at("loss") == Approx(ops::mean(losses::mean_squared_error(y, model(x))).item()));
  CHECK(logs.at("mean_absolute_error") ==
        Approx(ops::mean(losses::mean_absolute_error(y, model(x))).item()));
}

}  // namespace compile_options_test
