// Tests of compile: losses, weights and metrics in all their forms, and their names in logs.
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/nn/one_hot.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/losses/mean_squared_error.h>
#include <cornu/metrics/mean_absolute_error.h>
#include <cornu/optimizers/adam.h>
#include <cornu/optimizers/sgd.h>

#include "model_support.h"

namespace compile_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

const Verbose quiet = Verbose::silent;

std::shared_ptr<Sequential> one_output() {
  return make<Sequential>(std::vector<AnyLayer>{Input({2}), constant_dense(1)});
}

// Outputs "a" = sum(x) and "b" = 2 * a.
std::shared_ptr<Functional> two_outputs() {
  Input x({2});
  const Tensor a =
      Dense({.units = 1, .use_bias = false, .kernel_initializer = "ones", .name = "a"})(x);
  return make<Functional>(
      x, Nest{a, Dense({.units = 1, .use_bias = false, .kernel_initializer = "ones", .name = "b"})(
                     a + a)});
}

std::vector<std::string> keys(const Logs& logs) {
  std::vector<std::string> result;
  for (const auto& [name, value] : logs) result.push_back(name);
  return result;
}

const Tensor kOnes = ops::ones({4, 2});  // outputs 2, and 4
const Tensor kZeros = ops::zeros({4, 1});

Logs logs_of(Model& model, CompileOptions options, const Nest& y, const Nest& weight = {}) {
  model.compile(std::move(options));
  return model.evaluate(kOnes, y, {.verbose = quiet, .sample_weight = weight});
}

}  // namespace

TEST_CASE("A loss may be a name, an object or a function") {
  const auto model = one_output();
  for (const char* name : {"mse", "mean_squared_error", "MeanSquaredError"})
    CHECK(logs_of(*model, {.optimizer = "sgd", .loss = name}, kZeros).at("loss") == Approx(4));
  CHECK(logs_of(*model,
                {.optimizer = "sgd", .loss = losses::MeanSquaredError({.reduction = "sum"})},
                kZeros)
            .at("loss") == Approx(16));
  CHECK(logs_of(*model,
                {.optimizer = "sgd",
                 .loss = [](const Tensor& y, const Tensor& p) { return ops::square(y - p) * 2.0; }},
                kZeros)
            .at("loss") == Approx(8));
}

TEST_CASE("Optimizers are names or objects") {
  Sequential model({Input({2}), Dense({.units = 1})});
  model.compile();
  CHECK(model.optimizer()->name() == "rm_sprop");
  for (const char* name : {"adam", "Adam"}) {
    model.compile({.optimizer = name, .loss = "mse"});
    CHECK(model.optimizer()->name() == "adam");
  }
  optimizers::SGD sgd({.learning_rate = 0.25});
  model.compile({.optimizer = sgd, .loss = "mse"});
  CHECK(model.optimizer().get() == sgd.shared().get());
  CHECK(model.optimizer()->learning_rate() == Approx(0.25));
}

TEST_CASE("Metrics are named as Keras names them") {
  const auto model = one_output();
  const auto same = [](const Tensor& y, const Tensor& p) { return ops::abs(y - p); };
  const Logs logs = logs_of(*model,
                            {.optimizer = "sgd",
                             .loss = "mse",
                             .metrics = {"mae", "mean_squared_error", "accuracy", same,
                                         metrics::MeanAbsoluteError({.name = "distance"}), "mae"},
                             .weighted_metrics = {"mae", metrics::MeanAbsoluteError()}},
                            kZeros);
  CHECK(keys(logs) == std::vector<std::string>{"accuracy", "distance", "lambda", "loss", "mae",
                                               "mae_1", "mean_absolute_error", "mean_squared_error",
                                               "weighted_mae"});
  CHECK(logs.at("mae") == Approx(2));
  CHECK(logs.at("lambda") == Approx(2));
  CHECK(logs.at("distance") == Approx(2));
  CHECK(logs.at("mean_squared_error") == Approx(4));
}

