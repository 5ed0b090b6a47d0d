// Training that is saved and loaded in the middle, for each option that adds state to an optimizer:
// the rest of it is the same to the bit, also within a round of accumulated gradients.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include "../support/contract.h"
#include "../support/gradient_check.h"
#include "../support/temporary.h"

namespace optimizer_files_test {

using namespace cornu;
using test::identical;

namespace {

using MakeOptimizer = std::function<std::shared_ptr<Optimizer>()>;

const Tensor inputs = ops::cast(test::noise({12, 3}, -1, 1, 3), DType::float32);
const Tensor targets = ops::sum(inputs, -1, true);

std::shared_ptr<Sequential> make_model(const std::shared_ptr<Optimizer>& optimizer) {
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({3}),
      layers::Dense({.units = 4,
                     .activation = "tanh",
                     .kernel_initializer = initializers::GlorotUniform({.seed = 1}),
                     .kernel_constraint = constraints::MaxNorm({.max_value = 2})}),
      layers::Dense({.units = 1, .kernel_initializer = initializers::GlorotUniform({.seed = 2})})});
  model->compile({.optimizer = optimizer, .loss = "mse"});
  return model;
}

// Three steps an epoch.
void train(Model& model, int64_t epochs) {
  model.fit(inputs, targets,
            {.batch_size = 4, .epochs = epochs, .verbose = Verbose::silent, .shuffle = false});
}

void check_state(const Optimizer& a, const Optimizer& b) {
  const std::vector<Variable> mine = a.variables(), other = b.variables();
  REQUIRE(mine.size() == other.size());
  for (size_t i = 0; i < mine.size(); ++i) {
    INFO("state " << i << ", " << mine[i].path());
    CHECK(other[i].path() == mine[i].path());
    CHECK(identical(mine[i].value(), other[i].value()));
  }
}

void check_weights(const Model& a, const Model& b) {
  const auto mine = a.get_weights(), other = b.get_weights();
  REQUIRE(mine.size() == other.size());
  for (size_t i = 0; i < mine.size(); ++i) {
    INFO("weight " << i);
    CHECK(identical(mine[i], other[i]));
  }
}

void check_resumed(const MakeOptimizer& make) {
  const test::TemporaryFolder folder;
  const auto model = make_model(make());
  train(*model, 3);  // nine steps
  const std::string path = folder / "model.keras";
  model->save(path);
  const auto loaded = load_model(path);
  REQUIRE(loaded->optimizer());
  std::string where;
  test::same(serialize(*loaded->optimizer()), serialize(*model->optimizer()), where);
  INFO("differs at " << where);
  CHECK(where.empty());
  check_state(*model->optimizer(), *loaded->optimizer());
  train(*model, 2);
  train(*loaded, 2);
  check_weights(*model, *loaded);
  check_state(*model->optimizer(), *loaded->optimizer());
}

std::shared_ptr<Optimizer> named(const std::string& name, Value::Dict options) {
  const ClassInfo* const info = catalog().find("keras.optimizers", name);
  REQUIRE(info);
  if (!detail::find(options, "learning_rate")) options.emplace_back("learning_rate", 0.03125);
  return std::dynamic_pointer_cast<Optimizer>(info->make(options));
}

}  // namespace

TEST_CASE("optimizers go on from files with the options that all have") {
  const std::vector<Value::Dict> all_options = {
      {{"use_ema", true}, {"ema_momentum", 0.5}, {"ema_overwrite_frequency", int64_t{2}}},
      {{"gradient_accumulation_steps", int64_t{2}}, {"weight_decay", 0.1}, {"clipnorm", 0.5}},
      {{"gradient_accumulation_steps", int64_t{4}},
       {"use_ema", true},
       {"ema_momentum", 0.75},
       {"global_clipnorm", 1.0},
       {"loss_scale_factor", 8.0}}};
  for (const char* name :
       {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Lion", "Ftrl",
        "Adafactor", "Lamb", "Muon", "ScheduleFreeAdamW"})
    for (const Value::Dict& options : all_options) {
      INFO(name << " " << cornu::to_json(options));
      check_resumed([&] { return named(name, options); });
    }
}

