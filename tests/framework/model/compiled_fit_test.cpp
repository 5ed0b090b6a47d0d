// fit by plans against fit operation by operation.
#include <cornu/cornu.h>

#include <cstring>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace compiled_fit_test {

using namespace cornu;
using test::difference;

namespace {

struct Data {
  Tensor x = random::uniform({44, 8, 8, 3}, -1, 1, Seed(1));
  Tensor y = random::randint({44}, 0, 4, Seed(2));
};

struct Trained {
  std::vector<Tensor> weights;
  History history;
  std::string report;
};

// A net with convolutions, batch normalization, dropout, an embedded penalty and a schedule.
Trained train(bool run_eagerly, const std::function<Choice<Optimizer>()>& optimizer,
              int64_t epochs = 10) {
  const auto dense = [](int64_t units, int64_t seed, Activation activation) {
    return layers::Dense({.units = units,
                          .activation = activation,
                          .kernel_initializer = initializers::GlorotUniform({.seed = seed}),
                          .kernel_regularizer = regularizers::L2({.l2 = 1e-3})});
  };
  Sequential model(
      {Input({8, 8, 3}),
       layers::Conv2D({.filters = 16,
                       .kernel_size = 3,
                       .padding = "same",
                       .activation = "relu",
                       .kernel_initializer = initializers::GlorotUniform({.seed = 3})}),
       layers::BatchNormalization(), layers::MaxPooling2D(),
       layers::Conv2D({.filters = 32,
                       .kernel_size = 3,
                       .kernel_initializer = initializers::GlorotUniform({.seed = 4})}),
       layers::BatchNormalization(), layers::ReLU(), layers::GlobalAveragePooling2D(),
       layers::Dropout({.rate = 0.25, .seed = 5}), dense(8, 6, "tanh"), dense(4, 7, "softmax")});
  model.compile({.optimizer = optimizer(),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"},
                 .run_eagerly = run_eagerly});
  const Data data;
  Trained result;
  result.history =
      model.fit(data.x, data.y,
                {.batch_size = 12, .epochs = epochs, .verbose = Verbose::silent, .shuffle = false});
  result.weights = model.get_weights();
  for (const Variable& v : model.optimizer()->variables()) result.weights.push_back(v.value());
  result.report = model.explain();
  return result;
}

double worst(const Trained& a, const Trained& b) {
  REQUIRE(a.weights.size() == b.weights.size());
  double result = 0;
  for (size_t i = 0; i < a.weights.size(); ++i)
    result = std::max(result, difference(a.weights[i], b.weights[i]));
  return result;
}

}  // namespace

TEST_CASE("compiled training gives the weights and figures of eager training") {
  const std::vector<std::pair<const char*, std::function<Choice<Optimizer>()>>> optimizers_used = {
      {"sgd", [] { return optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}); }},
      {"adam", [] { return optimizers::Adam({.learning_rate = 1e-3, .global_clipnorm = 1.0}); }},
      {"nadam", [] { return optimizers::Nadam(); }},
      {"schedule",
       [] {
         return optimizers::RMSprop(
             {.learning_rate = LearningRate(optimizers::schedules::ExponentialDecay(
                  {.initial_learning_rate = 1e-3, .decay_steps = 7, .decay_rate = 0.9}))});
       }},
      {"accumulated",
       [] { return optimizers::Adam({.learning_rate = 1e-3, .gradient_accumulation_steps = 3}); }},
      {"averaged",
       [] {
         return optimizers::AdamW(
             {.use_ema = true, .ema_momentum = 0.9, .ema_overwrite_frequency = 5});
       }},
  };
  for (const auto& [name, make] : optimizers_used) {
    INFO(name);
    const Trained eager = train(true, make), compiled = train(false, make);
    CHECK(worst(compiled, eager) < 2e-3);
    for (const char* figure : {"loss", "accuracy"})
      for (size_t i = 0; i < 10; ++i)
        CHECK(compiled.history.history.at(figure)[i] ==
              Approx(eager.history.history.at(figure)[i]).epsilon(2e-3));
    INFO(compiled.report);
    CHECK(compiled.report.find("stays eager") == std::string::npos);
    CHECK(compiled.report.find("something else") == std::string::npos);
  }
}

TEST_CASE("compiled training repeats bit for bit") {
  const auto make = [] { return optimizers::Adam({.learning_rate = 1e-3}); };
  const Trained a = train(false, make, 25), b = train(false, make, 25);
  for (size_t i = 0; i < a.weights.size(); ++i)
    CHECK(std::memcmp(a.weights[i].read(), b.weights[i].read(), a.weights[i].bytes()) == 0);
}

TEST_CASE("a last, smaller batch is one more plan, not a slow path") {
  const Trained trained = train(
      false, [] { return optimizers::SGD(); }, 6);
  // 4 batches an epoch, the last of 8 samples. Full ones are recorded once, compared once, and
  // checked at each epoch after the first; the smaller one is recorded once and compared once.
  CHECK(trained.report.find("train_step: 24 calls, 15 replayed, 9 recorded, 2 plans") !=
        std::string::npos);
  CHECK(trained.report.find(
            "argument 'x' changed from float32 (12, 8, 8, 3) to float32 (8, 8, 8, 3)") !=
        std::string::npos);
}

TEST_CASE("a profile names the layers and changes nothing") {
  Sequential model(
      {Input({4}), layers::Dense({.units = 3, .name = "first"}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  const Tensor x = random::uniform({6, 4}, -1, 1, Seed(1)),
               y = random::uniform({6, 1}, -1, 1, Seed(2));
  model.fit(x, y, {.verbose = Verbose::silent});
  const std::vector<Tensor> before = model.get_weights();
  const std::string text = model.profile(x, y);
  CHECK(text.find("first (gradient)") != std::string::npos);
  CHECK(text.find("matmul") != std::string::npos);
  const std::vector<Tensor> after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i) CHECK(difference(after[i], before[i]) == 0);
}

}  // namespace compiled_fit_test
