// LossScaleOptimizer: what a gradient that is not finite does, and who puts it around an optimizer.
#include <catch.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>
#include <cornu/optimizers/adam.h>
#include <cornu/optimizers/loss_scale_optimizer.h>
#include <cornu/optimizers/sgd.h>

#include <limits>

namespace loss_scale_optimizer_test {

using namespace cornu;
using optimizers::LossScaleOptimizer;

namespace {

double scale_of(const LossScaleOptimizer& optimizer) {
  return optimizer->dynamic_scale().value().item();
}

// Steps with gradients 1, 1, infinity, 1; the scale doubles after two finite ones.
void check_steps(bool compiled) {
  LossScaleOptimizer optimizer({.inner_optimizer = optimizers::SGD({.learning_rate = 1.0}),
                                .initial_scale = 8,
                                .dynamic_growth_steps = 2});
  Variable w(ops::zeros({2}));
  CHECK_FALSE(optimizer->dynamic_scale());
  optimizer->build({w});
  CHECK(scale_of(optimizer) == 8);
  CHECK(optimizer->dynamic_scale() == optimizer->variables()[3]);
  CHECK(optimizer->step_counter() == optimizer->variables()[2]);
  Function step([&](const Nest& g) {
    optimizer->apply({g[0].tensor()}, {w});
    return Nest();
  });
  step.set_enabled(compiled);
  const double infinity = std::numeric_limits<double>::infinity();
  const double gradients[] = {8, 8, infinity, 8, 8, 16};
  const double scales[] = {8, 16, 8, 8, 16, 16}, values[] = {-1, -2, -2, -3, -4, -5};
  const double counts[] = {1, 0, 0, 1, 0, 1};
  for (int i = 0; i < 6; ++i) {
    INFO("step " << i);
    step(Nest(Nest::List{ops::full({2}, Tensor(gradients[i]))}));
    CHECK(scale_of(optimizer) == scales[i]);
    CHECK(optimizer->step_counter().value().item() == counts[i]);
    CHECK(w.value().to_vector<double>()[1] == values[i]);
  }
  CHECK(optimizer->inner_optimizer()->iterations().item() == 5);
  CHECK(optimizer->iterations().item() == 5);
  if (compiled) CHECK(step.report().replays > 0);
}

}  // namespace

TEST_CASE("a step with a gradient that is not finite changes the scale only") {
  check_steps(false);
  check_steps(true);
}

TEST_CASE("LossScaleOptimizer scales the loss, and has the inner optimizer's rate") {
  const optimizers::Adam adam({.learning_rate = 0.5, .loss_scale_factor = 4});
  LossScaleOptimizer optimizer({.inner_optimizer = adam, .initial_scale = 16});
  CHECK(optimizer->scale_loss(Tensor(2.0)).item() == 32);
  CHECK(optimizer->learning_rate() == 0.5);
  optimizer->set_learning_rate(0.25);
  CHECK(adam->learning_rate() == 0.25);
  // The factor of the inner optimizer has no effect.
  optimizers::Adam plain({.learning_rate = 0.25});
  Variable a(ops::ones({2})), b(ops::ones({2}));
  optimizer->apply({ops::full({2}, Tensor(16e-3))}, {a});
  plain->apply({ops::full({2}, Tensor(1e-3))}, {b});
  CHECK(a.value().to_vector<double>()[0] == Approx(b.value().to_vector<double>()[0]));
  CHECK_THROWS_AS(LossScaleOptimizer({.inner_optimizer = adam, .initial_scale = 0}), ValueError);
}

TEST_CASE("LossScaleOptimizer leaves gradients that are values as they are") {
  LossScaleOptimizer optimizer(
      {.inner_optimizer = optimizers::SGD({.learning_rate = 1.0, .loss_scale_factor = 4}),
       .initial_scale = 16});
  Variable w(ops::zeros({2})), scale(ops::ones({}));
  scale.set_overwrite_with_gradient(true);
  optimizer->apply({ops::full({2}, Tensor(16.0)), ops::full({}, Tensor(3.0))}, {w, scale});
  CHECK(w.value().to_vector<double>()[0] == -1);
  CHECK(scale.value().item() == 3);
}

TEST_CASE("LossScaleOptimizer reads files with options of the base in them") {
  const Value::Dict inner = serialize(*optimizers::SGD()).get<Value::Dict>();
  const ClassInfo* info = catalog().find("keras.optimizers", "LossScaleOptimizer");
  REQUIRE(info);
  CHECK(info->make({{"inner_optimizer", inner}, {"weight_decay", Value()}, {"use_ema", false}}));
  CHECK_THROWS_AS(info->make({{"inner_optimizer", inner}, {"use_ema", true}}), ValueError);
}

TEST_CASE("compile puts it around the optimizer of a model in mixed_float16") {
  const auto compiled = [](const char* policy, bool automatic) {
    const PolicyScope scope(policy);
    Sequential model({layers::Dense({.units = 1})});
    model.compile({.optimizer = "sgd", .loss = "mse", .auto_scale_loss = automatic});
    return std::dynamic_pointer_cast<LossScaling>(model.optimizer()) != nullptr;
  };
  CHECK(compiled("mixed_float16", true));
  CHECK_FALSE(compiled("mixed_float16", false));
  CHECK_FALSE(compiled("float32", true));
}

}  // namespace loss_scale_optimizer_test
