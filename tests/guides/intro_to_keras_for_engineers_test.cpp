// Keras's introduction for engineers, in C++.
#include <filesystem>

#include "goldens.h"
#include "support/all_close.h"
#include "support/temporary.h"

namespace intro_to_keras_for_engineers_test {

using namespace cornu;
using test::all_close;
using test::check_close;
using test::TemporaryFolder;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("intro_to_keras_for_engineers");
  return result;
}

// Gray images as data sets have them, and what networks take: numbers in [0, 1] with an axis of
// channels.
Tensor pixels(int64_t count, int seed) {
  return ops::cast(random::randint({count, 12, 12}, 0, 256, seed), DType::uint8);
}
Tensor images(int64_t count, int seed) {
  Tensor x = ops::cast(pixels(count, seed), DType::float32) / 255;
  return ops::expand_dims(x, -1);
}
Tensor labels(int64_t count, int seed) {
  return ops::cast(random::randint({count}, 0, 10, seed), DType::uint8);
}

const Tensor x_train = images(80, 1), y_train = labels(80, 2);
const Tensor x_test = images(20, 3), y_test = labels(20, 4);
const PredictOptions silent = {.verbose = Verbose::silent};
constexpr int64_t num_classes = 10, batch_size = 32;

Handle<Sequential> make_convnet() {
  utils::set_random_seed(1);
  return make<Sequential>({
      layers::Input({12, 12, 1}),
      layers::Conv2D({.filters = 4, .kernel_size = {3, 3}, .activation = "relu"}),
      layers::Conv2D({.filters = 4, .kernel_size = {3, 3}, .activation = "relu"}),
      layers::MaxPooling2D({.pool_size = {2, 2}}),
      layers::Conv2D({.filters = 8, .kernel_size = {3, 3}, .activation = "relu"}),
      layers::GlobalAveragePooling2D(),
      layers::Dropout({.rate = 0.5}),
      layers::Dense({.units = num_classes, .activation = "softmax"}),
  });
}

void compile(Model& model) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy(),
                 .metrics = {metrics::SparseCategoricalAccuracy({.name = "acc"})}});
}

}  // namespace

TEST_CASE("Images become what a network takes") {
  const Tensor raw = pixels(80, 1);
  CHECK(raw.dtype() == DType::uint8);
  CHECK(x_train.shape() == Shape{80, 12, 12, 1});
  CHECK(x_train.shape(0) == 80);
  CHECK(y_train.shape() == Shape{80});
  CHECK(x_train.dtype() == DType::float32);
  CHECK(x_train[{3, 4, 5, 0}].item() == Approx(raw[{3, 4, 5}].item() / 255));
}

TEST_CASE("A summary lists layers, shapes and parameters") {
  auto model = make_convnet();
  const std::string summary = model->summary_text();
  CHECK_THAT(summary, test::contains("conv2d (Conv2D)"));
  CHECK_THAT(summary, test::contains("(None, 10, 10, 4)"));
  const auto params = goldens().numbers("convnet", "params");
  REQUIRE(model->layers().size() == params.size());
  for (size_t i = 0; i < params.size(); ++i)
    CHECK(model->get_layer(i)->count_params() == params[i]);
}

TEST_CASE("A convolutional network is trained, evaluated, saved and asked") {
  const TemporaryFolder folder;
  auto model = make_convnet();
  compile(*model);
  const Callbacks callbacks = {
      callbacks::ModelCheckpoint({.filepath = folder / "model_at_epoch_{epoch}.keras"}),
      callbacks::EarlyStopping({.monitor = "val_loss", .patience = 2}),
  };
  check_close(model->fit(x_train, y_train,
                         {.batch_size = batch_size,
                          .epochs = 4,
                          .verbose = Verbose::silent,
                          .callbacks = callbacks,
                          .validation_split = 0.15,
                          .shuffle = false}),
              goldens().history("convnet"));
  Logs score = model->evaluate(x_test, y_test, {.verbose = Verbose::silent});
  check_close({score["loss"], score["acc"]}, goldens().numbers("convnet", "score"));
  CHECK(std::filesystem::exists(folder / "model_at_epoch_1.keras"));
  CHECK(folder.count() == goldens().history("convnet").at("loss").size());

  model->save(folder / "final_model.keras");
  auto loaded = saving::load_model(folder / "final_model.keras");
  Nest predictions = loaded->predict(x_test, silent);
  CHECK(predictions.shape() == Shape{20, 10});
  check_close(predictions.tensor()[Slice(0, 2)], goldens().numbers("convnet", "predictions"));
  CHECK(all_close(predictions, model->predict(x_test, silent), 0, 0));
}

namespace {

struct MyDenseConfig {
  Required<int64_t> units;
  Activation activation = {};
  std::string name = "";
};

class MyDenseLayer : public LayerOf<MyDenseLayer, MyDenseConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input_shape) override {
    const int64_t input_dim = input_shape.back();
    w = add_weight({.name = "kernel",
                    .shape = {input_dim, config.units},
                    .initializer = initializers::GlorotNormal(),
                    .trainable = true});
    b = add_weight({.name = "bias",
                    .shape = {config.units},
                    .initializer = initializers::Zeros(),
                    .trainable = true});
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    const Tensor x = ops::matmul(inputs, w) + b;
    return config.activation(x);
  }

 private:
  Variable w, b;
};
using MyDense = Ref<MyDenseLayer>;
CORNU_REGISTER("guides>MyDense", MyDenseLayer);

