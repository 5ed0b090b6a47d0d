// What optimizers and schedules refuse, and what they say: options out of range, misspelt ones, and
// gradients that do not belong to them. A step that was refused changes nothing.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <cmath>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace optimizer_mistakes_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::pattern;

namespace {

const std::vector<std::string> all_optimizers = {
    "SGD",   "Adam", "AdamW", "RMSprop",   "Adagrad", "Adadelta", "Adamax",
    "Nadam", "Lion", "Ftrl",  "Adafactor", "Lamb",    "Muon",     "ScheduleFreeAdamW"};

// An object of the class with options as JSON.
std::shared_ptr<Configurable> make(const char* module, const std::string& name,
                                   const std::string& options) {
  const ClassInfo* const info = catalog().find(module, name);
  REQUIRE(info);
  return info->make(parse_json(options, "the test").get<Value::Dict>());
}

std::shared_ptr<Optimizer> optimizer(const std::string& name, const std::string& options = "{}") {
  return std::dynamic_pointer_cast<Optimizer>(make("keras.optimizers", name, options));
}

std::string refusal(const std::string& name, const std::string& options) {
  return error_of([&] { optimizer(name, options); });
}

std::string schedule_refusal(const std::string& name, const std::string& options) {
  return error_of([&] { make("keras.optimizers.schedules", name, options); });
}

}  // namespace

TEST_CASE("options that all optimizers have are checked by all") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    for (const char* options :
         {R"({"clipnorm": 1.0, "clipvalue": 0.5})", R"({"clipnorm": 1.0, "global_clipnorm": 0.5})",
          R"({"clipvalue": 1.0, "global_clipnorm": 0.5})"})
      CHECK(has(refusal(name, options), "only one of clipnorm"));
    CHECK(has(refusal(name, R"({"gradient_accumulation_steps": 1})"), "at least 2"));
    CHECK(has(refusal(name, R"({"gradient_accumulation_steps": -3})"), "-3"));
    CHECK(has(refusal(name, R"({"use_ema": true, "ema_momentum": 1.5})"), "[0, 1]"));
    CHECK(has(refusal(name, R"({"use_ema": true, "ema_momentum": -0.5})"), "-0.5"));
    CHECK(has(refusal(name, R"({"use_ema": true, "ema_overwrite_frequency": -1})"),
              "ema_overwrite_frequency"));
    // Without averages their momentum is of no interest.
    CHECK(refusal(name, R"({"use_ema": false, "ema_momentum": 1.5})") == "no error");
  }
}

TEST_CASE("options that are misspelt are answered with the nearest") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    CHECK(has(refusal(name, R"({"learningrate": 0.1})"), "learning_rate"));
    CHECK(has(refusal(name, R"({"weight_deacy": 0.1})"), "weight_decay"));
    CHECK(has(refusal(name, R"({"clip_norm": 0.1})"), "clipnorm"));
    CHECK(has(refusal(name, R"({"learning_rate": "fast"})"), "learning_rate"));
    CHECK(has(refusal(name, R"({"use_ema": 0.5})"), "use_ema"));
  }
  CHECK(has(refusal("Adam", R"({"beta1": 0.9})"), "beta_1"));
  CHECK(has(refusal("RMSprop", R"({"centred": true})"), "centered"));
  CHECK(has(refusal("SGD", R"({"nestrov": true})"), "nesterov"));
  CHECK(has(refusal("Ftrl", R"({"l1_regularization_strenght": 1})"), "l1_regularization_strength"));
  CHECK(has(refusal("Muon", R"({"ns_step": 1})"), "ns_steps"));
}

