// MultiOptimizer and the map behind it.
#include <catch.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/optimizers/loss_scale_optimizer.h>
#include <cornu/optimizers/multi_optimizer.h>
#include <cornu/optimizers/sgd.h>

namespace multi_optimizer_test {

using namespace cornu;
using optimizers::MultiOptimizer;
using optimizers::OptimizerMap;
using optimizers::SGD;

TEST_CASE("a MultiOptimizer updates each variable by the optimizer of its path") {
  const SGD slow({.learning_rate = 0.25}), fast({.learning_rate = 1.0});
  const OptimizerMap map(
      {.default_optimizer = slow, .optimizer_map = {{"encoder/.*", fast}, {"head", fast}}});
  MultiOptimizer optimizer({.optimizer_map = map});
  CHECK(optimizer->optimizers().size() == 2);
  Variable a(ops::zeros({2})), b(ops::zeros({2})), c(ops::zeros({2}));
  a.set_path("encoder/kernel");
  b.set_path("head/kernel");
  c.set_path("head");
  for (int i = 0; i < 2; ++i)
    optimizer->apply({ops::ones({2}), ops::ones({2}), ops::ones({2})}, {a, b, c});
  CHECK(a.value().to_vector<float>()[0] == -2);
  CHECK(b.value().to_vector<float>()[0] == -0.5);
  CHECK(c.value().to_vector<float>()[0] == -2);
  CHECK(optimizer->iterations().item() == 2);
  CHECK(fast->iterations().item() == 2);
  CHECK(optimizer->variables().size() == 6);
  CHECK_THROWS_AS(optimizer->learning_rate(), StateError);
  CHECK_THROWS_AS(optimizer->set_learning_rate(1), StateError);
}

TEST_CASE("a MultiOptimizer's loss scale replaces those of its optimizers") {
  const OptimizerMap map(
      {.default_optimizer = SGD({.learning_rate = 1.0, .loss_scale_factor = 2})});
  MultiOptimizer optimizer({.optimizer_map = map, .loss_scale_factor = 8});
  Variable w(ops::zeros({1}));
  CHECK(optimizer->scale_loss(Tensor(1.0)).item() == 8);
  optimizer->apply({ops::full({1}, Tensor(8.0))}, {w});
  CHECK(w.value().item() == -1);
}

TEST_CASE("a MultiOptimizer leaves gradients that are values as they are") {
  const OptimizerMap map({.default_optimizer = SGD({.learning_rate = 1.0})});
  MultiOptimizer optimizer({.optimizer_map = map, .loss_scale_factor = 8});
  Variable w(ops::zeros({1})), scale(ops::ones({}));
  scale.set_overwrite_with_gradient(true);
  optimizer->apply({ops::full({1}, Tensor(8.0)), ops::full({}, Tensor(3.0))}, {w, scale});
  CHECK(w.value().item() == -1);
  CHECK(scale.value().item() == 3);
}

TEST_CASE("a MultiOptimizer is kept in files") {
  const OptimizerMap map({.default_optimizer = "adam", .optimizer_map = {{"bias", "sgd"}}});
  const Value saved = serialize(*MultiOptimizer({.optimizer_map = map, .name = "both"}));
  const auto again = std::dynamic_pointer_cast<optimizers::OptimizerGroup>(deserialize(saved));
  REQUIRE(again);
  CHECK(again->name() == "both");
  CHECK((*again->config.optimizer_map)->find("bias")->name() == "sgd");
  CHECK((*again->config.optimizer_map)->find("a/bias")->name() == "adam");
}

TEST_CASE("mistakes with maps of optimizers are explained") {
  CHECK_THROWS_AS(
      OptimizerMap({.default_optimizer = "sgd", .optimizer_map = {{"a", "sgd"}, {"a", "adam"}}}),
      ValueError);
  CHECK_THROWS_AS(OptimizerMap({.default_optimizer = "sgd", .optimizer_map = {{"(", "sgd"}}}),
                  ValueError);
  const OptimizerMap map(
      {.default_optimizer = "sgd", .optimizer_map = {{"a.*", "sgd"}, {".*b", "adam"}}});
  CHECK_THROWS_AS(map->find("ab"), ValueError);
  const optimizers::LossScaleOptimizer scaled({.inner_optimizer = "sgd"});
  CHECK_THROWS_AS(MultiOptimizer({.optimizer_map = OptimizerMap({.default_optimizer = scaled})}),
                  ValueError);
}

}  // namespace multi_optimizer_test