TEST_CASE("accuracy is the one that fits the shapes") {
  const Tensor x = ops::one_hot(Tensor::from(std::vector<int32_t>{0, 1, 2, 2}, {4}), 3);
  auto identity = [&](const Nest& y, int64_t units) {
    Sequential model({Input({3}), Dense({.units = units,
                                         .use_bias = false,
                                         .kernel_initializer = units == 3 ? "identity" : "ones"})});
    model.compile({.optimizer = "sgd",
                   .loss = [](const Tensor&, const Tensor& p) { return ops::sum(p, -1); },
                   .metrics = {"accuracy", "acc", "Accuracy", "ACC"}});
    const Logs logs = model.evaluate(x, y, {.verbose = quiet});
    for (const char* name : {"acc", "Accuracy", "ACC"}) CHECK(logs.at(name) == logs.at("accuracy"));
    return logs.at("accuracy");
  };
  CHECK(identity(Tensor::from(std::vector<int32_t>{0, 1, 1, 2}, {4}), 3) == Approx(0.75));
  CHECK(identity(ops::one_hot(Tensor::from(std::vector<int32_t>{0, 1, 1, 1}, {4}), 3), 3) ==
        Approx(0.5));
  CHECK(identity(Tensor::from({1.0f, 0.0f, 1.0f, 0.0f}, {4, 1}), 1) == Approx(0.5));
}

TEST_CASE("crossentropy is the one that fits the shapes") {
  const Tensor x = ops::one_hot(Tensor::from(std::vector<int32_t>{0, 1, 2, 2}, {4}), 3);
  const auto check = [&](const Tensor& y, int64_t units, const char* full) {
    Sequential model({Input({3}), Dense({.units = units, .activation = "softplus"})});
    model.compile({.optimizer = "sgd", .loss = full, .metrics = {full}});
    const double expected = model.test_on_batch(x, y).at("loss");
    for (const char* name : {"crossentropy", "ce", "CE", "CrossEntropy"}) {
      model.compile({.optimizer = "sgd", .loss = name, .metrics = {name}});
      const Logs logs = model.test_on_batch(x, y);
      CHECK(logs.at("loss") == Approx(expected));
      CHECK(logs.at(name) == Approx(expected));
    }
  };
  const Tensor classes = Tensor::from(std::vector<int32_t>{0, 1, 1, 2}, {4});
  check(classes, 3, "sparse_categorical_crossentropy");
  check(ops::one_hot(classes, 3), 3, "categorical_crossentropy");
  check(Tensor::from({1.0f, 0.0f, 1.0f, 0.0f}, {4, 1}), 1, "binary_crossentropy");
}

TEST_CASE("Several outputs have a loss each, by list or name") {
  const auto model = two_outputs();
  const Nest zeros = {kZeros, kZeros};
  CHECK(model->output_names() == std::vector<std::string>{"a", "b"});
  Logs logs = logs_of(*model, {.optimizer = "sgd", .loss = "mse"}, zeros);
  CHECK(keys(logs) == std::vector<std::string>{"a_loss", "b_loss", "loss"});
  CHECK(logs.at("a_loss") == Approx(4));
  CHECK(logs.at("b_loss") == Approx(16));
  CHECK(logs.at("loss") == Approx(20));
  logs = logs_of(*model, {.optimizer = "sgd", .loss = {"mse", "mae"}, .loss_weights = {1.0, 0.5}},
                 zeros);
  CHECK(logs.at("b_loss") == Approx(4));
  CHECK(logs.at("loss") == Approx(6));
  logs = logs_of(*model,
                 {.optimizer = "sgd",
                  .loss = LossOption::Dict{{"b", "mae"}, {"a", "mse"}},
                  .loss_weights = {{"a", 1}, {"b", 10}}},
                 zeros);
  CHECK(logs.at("loss") == Approx(44));
  // A number goes with the one loss of all outputs, as does a list of one.
  for (const LossWeights& weights : {LossWeights(0.5), LossWeights{0.5}})
    CHECK(logs_of(*model, {.optimizer = "sgd", .loss = "mse", .loss_weights = weights}, zeros)
              .at("loss") == Approx(10));
  // One output may be without a loss.
  logs = logs_of(*model, {.optimizer = "sgd", .loss = {{"a", nullptr}, {"b", "mae"}}}, zeros);
  CHECK(keys(logs) == std::vector<std::string>{"loss"});  // which is the only one
  logs = logs_of(*model, {.optimizer = "sgd", .loss = {nullptr, "mae"}}, zeros);
  CHECK(logs.at("loss") == Approx(4));
  // Targets by name.
  logs = logs_of(*model, {.optimizer = "sgd", .loss = "mse"},
                 Nest::dict({{"b", ops::ones({4, 1}) * 4.0}, {"a", kZeros}}));
  CHECK(logs.at("b_loss") == Approx(0).margin(1e-6));
}