TEST_CASE("optimizers go on from files with options of their own") {
  const std::vector<std::pair<std::string, Value::Dict>> cases = {
      {"SGD", {{"momentum", 0.75}}},
      {"SGD", {{"momentum", 0.75}, {"nesterov", true}}},
      {"Adam", {{"amsgrad", true}}},
      {"AdamW", {{"amsgrad", true}, {"weight_decay", 0.5}}},
      {"RMSprop", {{"momentum", 0.5}, {"centered", true}}},
      {"RMSprop", {{"centered", true}}},
      {"Adafactor", {{"relative_step", false}}},
      {"Ftrl", {{"l1_regularization_strength", 0.01}, {"initial_accumulator_value", 0.0}}},
      {"Muon", {{"weight_decay", Value()}, {"exclude_layers", Value::List{"dense_1"}}}},
      {"ScheduleFreeAdamW", {{"warmup_steps", int64_t{5}}}}};
  for (const auto& [name, options] : cases) {
    INFO(name << " " << cornu::to_json(options));
    check_resumed([&, n = name, o = options] { return named(n, o); });
  }
}

TEST_CASE("optimizers go on from files by each kind of schedule") {
  namespace schedules = optimizers::schedules;
  const std::vector<Number> bounds = {4, 11}, values = {0.25, 0.125, 0.0625};
  const std::vector<LearningRate> rates = {
      schedules::ExponentialDecay(
          {.initial_learning_rate = 0.25, .decay_steps = 3, .decay_rate = 0.5, .staircase = true}),
      schedules::InverseTimeDecay(
          {.initial_learning_rate = 0.25, .decay_steps = 3, .decay_rate = 0.5}),
      schedules::PolynomialDecay({.initial_learning_rate = 0.25, .decay_steps = 4, .cycle = true}),
      schedules::PiecewiseConstantDecay({.boundaries = bounds, .values = values}),
      schedules::CosineDecay({.initial_learning_rate = 0.0,
                              .decay_steps = 5,
                              .alpha = 0.25,
                              .warmup_target = 0.25,
                              .warmup_steps = 10}),
      schedules::CosineDecayRestarts({.initial_learning_rate = 0.25, .first_decay_steps = 3})};
  for (const LearningRate& rate : rates) {
    INFO(cornu::to_json(serialize(*rate.schedule())));
    check_resumed([&] {
      return optimizers::Adam({.learning_rate = rate, .gradient_accumulation_steps = 2}).shared();
    });
  }
}

TEST_CASE("optimizers of optimizers go on from files") {
  check_resumed([] {
    return optimizers::MultiOptimizer(
               {.optimizer_map = optimizers::OptimizerMap(
                    {.default_optimizer = optimizers::SGD({.momentum = 0.5}),
                     .optimizer_map = {{".*bias", optimizers::Adam({.amsgrad = true})},
                                       {".*dense_1/kernel",
                                        optimizers::RMSprop({.centered = true})}}}),
                .loss_scale_factor = 4.0})
        .shared();
  });
  check_resumed([] {
    return optimizers::LossScaleOptimizer(
               {.inner_optimizer = optimizers::Adam({.use_ema = true, .ema_momentum = 0.5}),
                .initial_scale = 1024,
                .dynamic_growth_steps = 4})
        .shared();
  });
}

TEST_CASE("a learning rate that was set goes into files") {
  const test::TemporaryFolder folder;
  const auto model = make_model(named("Adam", {}));
  train(*model, 1);
  model->optimizer()->set_learning_rate(0.0078125);
  model->save(folder / "model.keras");
  const auto loaded = load_model(folder / "model.keras");
  CHECK(loaded->optimizer()->learning_rate() == 0.0078125);
  train(*model, 1);
  train(*loaded, 1);
  check_weights(*model, *loaded);
}

TEST_CASE("the state of an optimizer with other options does not fit, and says so") {
  const test::TemporaryFolder folder;
  const auto with = make_model(named("SGD", {{"momentum", 0.5}})),
             without = make_model(named("SGD", {}));
  train(*with, 1);
  train(*without, 1);
  const std::vector<Variable> many = with->optimizer()->variables();
  std::vector<Tensor> values;
  for (const Variable& v : many) values.push_back(v.value());
  CHECK_THROWS_AS(without->optimizer()->stateless_apply(
                      values, {}, StateValues(without->trainable_variables())),
                  ValueError);
}

TEST_CASE("weights that are frozen keep their values and their optimizer's state") {
  for (const char* name : {"SGD", "Adam", "Muon", "Lamb"}) {
    INFO(name);
    const auto model = make_model(named(name, {{"weight_decay", 0.5}}));
    model->layers()[0]->set_trainable(false);
    model->compile({.optimizer = named(name, {{"weight_decay", 0.5}}), .loss = "mse"});
    const auto before = model->get_weights();
    train(*model, 2);
    const auto after = model->get_weights();
    CHECK(identical(before[0], after[0]));
    CHECK(identical(before[1], after[1]));
    CHECK_FALSE(identical(before[2], after[2]));
  }
}

}  // namespace optimizer_files_test
