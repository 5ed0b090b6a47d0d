// Tests of what models say when something does not fit, and that they stay usable then.
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/reshaping/flatten.h>

#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include "../../support/standard_error.h"
#include "model_support.h"

namespace errors_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

const Verbose quiet = Verbose::silent;

std::shared_ptr<Sequential> small_model() {
  auto model = make<Sequential>(std::vector<AnyLayer>{Input({.shape = {4}, .name = "facts"}),
                                                      Dense({.units = 3, .activation = "softmax"})},
                                Sequential::Options{"net"});
  model->compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  return model;
}

const std::vector<int32_t> kLabels = {0, 1, 2, 1, 0};

void check_usable(Model& model) {
  CHECK(model.fit(wave({5, 4}), kLabels, {.verbose = quiet}).epoch.size() == 1);
  CHECK(model.predict(wave({5, 4}), {.verbose = quiet}).tensor().shape() == Shape{5, 3});
}

}  // namespace

TEST_CASE("Inputs of another rank or width are named with both shapes") {
  const auto model = small_model();
  CHECK_THROWS_WITH(model->predict(wave({5, 4, 1, 1})),
                    has("Model 'net': input 'facts' has shape (5, 4, 1, 1), expected (None, 4)"));
  CHECK_THROWS_WITH(model->predict(wave({4})),
                    has("has shape (4,), expected (None, 4). The first axis"));
  CHECK_THROWS_WITH(model->fit(wave({5, 6}), kLabels, {.verbose = quiet}),
                    has("has shape (5, 6), expected (None, 4)"));
  CHECK_THROWS_AS(model->predict(wave({5, 6})), ShapeError);
  check_usable(*model);
}

TEST_CASE("Layers say where they are") {
  auto inner = make<Sequential>(std::vector<AnyLayer>{Dense({.units = 2, .name = "hidden"})},
                                Sequential::Options{"inner"});
  Sequential outer({inner, Dense({.units = 1})}, {.name = "outer"});
  outer(wave({2, 3}));
  CHECK_THROWS_WITH(outer(wave({2, 5})),
                    has("Layer 'outer/inner/hidden' (Dense): expected last axis 3, found 5"));
  CHECK_NOTHROW(outer(wave({2, 3})));
  CHECK_THROWS_WITH(
      Sequential({Input({8, 8}), layers::Conv2D({.filters = 2, .kernel_size = 3, .name = "conv"})}),
      has("conv"));
}

TEST_CASE("Numbers of samples must agree") {
  const auto model = small_model();
  CHECK_THROWS_WITH(model->fit(wave({6, 4}), kLabels, {.verbose = quiet}), has("y has 5 samples"));
  CHECK_THROWS_WITH(model->evaluate(wave({6, 4}), kLabels, {.verbose = quiet}),
                    has("y has 5 samples"));
  CHECK_THROWS_WITH(
      model->fit(wave({5, 4}), kLabels, {.verbose = quiet, .sample_weight = wave({4})}),
      has("sample_weight has 4 samples"));
  check_usable(*model);
}

TEST_CASE("Labels out of range are found") {
  if (!default_device().is_cpu()) return;  // a GPU is not waited for to look at labels
  const auto model = small_model();
  CHECK_THROWS_WITH(model->fit(wave({5, 4}), std::vector<int32_t>{0, 1, 2, 3, 0},
                               {.verbose = quiet, .shuffle = false}),
                    has("label 3 at position 3 is not in [0, 3)"));
  CHECK_THROWS_WITH(model->fit(wave({5, 4}), std::vector<int32_t>{0, -1, 2, 1, 0},
                               {.verbose = quiet, .shuffle = false}),
                    has("label -1"));
  check_usable(*model);
}

TEST_CASE("Empty data is an error that says so") {
  const auto model = small_model();
  CHECK_THROWS_WITH(model->fit(Nest(), kLabels, {.verbose = quiet}), has("x: no tensor was given"));
  CHECK_THROWS_WITH(model->fit(ops::zeros({0, 4}), ops::zeros({0}), {.verbose = quiet}),
                    has("no batches"));
  CHECK_THROWS_WITH(model->evaluate(ops::zeros({0, 4}), ops::zeros({0}), {.verbose = quiet}),
                    has("no batches"));
  CHECK_THROWS_WITH(model->predict(ops::zeros({0, 4}), {.verbose = quiet}), has("no batches"));
  CHECK_THROWS_WITH(model->predict(Nest(), {.verbose = quiet}), has("x: no tensor was given"));
  CHECK_THROWS_WITH(model->predict_on_batch(Nest()), has("input 'facts' is an empty tensor"));
  CHECK_THROWS_WITH((*model)(Tensor()), has("called on an empty tensor"));
  CHECK_THROWS_WITH((*model)(Nest()), has("called on an empty tensor"));
  CHECK_THROWS_WITH(model->fit(std::shared_ptr<Dataset>(), {.verbose = quiet}),
                    has("dataset is empty"));
  CHECK_THROWS_WITH(model->fit(wave({5, 4}), Nest(), {.verbose = quiet}), has("needs targets"));
  check_usable(*model);
}