TEST_CASE("options of single optimizers have ranges") {
  CHECK(has(refusal("SGD", R"({"momentum": 1.5})"), "[0, 1]"));
  CHECK(has(refusal("SGD", R"({"momentum": -0.1})"), "-0.1"));
  CHECK(has(refusal("Lion", R"({"beta_1": 0.0})"), "(0, 1]"));
  CHECK(has(refusal("Lion", R"({"beta_1": 1.5})"), "1.5"));
  CHECK(has(refusal("AdamW", R"({"weight_decay": null})"), "Adam"));
  CHECK(has(refusal("Ftrl", R"({"learning_rate_power": 0.5})"), "at most 0"));
  CHECK(has(refusal("Ftrl", R"({"initial_accumulator_value": -1.0})"), "at least 0"));
  CHECK(has(refusal("Ftrl", R"({"l2_regularization_strength": -1.0})"), "l2_regularization"));
  CHECK(has(refusal("Ftrl", R"({"l2_shrinkage_regularization_strength": -1.0})"), "shrinkage"));
  CHECK(has(refusal("Muon", R"({"exclude_layers": ["("]})"), "regular expression"));
}

TEST_CASE("a step that was refused changes nothing") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto o = optimizer(name);
    Variable a(pattern("real 2x3")), b(pattern("real 3 ~1")), other(pattern("real 3"));
    o->apply({pattern("real 2x3 ~2"), pattern("real 3 ~3")}, {a, b});
    std::vector<Tensor> before = {a.value(), b.value()};
    for (const Variable& v : o->variables()) before.push_back(v.value());
    const Tensor fit = pattern("real 2x3 ~4");
    CHECK(has(error_of([&] { o->apply({fit}, {a, b}); }), "2 variables"));
    CHECK(has(error_of([&] { o->apply({fit, pattern("real 2")}, {a, b}); }), "(2"));
    CHECK(has(error_of([&] { o->apply({fit, pattern("real 3")}, {a, other}); }), "not built for"));
    CHECK(has(error_of([&] { o->apply({Tensor(), Tensor()}, {a, b}); }), "no variable"));
    std::vector<Tensor> after = {a.value(), b.value()};
    for (const Variable& v : o->variables()) after.push_back(v.value());
    REQUIRE(after.size() == before.size());
    for (size_t i = 0; i < after.size(); ++i) CHECK(test::identical(after[i], before[i]));
  }
}

TEST_CASE("schedules refuse options that make no sense") {
  CHECK(has(schedule_refusal("ExponentialDecay", R"({"initial_learning_rate": 0.1,
      "decay_steps": 0, "decay_rate": 0.5})"),
            "decay_steps"));
  CHECK(has(schedule_refusal("InverseTimeDecay", R"({"initial_learning_rate": 0.1,
      "decay_steps": -1, "decay_rate": 0.5})"),
            "-1"));
  CHECK(has(schedule_refusal("PolynomialDecay", R"({"initial_learning_rate": 0.1,
      "decay_steps": 0})"),
            "positive"));
  CHECK(has(schedule_refusal("CosineDecayRestarts", R"({"initial_learning_rate": 0.1,
      "first_decay_steps": 0})"),
            "first_decay_steps"));
  CHECK(has(schedule_refusal("PiecewiseConstantDecay", R"({"boundaries": [1, 2],
      "values": [0.1]})"),
            "2 boundaries"));
  CHECK(has(schedule_refusal("ExponentialDecay", R"({"initial_learning_rate": 0.1})"),
            "decay_steps"));
  CHECK(has(schedule_refusal("CosineDecay", R"({"initial_learning_rate": 0.1, "decay_step": 3})"),
            "decay_steps"));
  CHECK(has(schedule_refusal("PolynomialDecay", R"({"initial_learning_rate": 0.1,
      "decay_steps": 3, "powr": 2})"),
            "power"));
}

TEST_CASE("optimizers of optimizers refuse what they cannot hold") {
  using namespace optimizers;
  CHECK(has(error_of([] { LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = -1}); }),
            "initial_scale"));
  CHECK(has(
      error_of([] { LossScaleOptimizer({.inner_optimizer = "sgd", .dynamic_growth_steps = 0}); }),
      "dynamic_growth_steps"));
  CHECK(has(error_of([] { LossScaleOptimizer({.inner_optimizer = "sdg"}); }), "sgd"));
  const OptimizerMap map({.default_optimizer = "sgd"});
  const MultiOptimizer inner({.optimizer_map = map});
  CHECK(has(error_of([&] {
              MultiOptimizer({.optimizer_map = OptimizerMap({.default_optimizer = inner})});
            }),
            "one map"));
}

TEST_CASE("learning rates may be set to numbers only where they are numbers") {
  const auto plain = optimizer("Adam");
  plain->set_learning_rate(0.5);
  CHECK(plain->learning_rate() == 0.5);
  const auto scheduled = optimizer("Adam", R"({"learning_rate": {
      "module": "keras.optimizers.schedules", "class_name": "ExponentialDecay", "config":
      {"initial_learning_rate": 0.5, "decay_steps": 2, "decay_rate": 0.25}}})");
  CHECK(scheduled->learning_rate() == 0.5);
  CHECK(has(error_of([&] { scheduled->set_learning_rate(0.1); }), "schedule"));
  CHECK(scheduled->learning_rate() == 0.5);
}

}  // namespace optimizer_mistakes_test
