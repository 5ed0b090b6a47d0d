// Faults that gradients and trial steps show, and that nothing of the steps remains.
#include "support.h"

namespace diagnose_training_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Ids regress(Model& model, const Problem& p, Choice<Optimizer> optimizer = "adam") {
  model.compile({.optimizer = optimizer, .loss = "mse"});
  return ids_of(model.diagnose(p.x, p.regression()));
}

std::shared_ptr<Sequential> deep(int layers_, const char* activation,
                                 Choice<Initializer> initializer) {
  auto model = std::make_shared<Sequential>();
  for (int i = 0; i < layers_; ++i)
    model->add(
        layers::Dense({.units = 32, .activation = activation, .kernel_initializer = initializer}));
  model->add(layers::Dense({.units = 1}));
  return model;
}

}  // namespace

TEST_CASE("diagnose names learning rates that are too high") {
  const Problem p;
  for (double rate : {5.0, 100.0}) {
    Sequential model = mlp(1, "linear");
    CHECK(regress(model, p, optimizers::SGD({.learning_rate = rate})) == Ids{"learning_rate_high"});
  }
  for (double rate : {1.0, 10.0}) {
    Sequential model = mlp(1, "linear");
    CHECK(regress(model, p, optimizers::Adam({.learning_rate = rate})) ==
          Ids{"learning_rate_high"});
  }
  Sequential given = mlp(1, "linear");
  given.compile({.optimizer = "adam", .loss = "mse"});
  CHECK(ids_of(given.diagnose(p.x, p.regression(), {.learning_rate = 3})) ==
        Ids{"learning_rate_high"});
}

TEST_CASE("diagnose names learning rates that are too low") {
  const Problem p;
  Sequential one = mlp(1, "linear"), two = mlp(1, "linear"), three = mlp(1, "linear");
  CHECK(regress(one, p, optimizers::SGD({.learning_rate = 1e-6})) == Ids{"learning_rate_low"});
  CHECK(regress(two, p, optimizers::Adam({.learning_rate = 1e-7})) == Ids{"learning_rate_low"});
  CHECK(regress(three, p, optimizers::Adam({.learning_rate = 1e-9})) == Ids{"learning_rate_low"});
}

TEST_CASE("diagnose takes optimizers that have no single learning rate") {
  const Problem p;
  const optimizers::MultiOptimizer groups(
      {.optimizer_map = optimizers::OptimizerMap(
           {.default_optimizer = "adam",
            .optimizer_map = {{".*bias", optimizers::SGD({.learning_rate = 0.1})}}})});
  Sequential bare = mlp(1, "linear"), scaled = mlp(1, "linear");
  CHECK(regress(bare, p, groups).empty());
  CHECK(regress(scaled, p, optimizers::LossScaleOptimizer({.inner_optimizer = groups})).empty());
}

TEST_CASE("diagnose names gradients that vanish and explode") {
  const Problem p;
  CHECK(regress(*deep(12, "sigmoid", "glorot_uniform"), p) == Ids{"gradient_vanishes"});
  CHECK(regress(*deep(6, "relu", initializers::RandomNormal({.stddev = 2})), p) ==
        Ids{"gradient_explodes"});
  CHECK(regress(*deep(12, "relu", "he_normal"), p).empty());
  CHECK(regress(*deep(3, "sigmoid", "glorot_uniform"), p).empty());
}

TEST_CASE("diagnose names weights without a gradient") {
  const Problem p;
  Input x({8});
  const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(x);
  Functional cut(x, layers::Dense({.units = 1})(ops::round(hidden)));
  CHECK(regress(cut, p) == Ids{"no_gradient"});
}

TEST_CASE("diagnose names float16 results that overflow") {
  const Problem p;
  Sequential model({layers::Dense({.units = 16,
                                   .kernel_initializer = initializers::Constant({.value = 300}),
                                   .dtype = "mixed_float16"}),
                    layers::Dense({.units = 16,
                                   .kernel_initializer = initializers::Constant({.value = 300}),
                                   .dtype = "mixed_float16"}),
                    layers::Dense({.units = 1, .dtype = "float32"})});
  CHECK(regress(model, p) == Ids{"half_overflow"});
}

namespace {

std::vector<double> all_state(Model& model) {
  std::vector<double> numbers;
  const auto add = [&](const Tensor& t) {
    const auto values = t.to_vector<double>();
    numbers.insert(numbers.end(), values.begin(), values.end());
  };
  for (const Tensor& t : model.get_weights()) add(t);
  for (const Variable& v : model.optimizer()->variables()) add(v.value());
  for (const auto& layer : model.sublayers())
    for (const auto& seed : layer->seed_generators()) add(seed->state().value());
  for (const auto& [name, value] : model.get_metrics_result()) add(value);
  return numbers;
}

}  // namespace

TEST_CASE("diagnose leaves the model as it was") {
  const Problem p;
  Sequential model({layers::Dense({.units = 16, .activation = "relu"}),
                    layers::BatchNormalization(), layers::Dropout({.rate = 0.2}),
                    layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  model.fit(p.x, p.binary(), {.epochs = 1, .verbose = Verbose::silent, .shuffle = false});
  const auto optimizer = model.optimizer();
  const std::vector<double> before = all_state(model);
  CHECK(ids_of(model.diagnose(p.x, p.binary())).empty());
  CHECK(all_state(model) == before);
  CHECK(model.optimizer() == optimizer);

  // Nor does what follows change.
  Sequential twin({layers::Dense({.units = 16, .activation = "relu"}), layers::BatchNormalization(),
                   layers::Dense({.units = 1})});
  twin.compile({.optimizer = "adam", .loss = "mse"});
  twin.diagnose(p.x, p.regression());
  CHECK_FALSE(twin.optimizer()->built());
  const std::vector<Tensor> begin = twin.get_weights();
  const FitOptions fit{.epochs = 2, .verbose = Verbose::silent, .shuffle = false};
  const History first = twin.fit(p.x, p.regression(), fit);
  twin.set_weights(begin);
  twin.compile({.optimizer = "adam", .loss = "mse"});
  CHECK(twin.fit(p.x, p.regression(), fit)["loss"] == first["loss"]);
}

}  // namespace diagnose_training_test