TEST_CASE("Metrics of several outputs carry the output's name") {
  const auto model = two_outputs();
  const Nest zeros = {kZeros, kZeros};
  Logs logs = logs_of(*model,
                      {.optimizer = "sgd",
                       .loss = "mse",
                       .metrics = MetricOption::Dict{{"b", {"mae", "mse"}}, {"a", "mae"}}},
                      zeros);
  CHECK(keys(logs) ==
        std::vector<std::string>{"a_loss", "a_mae", "b_loss", "b_mae", "b_mse", "loss"});
  CHECK(logs.at("b_mse") == Approx(16));
  logs = logs_of(*model,
                 {.optimizer = "sgd",
                  .loss = "mse",
                  .metrics = {MetricOption::List{"mae"}, MetricOption::List{"mae", "mse"}},
                  .weighted_metrics = {MetricOption::List{"mae"}, MetricOption::List{}}},
                 zeros);
  CHECK(keys(logs) == std::vector<std::string>{"a_loss", "a_mae", "a_weighted_mae", "b_loss",
                                               "b_mae", "b_mse", "loss"});
}

TEST_CASE("Sample weights reach losses and weighted metrics only") {
  const auto model = one_output();
  const Tensor weight = Tensor::from({1.0f, 0.0f, 0.0f, 0.0f}, {4});
  const Tensor y = Tensor::from({0.0f, 2.0f, 2.0f, 2.0f}, {4, 1});
  const Logs logs = logs_of(
      *model, {.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}, .weighted_metrics = {"mse"}},
      y, weight);
  CHECK(logs.at("loss") == Approx(1));  // the mean over all four
  CHECK(logs.at("mae") == Approx(0.5));
  CHECK(logs.at("mse") == Approx(4));
}

TEST_CASE("compile says what it does not know, and changes nothing then") {
  const auto model = one_output();
  model->compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  CHECK_THROWS_WITH(model->compile({.optimizer = "addam"}), has("Did you mean 'adam'?"));
  CHECK_THROWS_WITH(model->compile({.loss = "mean_square_error"}),
                    has("Did you mean 'mean_squared_error'?"));
  CHECK_THROWS_WITH(model->compile({.loss = "mse", .metrics = {"mae", "acuracy"}}), has("acuracy"));
  CHECK_THROWS_WITH(model->compile({.loss = "mse", .jit_compile = "yes"}), has("expected 'auto'"));
  CHECK_THROWS_WITH(model->compile({.loss = "mse", .steps_per_execution = 0}), has("at least 1"));
  CHECK(Sequential().optimizer() == nullptr);
  CHECK(model->optimizer()->name() == "sgd");
  CHECK(keys(model->evaluate(kOnes, kZeros, {.verbose = quiet})) ==
        std::vector<std::string>{"loss", "mae"});
}

TEST_CASE("Options for outputs that do not exist are found in the first step") {
  const auto model = two_outputs();
  const Nest zeros = {kZeros, kZeros};
  auto check = [&](CompileOptions options, const std::string& text) {
    model->compile(std::move(options));
    CHECK_THROWS_WITH(model->evaluate(kOnes, zeros, {.verbose = quiet}), has(text));
  };
  check({.loss = LossOption::Dict{{"aa", "mse"}}},
        "'aa', which the model does not have. Did you mean 'a'?");
  check({.loss = {"mse", "mse", "mse"}}, "3 losses for 2 outputs");
  check({.loss = {"mse", "mse"}, .loss_weights = {1.0}}, "1 loss_weights for 2 outputs");
  check({.loss = LossOption::Dict{{"b", "mse"}}},
        "compile: loss has 'b', but the model's outputs are 'a', 'b'. Give 'a' an entry, nullptr "
        "for no loss.");
  check({.loss = {{"a", "mse"}, {"b", "mse"}, {"c", nullptr}}}, "loss names the output 'c'");
  check({.loss = "mse", .loss_weights = LossWeights(std::map<std::string, double>{{"b", 2}})},
        "loss_weights has 'b', but the model's outputs are 'a', 'b'");
  check({.loss = "mse", .metrics = {"mae", "mae", "mse"}}, "2 outputs needs metrics for each");
  check({.loss = "mse", .metrics = MetricOption::Dict{{"c", "mae"}}},
        "metrics names the output 'c'");
}

