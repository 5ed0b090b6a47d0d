// predict by plans: what is done once follows the weights, and results are those of eager code.
#include <cornu/cornu.h>

#include <unistd.h>

#include <filesystem>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace compiled_predict_test {

using namespace cornu;
using test::difference;

namespace {

// A block as residual networks have it, with statistics that are not the initial ones.
std::shared_ptr<Functional> residual_net(int64_t channels) {
  const Input input({9, 9, 3});
  const auto conv = [&](int64_t filters, int64_t kernel, int64_t seed) {
    return layers::Conv2D({.filters = filters,
                           .kernel_size = kernel,
                           .padding = "same",
                           .kernel_initializer = initializers::GlorotUniform({.seed = seed}),
                           .bias_initializer = initializers::RandomUniform({.seed = seed + 1})});
  };
  Tensor x = conv(channels, 3, 1)(input);
  x = layers::ReLU()(layers::BatchNormalization()(x));
  Tensor y = layers::BatchNormalization({.epsilon = 0.01})(conv(channels, 3, 3)(x));
  y = layers::ReLU()(x + y);
  y = layers::MaxPooling2D()(y);
  y = layers::Dense({.units = 3, .kernel_initializer = initializers::GlorotUniform({.seed = 5})})(
      layers::GlobalAveragePooling2D()(y));
  auto model = make<Functional>(Nest(input), y);
  for (Variable v : model->weights())
    if (v.name().find("moving") != std::string::npos || v.name() == "gamma" || v.name() == "beta")
      v.assign(random::uniform(v.shape(), 0.5, 1.5, Seed(static_cast<int64_t>(v.shape()[0]) + 7)));
  return model;
}

Tensor eager(Model& model, const Tensor& x) { return model(Nest(x)).tensor(); }

}  // namespace

TEST_CASE("predict gives what the model gives when called") {
  for (const int64_t channels : {16, 5}) {
    const auto model = residual_net(channels);
    for (int i = 0; i < 5; ++i) {
      const Tensor x = random::uniform({4, 9, 9, 3}, -1, 1, Seed(i));
      CHECK(difference(model->predict(x).tensor(), eager(*model, x)) < 2e-5);
    }
    CHECK(model->explain().find("predict_step: 5 calls, 3 replayed") != std::string::npos);
  }
}

TEST_CASE("predict follows weights that are assigned or trained between calls") {
  const auto model = residual_net(16);
  model->compile({.optimizer = optimizers::SGD({.learning_rate = 0.05}), .loss = "mse"});
  const Tensor x = random::uniform({4, 9, 9, 3}, -1, 1, Seed(1)),
               y = random::uniform({4, 3}, -1, 1, Seed(2));
  for (int i = 0; i < 4; ++i) model->predict(x);
  for (int i = 0; i < 3; ++i) {
    Variable kernel = model->weights()[0];
    kernel.assign(kernel.value() * 1.25);
    CHECK(difference(model->predict(x).tensor(), eager(*model, x)) < 2e-5);
    model->fit(x, y, {.epochs = 5, .verbose = Verbose::silent});
    CHECK(difference(model->predict(x).tensor(), eager(*model, x)) < 2e-5);
  }
}

TEST_CASE("a value read before the weights change does not change") {
  const auto model = residual_net(16);
  const Tensor x = random::uniform({4, 9, 9, 3}, -1, 1, Seed(1));
  for (int i = 0; i < 4; ++i) model->predict(x);
  const Tensor before = model->predict(x).tensor();
  const std::vector<float> values = before.to_vector<float>();
  Variable kernel = model->weights()[0];
  kernel.assign(kernel.value() * 2.0);
  model->predict(x);
  CHECK(before.to_vector<float>() == values);
}

TEST_CASE("the first prediction has the bits of all later ones") {
  const auto model = residual_net(16);
  const Tensor x = random::uniform({4, 9, 9, 3}, -1, 1, Seed(1));
  const std::vector<float> first = model->predict(x).tensor().to_vector<float>();
  for (int i = 0; i < 5; ++i) CHECK(model->predict(x).tensor().to_vector<float>() == first);
  model->compile({.optimizer = "sgd", .loss = "mse"});
  CHECK(model->predict(x).tensor().to_vector<float>() == first);
}

TEST_CASE("the first evaluation has the bits of all later ones") {
  const Tensor x = random::uniform({7, 9, 9, 3}, -1, 1, Seed(1)),
               y = random::uniform({7, 3}, -1, 1, Seed(2));
  const auto model = residual_net(16);
  model->compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const EvaluateOptions silent{.batch_size = 4, .verbose = Verbose::silent};
  const auto first = model->evaluate(x, y, silent);
  for (int i = 0; i < 5; ++i) {
    const auto later = model->evaluate(x, y, silent);
    CHECK(later["loss"] == first["loss"]);
    CHECK(later["mae"] == first["mae"]);
  }
}

TEST_CASE("a model from a file runs by plans, with the bits of the one that was saved") {
  // Keras writes what it made of jit_compile="auto", which is false on most machines.
  for (const JitOption& jit : {JitOption("auto"), JitOption(true), JitOption(false)}) {
    const auto model = residual_net(16);
    model->compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}, .jit_compile = jit});
    const Tensor x = random::uniform({8, 9, 9, 3}, -1, 1, Seed(1)),
                 y = random::uniform({8, 3}, -1, 1, Seed(2));
    model->fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = Verbose::silent});
    const auto path = std::filesystem::temp_directory_path() /
                      ("cornu_plans_" + std::to_string(::getpid()) + ".keras");
    model->save(path.string());
    const auto loaded = load_model(path.string());
    std::filesystem::remove(path);
    for (int i = 0; i < 4; ++i) {
      CHECK(loaded->predict(x).tensor().to_vector<float>() ==
            model->predict(x).tensor().to_vector<float>());
      CHECK(loaded->evaluate(x, y, {.verbose = Verbose::silent})["mae"] ==
            model->evaluate(x, y, {.verbose = Verbose::silent})["mae"]);
    }
    loaded->fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = Verbose::silent});
    const std::string report = loaded->explain();
    INFO(report);
    CHECK(report.find("train_step: 6 calls, 2 replayed") != std::string::npos);
    CHECK(report.find("test_step: 4 calls, 2 replayed") != std::string::npos);
    CHECK(report.find("predict_step: 4 calls, 2 replayed") != std::string::npos);
    CHECK(report.find("eager") == std::string::npos);
  }
}

TEST_CASE("calls that run the body are counted") {
  const auto model = residual_net(5);
  model->compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = true});
  const Tensor x = random::uniform({4, 9, 9, 3}, -1, 1, Seed(1));
  for (int i = 0; i < 3; ++i) model->predict(x);
  CHECK(model->explain().find(
            "predict_step: 3 calls, 0 replayed, 0 recorded, 0 plans, 3 run eagerly") !=
        std::string::npos);
}

}  // namespace compiled_predict_test