TEST_CASE("Models that are not compiled say what to do") {
  Sequential model({Input({4}), Dense({.units = 3})}, {.name = "net"});
  const std::string text = "model 'net' is not compiled. Call compile(";
  CHECK_THROWS_WITH(model.fit(wave({5, 4}), kLabels), has("fit: " + text));
  CHECK_THROWS_WITH(model.evaluate(wave({5, 4}), kLabels), has("evaluate: " + text));
  CHECK_THROWS_WITH(model.train_on_batch(wave({5, 4}), kLabels), has("train_on_batch: " + text));
  CHECK_THROWS_WITH(model.test_on_batch(wave({5, 4}), kLabels), has("test_on_batch: " + text));
  CHECK_THROWS_AS(model.fit(wave({5, 4}), kLabels), StateError);
}

TEST_CASE("A symbolic tensor is no data") {
  const auto model = small_model();
  const Input in({4});
  const std::string text = "x is a symbolic tensor, as Input gives it";
  CHECK_THROWS_WITH(model->fit(in, kLabels), has("fit: " + text));
  CHECK_THROWS_WITH(model->evaluate(in, kLabels), has("evaluate: " + text));
  CHECK_THROWS_WITH(model->predict(in), has("predict: " + text));
  CHECK_THROWS_WITH(model->train_on_batch(in, kLabels), has("train_on_batch: " + text));
  CHECK_THROWS_WITH(model->test_on_batch(wave({5, 4}), in), has("test_on_batch: y is a symbolic"));
  check_usable(*model);
}

TEST_CASE("A model without trainable variables says so") {
  Sequential model({Input({4}), layers::Dense({.units = 1, .trainable = false})},
                   {.name = "frozen_whole"});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string said = standard_error_of([&] {
    model.fit(wave({5, 4}), wave({5, 1}), {.epochs = 2, .verbose = quiet});
  });
  CHECK_THAT(said, has("Model 'frozen_whole' has no trainable variables"));
}

TEST_CASE("Arguments of fit that cannot be are errors") {
  const auto model = small_model();
  const Tensor x = wave({5, 4});
  auto check = [&](FitOptions options, const std::string& text) {
    options.verbose = quiet;
    CHECK_THROWS_WITH(model->fit(x, kLabels, options), has(text));
  };
  check({.batch_size = 0}, "batch_size must be at least 1, found 0");
  check({.validation_split = -0.5}, "validation_split must be in [0, 1), found -0.5");
  check({.steps_per_epoch = 0}, "steps_per_epoch must be at least 1");
  check({.validation_freq = 0}, "validation_freq must be at least 1");
  auto data = std::make_shared<NotingDataset>(1, 4);
  CHECK_THROWS_WITH(model->fit(data, {.verbose = quiet, .validation_split = 0.5}),
                    has("give validation_data"));
  check_usable(*model);
}

TEST_CASE("Numbers of inputs and outputs must agree") {
  Input a({.shape = {2}, .name = "a"}), b({.shape = {2}, .name = "b"});
  Functional model({a, b}, {a + b, a - b});
  CHECK_THROWS_WITH(model.predict({wave({3, 2})}),
                    has("Model 'functional': 1 input was given, of shape (3, 2); expected 2: 'a' "
                        "(None, 2), 'b' (None, 2)."));
  // The place is said once, where a call is what finds it.
  CHECK_THROWS_WITH(model({wave({3, 2}), wave({3, 1}), wave({3})}),
                    "Model 'functional' (Functional): 3 inputs were given, of shapes (3, 2), (3, "
                    "1), (3,); expected 2: 'a' (None, 2), 'b' (None, 2).");
  CHECK_THROWS_WITH(model.predict(Nest::dict({{"a", wave({3, 2})}, {"c", wave({3, 2})}})),
                    has("Model 'functional': nothing was given for the input 'b'. Expected 'a', "
                        "'b'; given 'a', 'c'.") &&
                        !has("Did you mean 'a'"));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK_THROWS_WITH(model.evaluate({wave({3, 2}), wave({3, 2})}, wave({3, 2}), {.verbose = quiet}),
                    has("1 targets (structure *) for 2 outputs (structure [*, *])"));
}

TEST_CASE("A misspelt name of an input is told from the one that is missing") {
  Input image({.shape = {2}, .name = "image"}), text({.shape = {2}, .name = "text"});
  Functional model(Nest::dict({{"image", image}, {"text", text}}), image + text);
  CHECK_THROWS_WITH(model(Nest::dict({{"imagee", wave({3, 2})}, {"text", wave({3, 2})}})),
                    has("nothing was given for the input 'image'. Expected 'image', 'text'; given "
                        "'imagee', 'text'. 'imagee' is no input. Did you mean 'image'?"));
}