TEST_CASE("A list of sample weights must have one for each target") {
  const auto model = two_outputs();
  const Tensor w = std::vector<float>{1, 2, 3, 6}, doubled = w * 2.0;
  const Nest y{kZeros, kZeros};
  // Outputs 2 and 4; the mean weight is 3.
  CHECK(logs_of(*model, {.optimizer = "sgd", .loss = "mse"}, y, Nest{w, doubled}).at("loss") ==
        Approx(3 * 4 + 6 * 16));
  CHECK(logs_of(*model, {.optimizer = "sgd", .loss = "mse"}, y, w).at("loss") ==
        Approx(3 * 4 + 3 * 16));
  CHECK(logs_of(*model, {.optimizer = "sgd", .loss = "mse"}, y, Nest{w, Tensor()}).at("loss") ==
        Approx(3 * 4 + 16));
  const std::vector<float> before = model->weights()[0].value().to_vector<float>();
  const std::string three = "sample_weight is a list of 3 for 2 targets, expected one for each",
                    one = "sample_weight is a list of 1 for 2 targets, expected one for each";
  for (const auto& [weights, said] :
       {std::pair{Nest(std::vector{w}), one}, {Nest{w, doubled, w}, three}}) {
    CHECK_THROWS_WITH(model->fit(kOnes, y, {.verbose = quiet, .sample_weight = weights}),
                      has("fit: " + said));
    CHECK_THROWS_WITH(
        model->fit(kOnes, y, {.verbose = quiet, .validation_data = {kOnes, y, weights}}),
        has("validation_data: " + said));
    CHECK_THROWS_WITH(model->evaluate(kOnes, y, {.verbose = quiet, .sample_weight = weights}),
                      has("evaluate: " + said));
    CHECK_THROWS_WITH(model->train_on_batch(kOnes, y, {.sample_weight = weights}),
                      has("train_on_batch: " + said));
    CHECK_THROWS_WITH(model->test_on_batch(kOnes, y, {.sample_weight = weights}),
                      has("test_on_batch: " + said));
    // Of a dataset, the first batch tells.
    CHECK_THROWS_WITH(model->evaluate(data::from(kOnes, y, weights).batch(2), {.verbose = quiet}),
                      has("fit/evaluate: " + said));
  }
  CHECK(model->weights()[0].value().to_vector<float>() == before);
  // Where the targets leave out an output that has no loss, weights may do so too.
  for (const Nest& weights : {Nest(w), Nest(std::vector{w}), Nest{w, Tensor()}})
    CHECK(logs_of(*model, {.optimizer = "sgd", .loss = {"mse", nullptr}}, kZeros, weights)
              .at("loss") == Approx(3 * 4));
  const auto single = one_output();
  CHECK(logs_of(*single, {.optimizer = "sgd", .loss = "mse"}, kZeros, Nest(std::vector{w}))
            .at("loss") == Approx(3 * 4));
  CHECK_THROWS_WITH(
      single->evaluate(kOnes, kZeros, {.verbose = quiet, .sample_weight = Nest{w, w}}),
      has("evaluate: sample_weight is a list of 2 for 1 target, expected one"));
  // Metrics take no more.
  model->compile({.optimizer = "sgd", .loss = "mse", .weighted_metrics = {{"mae"}, {"mae"}}});
  CHECK_THROWS_WITH(model->compute_metrics(kOnes, y, y, Nest(std::vector{w})),
                    has("fit/evaluate: " + one));
}

TEST_CASE("Targets and weights by name must be those of the outputs") {
  Input x({2});
  const std::shared_ptr<Functional> dictionary =
      make<Functional>(x, Nest::dict({{"a", constant_dense(1)(x)}, {"b", constant_dense(1)(x)}}));
  const Tensor twos = ops::ones({4, 1}) * 2.0, weight = ops::ones({4});
  for (const auto& model : {dictionary, two_outputs()}) {
    model->compile({.optimizer = "sgd", .loss = "mse"});
    const auto evaluate = [&](const Nest& y, const Nest& sample_weight = {}) {
      return model->evaluate(kOnes, y, {.verbose = quiet, .sample_weight = sample_weight});
    };
    const Logs logs = evaluate(Nest::dict({{"b", kZeros}, {"a", twos}}));
    CHECK(logs.at("a_loss") == Approx(0).margin(1e-6));
    CHECK(logs.at("b_loss") > 3);
    CHECK_THROWS_WITH(
        evaluate(Nest::dict({{"z", twos}, {"b", twos}})),
        "fit/evaluate: y names the output 'z', but the model's outputs are 'a', 'b'.");
    CHECK_THROWS_WITH(evaluate(Nest::dict({{"a", twos}, {"b", twos}, {"bb", twos}})),
                      has("y names the output 'bb'"));
    CHECK_THROWS_WITH(evaluate(Nest::dict({{"b", twos}})),
                      has("y has 'b', but nothing for the output 'a', which has a loss."));
    CHECK_THROWS_WITH(
        evaluate({twos, twos}, Nest::dict({{"b", weight}, {"c", weight}})),
        has("sample_weight names the output 'c', but the model's outputs are 'a', 'b'."));
  }
  // A model that returns a dictionary may have losses for some of it.
  dictionary->compile({.optimizer = "sgd", .loss = LossOption::Dict{{"b", "mse"}}});
  CHECK(dictionary->evaluate(kOnes, Nest::dict({{"b", kZeros}}), {.verbose = quiet}).at("loss") >
        3);
}

