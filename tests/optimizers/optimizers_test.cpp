// Optimizers against Keras, step by step.
#include <catch.h>
#include <cornu/framework/base/initializer.h>
#include <cornu/framework/base/optimizer.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/optimizers/adam.h>
#include <cornu/optimizers/adamw.h>
#include <cornu/optimizers/rmsprop.h>
#include <cornu/optimizers/schedules/cosine_decay.h>
#include <cornu/optimizers/sgd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paths.h"

namespace optimizers_test {

using namespace cornu;
using nlohmann::ordered_json;

namespace {

ordered_json read_goldens() {
  std::ifstream file(test::source_path("tests/data/optimizers.json"));
  return ordered_json::parse(file);
}

Value value_of(const ordered_json& json) { return cornu::parse_json(json.dump(), "a golden"); }

Tensor tensor_of(const ordered_json& numbers, const Shape& shape) {
  return Tensor::from(numbers.get<std::vector<float>>(), shape);
}

void check_close(const Tensor& got, const ordered_json& want) {
  const auto values = got.to_vector<double>();
  const auto expected = want.get<std::vector<double>>();
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    INFO("element " << i);
    CHECK(values[i] == Approx(expected[i]).epsilon(5e-6).margin(5e-7));
  }
}

std::vector<Variable> make_variables(const ordered_json& goldens) {
  return {Variable(tensor_of(goldens["start"][0], {2, 3}), {.name = "kernel"}),
          Variable(tensor_of(goldens["start"][1], {3}), {.name = "bias"})};
}

std::vector<Tensor> gradients_of(const ordered_json& goldens, size_t step) {
  return {tensor_of(goldens["gradients"][step][0], {2, 3}),
          tensor_of(goldens["gradients"][step][1], {3})};
}

std::shared_ptr<Optimizer> make_optimizer(const ordered_json& object) {
  return std::dynamic_pointer_cast<Optimizer>(deserialize(value_of(object)));
}

// Runs one recorded case.
void check_case(const ordered_json& goldens, const ordered_json& c) {
  const auto optimizer = make_optimizer(c["object"]);
  REQUIRE(optimizer);
  if (c.contains("exclude"))
    optimizer->exclude_from_weight_decay(c["exclude"].get<std::vector<std::string>>());
  std::vector<Variable> variables = make_variables(goldens);
  if (c.contains("constraint")) {
    const auto constraint =
        std::dynamic_pointer_cast<Constraint>(deserialize(value_of(c["constraint"])));
    variables[0] = Variable(
        variables[0].value(),
        {.name = "kernel", .constraint = [=](const Tensor& x) { return (*constraint)(x); }});
  }
  for (size_t step = 0; step < c["after"].size(); ++step) {
    INFO("step " << step);
    std::vector<Tensor> gradients = gradients_of(goldens, step);
    if (c.contains("missing"))
      for (const auto& m : c["missing"])
        if (m[0] == step) gradients[m[1].get<size_t>()] = Tensor();
    optimizer->apply(gradients, variables);
    for (size_t i = 0; i < variables.size(); ++i)
      check_close(variables[i].value(), c["after"][step][i]);
  }
  const std::vector<Variable> state = optimizer->variables();
  REQUIRE(state.size() == c["state"].size());
  for (size_t i = 0; i < state.size(); ++i) {
    INFO("state " << i << ": " << state[i].path());
    check_close(state[i].value(), c["state"][i]);
  }
  if (c["object"]["class_name"] != "Nadam")  // whose last variable has a number for a name
    for (size_t i = 0; i < c["names"].size(); ++i) CHECK(state[i + 2].name() == c["names"][i]);
  optimizer->finalize_variable_values();
  if (c.contains("final"))
    for (size_t i = 0; i < variables.size(); ++i) check_close(variables[i].value(), c["final"][i]);
}

template <class F>
std::string message_of(F mistake) {
  try {
    mistake();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("optimizers step as Keras's do") {
  const ordered_json goldens = read_goldens();
  for (const auto& [name, c] : goldens["optimizers"].items()) {
    INFO(name);
    check_case(goldens, c);
  }
}

TEST_CASE("configs of optimizers are Keras's, in its order") {
  const ordered_json goldens = read_goldens();
  for (const auto& [name, c] : goldens["optimizers"].items()) {
    INFO(name);
    CHECK(cornu::to_json(make_optimizer(c["object"])->get_config()) ==
          cornu::to_json(value_of(c["object"]["config"])));
  }
}

TEST_CASE("optimizers are found by Keras's names") {
  for (const char* name :
       {"sgd", "adam", "adamw", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "lion", "ftrl",
        "adafactor", "lamb", "muon", "schedulefreeadamw", "Adam", "RMSprop"})
    CHECK(std::dynamic_pointer_cast<Optimizer>(make_by_name("keras.optimizers", name)));
}

TEST_CASE("an optimizer goes on from assigned state") {
  const ordered_json goldens = read_goldens();
  const auto make = [] {
    return std::make_shared<optimizers::AdamOptimizer>(optimizers::AdamConfig{});
  };
  const auto first = make(), second = make();
  std::vector<Variable> a = make_variables(goldens), b = make_variables(goldens);
  for (size_t step = 0; step < 2; ++step) first->apply(gradients_of(goldens, step), a);
  second->build(b);
  const std::vector<Variable> from = first->variables();
  std::vector<Variable> to = second->variables();
  for (size_t i = 0; i < from.size(); ++i) to[i].assign(from[i].value());
  for (size_t i = 0; i < a.size(); ++i) b[i].assign(a[i].value());
  first->apply(gradients_of(goldens, 2), a);
  second->apply(gradients_of(goldens, 2), b);
  CHECK(second->iterations().item() == 3);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(a[i].value().to_vector<float>() == b[i].value().to_vector<float>());
}

TEST_CASE("the learning rate can be read and set") {
  optimizers::SGD sgd({.learning_rate = 0.5});
  CHECK(sgd->learning_rate() == 0.5);
  sgd->set_learning_rate(0.25);
  CHECK(sgd->learning_rate() == 0.25);
  Variable w(ops::ones({2}));
  sgd->apply({ops::ones({2})}, {w});
  CHECK(w.value().to_vector<float>() == std::vector<float>{0.75f, 0.75f});
  CHECK(sgd->variables().size() == 2);

  optimizers::SGD scheduled({.learning_rate = optimizers::schedules::CosineDecay(
                                 {.initial_learning_rate = 1, .decay_steps = 2})});
  CHECK(scheduled->learning_rate() == 1);
  scheduled->apply({ops::ones({2})}, {w});
  CHECK(scheduled->learning_rate() == Approx(0.5));
  CHECK(scheduled->variables().size() == 1);
  CHECK_THROWS_AS(scheduled->set_learning_rate(0.1), StateError);
}

TEST_CASE("variables of other float types are updated in theirs") {
  for (const DType dtype : {DType::float64, DType::float16, DType::bfloat16}) {
    INFO(dtype_name(dtype));
    optimizers::Adam adam({.learning_rate = 0.125});
    Variable w(ops::ones({3}, dtype));
    adam->apply({ops::ones({3}, dtype)}, {w});
    CHECK(w.dtype() == dtype);
    CHECK(adam->variables()[2].dtype() == dtype);
    CHECK(w.value().to_vector<double>()[0] == Approx(0.875).epsilon(5e-3));
  }
  optimizers::Adam adam({.learning_rate = 0.125});
  Variable w(ops::ones({1}, DType::float64));
  adam->apply({ops::ones({1}, DType::float64)}, {w});
  CHECK(w.value().item() == Approx(1 - 0.125 / (1 + 1e-7 / std::sqrt(1e-3))).epsilon(1e-14));
}

TEST_CASE("mistakes with optimizers are explained") {
  using optimizers::SGD;
  CHECK(message_of([&] {
          static_cast<void>(SGD({.clipnorm = 1.0, .clipvalue = 1.0}));
        }).find("only one of clipnorm") != std::string::npos);
  CHECK_THROWS_AS(SGD({.gradient_accumulation_steps = 1}), ValueError);
  CHECK_THROWS_AS(SGD({.use_ema = true, .ema_momentum = 1.5}), ValueError);
  CHECK_THROWS_AS(SGD({.momentum = 2}), ValueError);
  CHECK_THROWS_AS(optimizers::AdamW({.weight_decay = std::nullopt}), ValueError);
  CHECK(message_of([&] {
          static_cast<void>(make_by_name("keras.optimizers", "adan"));
        }).find("adam") != std::string::npos);

  SGD sgd;
  Variable w(ops::ones({2})), other(ops::ones({2}));
  CHECK_THROWS_AS(sgd->apply({ops::ones({2})}), StateError);
  CHECK_THROWS_AS(sgd->apply({ops::ones({2})}, {w, other}), ValueError);
  CHECK_THROWS_AS(sgd->apply({Tensor()}, {w}), ValueError);
  sgd->apply({}, std::vector<Variable>{});
  CHECK(sgd->iterations().item() == 0);
  sgd->apply({ops::ones({2})}, {w});
  CHECK(message_of([&] {
          static_cast<void>(sgd->apply({ops::ones({2})}, {other}));
        }).find("not built for") != std::string::npos);
  CHECK_THROWS_AS(sgd->build({other}), ValueError);
  CHECK_THROWS_AS(sgd->apply({ops::ones({1})}, {w}), ShapeError);
}

TEST_CASE("iterations are updates, also where gradients are accumulated") {
  const optimizers::SGD sgd({.gradient_accumulation_steps = 4}), plain(optimizers::SGDConfig{});
  Variable v(Tensor::from({1.0f}, {1}), {.name = "v"});
  for (int step = 0; step < 10; ++step) {
    sgd->apply({v.value()}, {v});
    plain->apply({v.value()}, {v});
  }
  CHECK(sgd->iterations().item() == 2);
  CHECK(sgd->iterations().dtype() == DType::int64);
  CHECK(sgd->variables()[0].value().item() == 10);  // in files, as Keras's
  CHECK(plain->iterations().item() == 10);
}

}  // namespace optimizers_test