TEST_CASE("Strings are no targets of a loss") {
  Sequential model({Input({4}), Dense({.units = 1, .name = "head"})}, {.name = "net"});
  model.compile({.optimizer = "sgd", .loss = "binary_crossentropy"});
  const Tensor y(std::vector<std::string>{"a", "b", "a"});
  const auto text = has("Model 'net': loss of output 'head': y, of shape (3,), holds strings");
  CHECK_THROWS_WITH(model.fit(wave({3, 4}), y, {.verbose = quiet}), text);
  CHECK_THROWS_WITH(model.evaluate(wave({3, 4}), y, {.verbose = quiet}), text);
  CHECK_THROWS_AS(model.evaluate(wave({3, 4}), y, {.verbose = quiet}), ValueError);
}

TEST_CASE("Errors of a constructor name the class, once") {
  CHECK_THROWS_WITH(Dense({.units = -1}),
                    "Dense: option 'units' must be a positive number, found -1.");
  CHECK_THROWS_WITH(
      layers::Conv2D({.filters = 2, .kernel_size = 0}),
      has("Conv2D: option 'kernel_size' must be given and positive along every axis"));
  class Holder : public Layer {
   public:
    Dense inside = track("inside", Dense({.units = 0}));
  };
  CHECK_THROWS_WITH(make<Holder>(), "Dense: option 'units' must be a positive number, found 0.");
}

TEST_CASE("Unknown keys of a config are named, with the one that was meant") {
  Value::Dict config = Dense({.units = 3})->get_config();
  config.emplace_back("activaton", "relu");
  CHECK_THROWS_WITH(layers::DenseLayer::from_config(config), has("Did you mean 'activation'?"));
  CHECK_THROWS_WITH(Dense({.units = 1, .activation = "rellu"}), has("Did you mean 'relu'?"));
  CHECK_THROWS_WITH(Dense({.units = 1, .kernel_initializer = "glorot"}), has("glorot"));
  CHECK_THROWS_WITH(Dense({.units = 1, .name = "a/b"}), has("may not contain '/'"));
}

TEST_CASE("Weights of other shapes are refused as a whole") {
  const auto model = small_model();
  const auto before = model->get_weights();
  CHECK_THROWS_WITH(model->set_weights({ops::zeros({4, 3})}),
                    has("has 2 weights, 1 values were given"));
  CHECK_THROWS_WITH(model->set_weights({ops::zeros({4, 3}), ops::zeros({4})}),
                    has("shape (3,), the value has (4,)"));
  CHECK(floats(model->get_weights()[0]) == floats(before[0]));
}

TEST_CASE("An error in the middle of training leaves the model as it stood") {
  const auto model = small_model();
  class Breaks : public Dataset {
   public:
    int64_t size() const override { return 3; }
    Batch batch(int64_t index) override {
      if (index == 1) throw ValueError("no such file");
      return {wave({5, 4}), kLabels};
    }
  };
  CHECK_THROWS_WITH(model->fit(std::make_shared<Breaks>(), {.verbose = quiet}),
                    has("no such file"));
  check_usable(*model);
}

TEST_CASE("Targets that do not fit name the model, the output, the loss and both shapes") {
  Sequential model({Input({3}), layers::Dense({.units = 2, .name = "head"})}, {.name = "net"});
  const Tensor x = wave({4, 3}), y = wave({4, 3}, 1);
  const auto message = [&](LossOption loss, MetricOption metrics = {}) {
    model.compile({.optimizer = "sgd", .loss = std::move(loss), .metrics = std::move(metrics)});
    try {
      model.fit(x, y, {.verbose = quiet});
    } catch (const ShapeError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string place = "Model 'net': loss of output 'head': ";
  const char* losses[] = {"mse",
                          "mae",
                          "huber",
                          "hinge",
                          "poisson",
                          "kl_divergence",
                          "cosine_similarity",
                          "log_cosh",
                          "binary_crossentropy",
                          "dice",
                          "categorical_crossentropy",
                          "mape",
                          "tversky",
                          "msle",
                          "binary_focal_crossentropy",
                          "categorical_hinge"};
  for (const char* name : losses) {
    const std::string text = message(name);
    CAPTURE(text);
    const auto loss = LossOption(name).make();
    CHECK(text.starts_with(place + loss->name() + ": "));
    CHECK_THAT(text, has("(4, 3)") && has("(4, 2)"));
    // The same without a model.
    CHECK_THROWS_WITH((*loss)(y, wave({4, 2})), text.substr(place.size()));
  }
  const auto own = [](const Tensor& t, const Tensor& p) { return ops::mean(t - p, -1); };
  CHECK_THAT(message(own), has(place + "function_loss: y_true has shape (4, 3), y_pred (4, 2): "));

  const LossOption none = [](const Tensor&, const Tensor& p) { return ops::mean(p, -1); };
  for (const char* name : {"mse", "mae", "binary_accuracy", "cosine_similarity", "r2_score",
                           "precision", "auc", "f1_score"}) {
    const std::string text = message(none, {name});
    CAPTURE(text);
    CHECK(text.starts_with(std::string("Model 'net': metric of output 'head': ") + name + ": "));
    CHECK_THAT(text, has("(4, 3)") && has("(4, 2)"));
  }
}

}  // namespace errors_test