TEST_CASE("A model without any loss says so") {
  const auto model = one_output();
  model->compile({.optimizer = "sgd"});
  CHECK_THROWS_WITH(model->fit(kOnes, kZeros, {.verbose = quiet}), has("has no loss"));
}

TEST_CASE("compile_config brings everything back") {
  const auto model = two_outputs();
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 0.25}),
                  .loss = LossOption::Dict{{"a", "mse"},
                                           {"b", losses::MeanSquaredError({.reduction = "sum"})}},
                  .loss_weights = {2.0, 3.0},
                  .metrics = MetricOption::Dict{{"b", {"mae", "mse"}}},
                  .weighted_metrics = {MetricOption::List{"mse"}, MetricOption::List{}}});
  const auto other = two_outputs();
  other->compile_from_config(model->get_compile_config());
  CHECK(other->optimizer()->learning_rate() == Approx(0.25));
  const Nest zeros = {kZeros, kZeros};
  CHECK(other->evaluate(kOnes, zeros, {.verbose = quiet}) ==
        model->evaluate(kOnes, zeros, {.verbose = quiet}));
  model->compile({.loss = [](const Tensor&, const Tensor& p) { return p; }});
  CHECK_THROWS_AS(model->get_compile_config(), StateError);
}

TEST_CASE("jit_compile is true, false or auto") {
  const auto model = one_output();
  model->compile({.loss = "mse"});
  CHECK(model->jit_compile() == "auto");
  model->compile({.loss = "mse", .jit_compile = true});
  CHECK(model->jit_compile() == "true");
  model->compile({.loss = "mse", .jit_compile = false});
  CHECK(model->jit_compile() == "false");
}

TEST_CASE("A compile_config may leave outputs out") {
  const auto model = two_outputs();
  const auto logs = [&](const Value& loss, const Value& weights, const Value& metrics) {
    model->compile_from_config(
        {{"optimizer", "sgd"}, {"loss", loss}, {"loss_weights", weights}, {"metrics", metrics}});
    // What is written back computes the same.
    const auto again = two_outputs();
    again->compile_from_config(model->get_compile_config());
    const Nest zeros = {kZeros, kZeros};
    const Logs result = model->evaluate(kOnes, zeros, {.verbose = quiet});
    CHECK(again->evaluate(kOnes, zeros, {.verbose = quiet}) == result);
    return result;
  };
  using List = Value::List;
  using Dict = Value::Dict;
  const Value none, both = List{"mse", "mae"};  // 4 and 4
  CHECK(logs(both, List{0.5, 2}, none).at("loss") == Approx(10));
  CHECK(logs(both, List{0.5, none}, none).at("loss") == Approx(6));
  CHECK(logs(both, List{none, none}, none).at("loss") == Approx(8));
  CHECK(logs(both, Dict{{"a", 0.5}, {"b", none}}, none).at("loss") == Approx(6));
  CHECK(logs(List{List{"mse"}, List{"mae"}}, none, none).at("loss") == Approx(8));
  CHECK(logs(Dict{{"a", List{"mse"}}, {"b", none}}, none, none) == Logs{{"loss", 4.0}});
  CHECK(keys(logs(List{none, "mae"}, List{2, 0.5}, List{"mae", none})) ==
        std::vector<std::string>{"a_mae", "loss"});
  CHECK(keys(logs("mse", none, List{none, List{"mae"}})) ==
        std::vector<std::string>{"a_loss", "b_loss", "b_mae", "loss"});
  CHECK(keys(logs("mse", none, Dict{{"a", none}, {"b", List{"mae"}}})) ==
        std::vector<std::string>{"a_loss", "b_loss", "b_mae", "loss"});
}

}  // namespace compile_test
