// Optimizers of models in lower and in mixed precision, and of weights of several types at once.
#include <cornu/cornu.h>

#include <cmath>
#include <limits>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace optimizer_precision_test {

using namespace cornu;
using test::pattern;

namespace {

const std::vector<std::string> all_optimizers = {
    "sgd",   "adam", "adamw", "rmsprop",   "adagrad", "adadelta", "adamax",
    "nadam", "lion", "ftrl",  "adafactor", "lamb",    "muon",     "schedulefreeadamw"};

std::shared_ptr<Optimizer> make(const std::string& name) {
  return std::dynamic_pointer_cast<Optimizer>(make_by_name("keras.optimizers", name));
}

std::shared_ptr<Sequential> make_model(const std::shared_ptr<Optimizer>& optimizer) {
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({4}),
      layers::Dense({.units = 8,
                     .activation = "tanh",
                     .kernel_initializer = initializers::GlorotUniform({.seed = 1})}),
      layers::Dense({.units = 1, .kernel_initializer = initializers::GlorotUniform({.seed = 2})})});
  model->compile({.optimizer = optimizer, .loss = "mse"});
  return model;
}

std::vector<double> losses_of(Model& model) {
  const Tensor x = pattern("real 16x4");
  return model
      .fit(x, ops::sum(x, -1, true) * 0.25,
           {.batch_size = 8, .epochs = 30, .verbose = Verbose::silent, .shuffle = false})
      .history.at("loss");
}

}  // namespace

TEST_CASE("every optimizer trains a model in mixed precision, with weights in float32") {
  for (const char* policy : {"mixed_float16", "mixed_bfloat16"})
    for (const std::string& name : all_optimizers) {
      INFO(policy << " " << name);
      const PolicyScope scope(policy);
      const auto optimizer = make(name);
      optimizer->set_learning_rate(name == "adadelta" ? 1.0 : 0.01);
      const auto model = make_model(optimizer);
      const auto losses = losses_of(*model);
      CHECK(std::isfinite(losses.back()));
      CHECK(losses.back() < 0.9 * losses.front());
      for (const Variable& v : model->trainable_variables()) CHECK(v.dtype() == DType::float32);
      const bool scales = std::dynamic_pointer_cast<LossScaling>(model->optimizer()) != nullptr;
      CHECK(scales == (std::string(policy) == "mixed_float16"));
    }
}

TEST_CASE("every optimizer trains a model in bfloat16") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const PolicyScope scope("bfloat16");
    const auto optimizer = make(name);
    optimizer->set_learning_rate(name == "adadelta" ? 1.0 : 0.03125);
    const auto model = make_model(optimizer);
    const auto losses = losses_of(*model);
    CHECK(std::isfinite(losses.back()));
    CHECK(losses.back() < losses.front());
    for (const Variable& v : model->trainable_variables()) CHECK(v.dtype() == DType::bfloat16);
  }
}

TEST_CASE("weights of several types are each updated in theirs") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto mixed = make(name);
    Variable half(pattern("real 3x2 @float16")), single(pattern("real 3x2")),
        wide(pattern("real 3x2 @float64"));
    for (int step = 0; step < 3; ++step) {
      const Tensor g = pattern("real 3x2 ~" + std::to_string(step));
      mixed->apply({ops::cast(g, DType::float16), g, ops::cast(g, DType::float64)},
                   {half, single, wide});
    }
    CHECK(half.dtype() == DType::float16);
    CHECK(single.dtype() == DType::float32);
    CHECK(wide.dtype() == DType::float64);
    // The same steps, but for their precision.
    CHECK(test::difference(single.value(), wide.value()) < (name == "muon" ? 1e-4 : 1e-5));
    CHECK(test::difference(half.value(), wide.value()) < (name == "muon" ? 5e-2 : 1e-2));
  }
}

TEST_CASE("gradients of another type than the weight's are converted") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const auto a = make(name), b = make(name);
    Variable v(pattern("real 3x2")), w(pattern("real 3x2"));
    const Tensor g = pattern("real 3x2 ~1 @float16");
    a->apply({g}, {v});
    b->apply({ops::cast(g, DType::float32)}, {w});
    CHECK(v.dtype() == DType::float32);
    CHECK(test::difference(v.value(), w.value()) < 1e-6);
  }
}

TEST_CASE("an overflow in mixed precision halves the scale and leaves the weights") {
  for (const std::string& name : all_optimizers) {
    INFO(name);
    const optimizers::LossScaleOptimizer scaled(
        {.inner_optimizer = make(name), .initial_scale = 64});
    Variable v(pattern("real 3x2")), w(pattern("real 2 ~1"));
    scaled->apply({pattern("real 3x2 ~1"), pattern("real 2")}, {v, w});
    std::vector<Tensor> before = {v.value(), w.value()};
    for (const Variable& s : scaled->inner_optimizer()->variables()) before.push_back(s.value());
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")})
      scaled->apply({pattern("real 3x2"), ops::full({2}, Tensor(bad))}, {v, w});
    std::vector<Tensor> after = {v.value(), w.value()};
    for (const Variable& s : scaled->inner_optimizer()->variables()) after.push_back(s.value());
    for (size_t i = 0; i < before.size(); ++i) CHECK(test::identical(before[i], after[i]));
    CHECK(scaled->scale_loss(Tensor(1.0)).item() == 16);
  }
}

}  // namespace optimizer_precision_test
