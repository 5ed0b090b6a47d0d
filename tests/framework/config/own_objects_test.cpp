// Initializers, regularizers, constraints and schedules of one's own in options, and calls of those
// that are found by name.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/matchers.h"

namespace own_objects_test {

using namespace cornu;
using cornu::test::contains;

namespace {

// Neither has a get_config.
class Cubes : public Regularizer {
 public:
  Tensor operator()(const Tensor& x) override { return ops::sum(x * x * x); }
};
class Half : public Constraint {
 public:
  Tensor operator()(const Tensor& x) override { return x * 0.5; }
};
// An optimizer without slots.
class Descent : public Optimizer {
 public:
  explicit Descent(double rate) : Optimizer({.name = "descent", .learning_rate = rate}) {}

 protected:
  void update_step(size_t, const Tensor& gradient, Variable& variable,
                   const Tensor& rate) override {
    variable.assign_sub(rate * gradient);
  }
};

struct RampConfig {
  double step = 0.5;
};
class Ramp : public InitializerOf<Ramp, RampConfig> {
 public:
  using InitializerOf::InitializerOf;
  Tensor operator()(const Shape& shape, DType dtype) override {
    return ops::cast(ops::full(shape, config.step), dtype);
  }
};

struct PowerConfig {
  Required<double> power;
};
class Power : public RegularizerOf<Power, PowerConfig> {
 public:
  using RegularizerOf::RegularizerOf;
  Tensor operator()(const Tensor& x) override { return ops::sum(ops::power(x, *config.power)); }
};

struct BoundedConfig {
  double bound = 0.25;
};
class Bounded : public ConstraintOf<Bounded, BoundedConfig> {
 public:
  using ConstraintOf::ConstraintOf;
  Tensor operator()(const Tensor& x) override { return ops::clip(x, -config.bound, config.bound); }
};

struct HalvesConfig {
  double rate = 0.5;
};
class Halves : public LearningRateScheduleOf<Halves, HalvesConfig> {
 public:
  using LearningRateScheduleOf::LearningRateScheduleOf;
  Tensor operator()(const Tensor& step) override {
    return config.rate / (1.0 + ops::cast(step, DType::float32));
  }
};

CORNU_REGISTER("tests>Ramp", Ramp);
CORNU_REGISTER("tests>Power", Power);

}  // namespace

TEST_CASE("a class without options is an option by a shared pointer") {
  const layers::Dense dense(
      {.units = 1, .kernel_initializer = "ones", .kernel_regularizer = std::make_shared<Cubes>()});
  dense(ops::ones({1, 3}));
  CHECK(dense->losses().at(0).item() == 3);
  CHECK_THROWS_WITH(serialize(Cubes()), contains("Cubes is not registered"));
}

TEST_CASE("classes that are not saved need no get_config") {
  const layers::Dense dense({.units = 1,
                             .use_bias = false,
                             .kernel_initializer = "ones",
                             .kernel_constraint = std::make_shared<Half>()});
  Sequential model({Input({2}), dense});
  model.compile({.optimizer = std::make_shared<Descent>(0.25), .loss = "mse"});
  // The kernel's gradient is 4 for each element.
  model.train_on_batch(ops::ones({4, 2}), ops::zeros({4, 1}));
  CHECK(dense->kernel.value().to_vector<float>() == std::vector<float>{0, 0});
  model.train_on_batch(ops::ones({4, 2}), ops::ones({4, 1}));
  CHECK(dense->kernel.value().to_vector<float>() == std::vector<float>{0.25, 0.25});
  CHECK_THROWS_WITH(Cubes().get_config(), contains("Cubes' cannot be saved: the class has no "
                                                   "get_config"));
  CHECK_THROWS_AS(Descent(0.25).get_config(), StateError);
  CHECK_THROWS_AS(dense->get_config(), StateError);
}

TEST_CASE("classes with options are options and read from files") {
  const layers::Dense dense({.units = 2,
                             .kernel_initializer = Ref<Ramp>({.step = 0.75}),
                             .kernel_regularizer = Ref<Power>({.power = 2}),
                             .kernel_constraint = Ref<Bounded>(),
                             .name = "dense"});
  dense(ops::ones({1, 2}));
  CHECK(dense->losses().at(0).item() == 2.25);
  CHECK(ops::max(dense->config.kernel_constraint(dense->kernel)).item() == 0.25);
  const auto ramp = initializers::deserialize(initializers::serialize(Ramp({.step = 2})));
  CHECK(ramp({2}).shape() == Shape{2});
  CHECK(ops::max(ramp({2})).item() == 2);
}

TEST_CASE("a schedule of one's own is a learning rate") {
  const optimizers::SGD by_pointer({.learning_rate = std::make_shared<Halves>(HalvesConfig{})});
  const optimizers::SGD by_handle({.learning_rate = Ref<Halves>({.rate = 4})});
  CHECK(by_pointer->learning_rate() == 0.5);
  CHECK(by_handle->learning_rate() == 4);
}

TEST_CASE("a function is a learning rate, asked in each step") {
  double rate = 0.25;
  const optimizers::SGD sgd({.learning_rate = [&] { return rate; }});
  const layers::Dense dense({.units = 1, .use_bias = false, .kernel_initializer = "ones"});
  Sequential model({Input({1}), dense});
  model.compile({.optimizer = sgd, .loss = "mse"});
  const Tensor x = ops::ones({4, 1}), y = ops::zeros({4, 1});
  // Each step takes the fraction 2 * rate off; later ones are replays.
  for (int i = 0; i < 4; ++i) model.train_on_batch(x, y);
  CHECK(dense->kernel.value().item() == 0.0625);
  CHECK(sgd->learning_rate() == 0.25);
  rate = 0;
  model.train_on_batch(x, y);
  CHECK(dense->kernel.value().item() == 0.0625);
  rate = 0.5;
  model.train_on_batch(x, y);
  CHECK(dense->kernel.value().item() == 0);
  CHECK_THROWS_AS(sgd->set_learning_rate(0.1), StateError);
  CHECK_THROWS_WITH(sgd->get_config(), contains("a function, which files cannot hold"));
}

TEST_CASE("initializers are called with a shape in braces and a dtype by name") {
  CHECK(initializers::Zeros()({2, 2}).shape() == Shape{2, 2});
  CHECK(initializers::GlorotUniform({.seed = 1})({2, 3}, "float16").dtype() == DType::float16);
  CHECK(initializers::Ones()({2}, DType::int32).dtype() == DType::int32);
  CHECK(initializers::get("ones")({2, 3}).dtype() == DType::float32);
  CHECK(initializers::get(initializers::Zeros())({2, 3}, "float64").dtype() == DType::float64);
}

TEST_CASE("what get finds is called") {
  const Tensor x = ops::array({1.0, 3.0}), y = ops::array({2.0, 5.0});
  CHECK(losses::get("mse")(x, y).item() == 2.5);
  CHECK(regularizers::get("l2")(x).item() == Approx(0.1));
  CHECK(ops::min(constraints::get("non_neg")(-x)).item() == 0);
  CHECK(losses::get("mse")->name() == "mean_squared_error");
  const std::shared_ptr<Loss> loss = losses::get("mse");
  CHECK(loss->name() == "mean_squared_error");
  CHECK(regularizers::get(nullptr) == nullptr);
  CHECK_THROWS_WITH(regularizers::get(nullptr)(x), contains("keras.regularizers"));
}

TEST_CASE("get takes what describes an object") {
  const Value::Dict sgd{{"class_name", "SGD"}, {"config", Value::Dict{{"learning_rate", 0.5}}}};
  CHECK(optimizers::get(sgd)->learning_rate() == 0.5);
  CHECK(optimizers::get(Value(sgd))->learning_rate() == 0.5);
  CHECK(optimizers::get(optimizers::serialize(optimizers::SGD({.learning_rate = 0.75})))
            ->learning_rate() == 0.75);
  const Tensor x = ops::array({1.0, 3.0}), y = ops::array({2.0, 5.0});
  const auto named = [](const char* name, Value::Dict config = {}) {
    return Value::Dict{{"class_name", name}, {"config", config}};
  };
  CHECK(losses::get(named("MeanSquaredError"))(x, y).item() == 2.5);
  CHECK(metrics::get(named("Mean"))->name() == "mean");
  CHECK(ops::max(initializers::get(named("Constant", {{"value", 3}}))({2})).item() == 3);
  CHECK(regularizers::get(named("L2", {{"l2", 0.5}}))(x).item() == 5);
  CHECK(ops::min(constraints::get(named("NonNeg"))(-x)).item() == 0);
  CHECK(optimizers::schedules::get(
            named("ExponentialDecay",
                  {{"initial_learning_rate", 0.5}, {"decay_steps", 10}, {"decay_rate", 0.5}}))
            ->at(0) == 0.5);
  CHECK(activations::get(serialize(layers::LeakyReLU({.negative_slope = 0.5})))(-x)
            .to_vector<float>() == std::vector<float>{-0.5, -1.5});
  CHECK(activations::get(activations::serialize("relu")).name() == "relu");
  CHECK_THROWS_WITH(optimizers::get(named("SDG")), contains("Did you mean 'SGD'?"));
  CHECK_THROWS_AS(optimizers::get(Value(3)), ValueError);
  CHECK_THROWS_AS(losses::get(optimizers::serialize(optimizers::SGD())), ValueError);
}

TEST_CASE("handles are made from configs") {
  const auto config = layers::Dense({.units = 3, .activation = "relu"})->get_config();
  const auto dense = layers::Dense::from_config(config);
  CHECK(*dense->config.units == 3);
  CHECK(optimizers::Adam::from_config(optimizers::Adam({.learning_rate = 0.25})->get_config())
            ->learning_rate() == 0.25);
}

}  // namespace own_objects_test