struct MyDropoutConfig {
  Required<double> rate;
  std::string name = "";
};

class MyDropoutLayer : public LayerOf<MyDropoutLayer, MyDropoutConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& inputs, const Call&) override {
    return random::dropout(inputs, config.rate, seed_generator);
  }

 private:
  SeedGenerator& seed_generator = add_seed_generator(1337);
};
using MyDropout = Ref<MyDropoutLayer>;
CORNU_REGISTER("guides>MyDropout", MyDropoutLayer);

struct MyModelConfig {
  Required<int64_t> num_classes;
  std::string name = "";
};

class MyModel : public ModelOf<MyModel, MyModelConfig> {
 public:
  using ModelOf::ModelOf;
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = conv_base(inputs);
    x = dp(x);
    return dense(x);
  }

 private:
  Handle<Sequential> conv_base = track(
      "conv_base", make<Sequential>({
                       layers::Conv2D({.filters = 4, .kernel_size = {3, 3}, .activation = "relu"}),
                       layers::MaxPooling2D({.pool_size = {2, 2}}),
                       layers::Conv2D({.filters = 8, .kernel_size = {3, 3}, .activation = "relu"}),
                       layers::GlobalAveragePooling2D(),
                   }));
  MyDropout dp = track("dp", MyDropout({.rate = 0.5}));
  MyDense dense = track("dense", MyDense({.units = config.num_classes, .activation = "softmax"}));
};
CORNU_REGISTER("guides>MyModel", MyModel);

Handle<MyModel> compiled_model() {
  utils::set_random_seed(1);
  auto model = make<MyModel>({.num_classes = num_classes});
  compile(*model);
  return model;
}

const Tensor vectors = random::normal({2, 6}, 0, 1, 5);

}  // namespace

TEST_CASE("A layer with weights of its own") {
  utils::set_random_seed(1);
  const MyDense dense({.units = 3, .activation = "relu"});
  check_close(dense(vectors), goldens().numbers("components", "my_dense"));
  CHECK(dense->weights().size() == 2);
  CHECK(dense->weights()[0].name() == "kernel");
  CHECK(dense->weights()[1].shape() == Shape{3});
}

TEST_CASE("A layer with random numbers of its own") {
  const MyDropout dropout({.rate = 0.5});
  check_close(dropout(vectors), goldens().numbers("components", "my_dropout_1"));
  check_close(dropout(vectors), goldens().numbers("components", "my_dropout_2"));
  CHECK(dropout->weights().empty());
  REQUIRE(dropout->seed_generators().size() == 1);
}

TEST_CASE("A model of one's own layers is trained by fit") {
  auto model = compiled_model();
  check_close(model->fit(x_train, y_train,
                         {.batch_size = batch_size,
                          .epochs = 2,
                          .verbose = Verbose::silent,
                          .validation_split = 0.15,
                          .shuffle = false}),
              goldens().history("subclassed"));
}

TEST_CASE("A model of one's own layers is trained eagerly with the same figures") {
  utils::set_random_seed(1);
  MyModel model({.num_classes = num_classes});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy(),
                 .metrics = {metrics::SparseCategoricalAccuracy({.name = "acc"})},
                 .run_eagerly = true});
  check_close(model.fit(x_train, y_train,
                        {.batch_size = batch_size,
                         .epochs = 2,
                         .verbose = Verbose::silent,
                         .validation_split = 0.15,
                         .shuffle = false}),
              goldens().history("subclassed"));
}

TEST_CASE("Batches made ahead train a model") {
  auto train_dataset = data::from(x_train, y_train).batch(batch_size).prefetch(2);
  auto test_dataset = data::from(x_test, y_test).batch(batch_size).prefetch(2);
  auto model = compiled_model();
  check_close(
      model->fit(train_dataset,
                 {.epochs = 1, .verbose = Verbose::silent, .validation_data = test_dataset}),
      goldens().history("pipeline"));
}

TEST_CASE("Shuffled batches train a model") {
  auto train_dataloader = data::from(x_train, y_train).shuffle().batch(batch_size);
  auto val_dataloader = data::from(x_test, y_test).batch(batch_size);
  auto model = compiled_model();
  History history =
      model->fit(train_dataloader,
                 {.epochs = 1, .verbose = Verbose::silent, .validation_data = val_dataloader});
  CHECK(history.history.size() == 4);
  // The samples are the same ones in another order.
  CHECK(history["loss"][0] != goldens().history("pipeline").at("loss")[0]);
  CHECK(history["loss"][0] == Approx(goldens().history("pipeline").at("loss")[0]).epsilon(0.05));
}

TEST_CASE("A model of one's own layers comes back from its file") {
  const TemporaryFolder folder;
  auto model = compiled_model();
  model->fit(x_train, y_train, {.batch_size = batch_size, .verbose = Verbose::silent});
  model->save(folder / "my_model.keras");
  auto loaded = load_model<MyModel>(folder / "my_model.keras");
  CHECK(*loaded->config.num_classes == 10);
  CHECK(loaded->compiled());
  REQUIRE(loaded->weights().size() == model->weights().size());
  for (size_t i = 0; i < model->weights().size(); ++i)
    CHECK(all_close(loaded->weights()[i], model->weights()[i], 0, 0));
}

}  // namespace intro_to_keras_for_engineers_test
