// Ordinary trainings in which diagnose finds nothing, before the first epoch and after some.
#include "support.h"

namespace diagnose_healthy_test {

using namespace cornu;
using namespace cornu::test;

namespace {

void healthy(Model& model, CompileOptions compile, const Nest& x, const Nest& y,
             DiagnoseOptions options = {}) {
  model.compile(std::move(compile));
  CHECK(ids_of(model.diagnose(x, y, options)) == Ids{});
  model.fit(x, y, {.epochs = 8, .verbose = Verbose::silent, .shuffle = false});
  CHECK(ids_of(model.diagnose(x, y, options)) == Ids{});
}

void healthy(Sequential&& model, CompileOptions compile, const Nest& x, const Nest& y,
             DiagnoseOptions options = {}) {
  healthy(static_cast<Model&>(model), std::move(compile), x, y, options);
}

}  // namespace

TEST_CASE("diagnose finds nothing in regressions") {
  const Problem p;
  for (const char* loss : {"mse", "mae", "huber", "log_cosh"})
    for (const char* optimizer : {"adam", "sgd", "rmsprop", "adamw", "nadam", "adagrad", "lion"})
      healthy(mlp(1, "linear"), {.optimizer = optimizer, .loss = loss, .metrics = {"mae"}}, p.x,
              p.regression());
  healthy(mlp(1, "linear"), {.optimizer = "adam", .loss = "mse"}, p.x,
          ops::squeeze(p.regression(), -1));
  // Prices and the like.
  healthy(mlp(1, "linear"), {.optimizer = "adam", .loss = "mse"}, p.x,
          p.regression() * Tensor(30.0) + Tensor(20.0));
}

TEST_CASE("diagnose finds nothing in classifiers") {
  const Problem p;
  const losses::SparseCategoricalCrossentropy logits({.from_logits = true});
  healthy(mlp(1, "sigmoid"),
          {.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy", "auc"}}, p.x,
          p.binary());
  healthy(mlp(3, "softmax"),
          {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}},
          p.x, p.classes());
  healthy(mlp(3, "softmax"),
          {.optimizer = "adam", .loss = "categorical_crossentropy", .metrics = {"accuracy"}}, p.x,
          p.one_hot());
  healthy(mlp(3, "linear"), {.optimizer = "adam", .loss = logits, .metrics = {"accuracy"}}, p.x,
          p.classes());
  healthy(mlp(3, "sigmoid"), {.optimizer = "adam", .loss = "binary_crossentropy"}, p.x,
          p.one_hot());
  healthy(mlp(1, "tanh"), {.optimizer = "adam", .loss = "hinge"}, p.x,
          p.binary() * Tensor(2.0) - Tensor(1.0));
  // What cannot be learned is no fault.
  healthy(mlp(3, "softmax"), {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"},
          normal({256, 8}, 77), p.classes());
}

TEST_CASE("diagnose finds nothing in networks for pictures") {
  const Pictures pictures;
  healthy(Sequential({layers::Conv2D({.filters = 8, .kernel_size = 3, .activation = "relu"}),
                      layers::MaxPooling2D({.pool_size = 2}),
                      layers::Conv2D({.filters = 16, .kernel_size = 3, .activation = "relu"}),
                      layers::Flatten(), layers::Dropout({.rate = 0.3}),
                      layers::Dense({.units = 4, .activation = "softmax"})}),
          {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}},
          pictures.x(), pictures.y());
  healthy(
      Sequential({layers::Rescaling({.scale = 1.0 / 255}),
                  layers::Conv2D({.filters = 8, .kernel_size = 3, .use_bias = false}),
                  layers::BatchNormalization(), layers::Activation({.activation = "relu"}),
                  layers::GlobalAveragePooling2D(), layers::Dense({.units = 4})}),
      {.optimizer = "adam", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})},
      pictures.x() * Tensor(255.0), pictures.y());
  healthy(Sequential({layers::Conv2D({.filters = 8,
                                      .kernel_size = 3,
                                      .strides = 2,
                                      .padding = "same",
                                      .activation = "relu"}),
                      layers::Conv2DTranspose({.filters = 1,
                                               .kernel_size = 3,
                                               .strides = 2,
                                               .padding = "same",
                                               .activation = "sigmoid"})}),
          {.optimizer = "adam", .loss = "binary_crossentropy"}, pictures.x(), pictures.x());
}

TEST_CASE("diagnose finds nothing in networks for sequences") {
  const Problem p(192, 30);
  const Tensor x = ops::reshape(p.x, {192, 10, 3});
  healthy(Sequential({layers::LSTM({.units = 16}), layers::Dense({.units = 1})}),
          {.optimizer = "adam", .loss = "mse"}, x, p.regression());
  healthy(
      Sequential({layers::GRU({.units = 8, .return_sequences = true}), layers::GRU({.units = 8}),
                  layers::Dense({.units = 3, .activation = "softmax"})}),
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"}, x, p.classes());
  healthy(Sequential({layers::Conv1D({.filters = 8, .kernel_size = 3, .activation = "relu"}),
                      layers::GlobalMaxPooling1D(), layers::Dense({.units = 1})}),
          {.optimizer = "adam", .loss = "mse"}, x, p.regression());

  // A forecast of a slow wave.
  std::vector<float> windows, next;
  const std::vector<float> noise = normal_numbers(300, 8);
  const auto wave = [&](size_t i) {
    return static_cast<float>(std::sin(0.2 * static_cast<double>(i))) + 0.05f * noise[i];
  };
  for (size_t i = 0; i < 256; ++i) {
    for (size_t k = 0; k < 12; ++k) windows.push_back(wave(i + k));
    next.push_back(wave(i + 12));
  }
  for (bool shuffle : {true, false})
    healthy(Sequential({layers::LSTM({.units = 8}), layers::Dense({.units = 1})}),
            {.optimizer = "adam", .loss = "mse"}, Tensor::from(windows, {256, 12, 1}),
            Tensor::from(next, {256, 1}), {.shuffle = shuffle});
}

TEST_CASE("diagnose finds nothing in autoencoders and deep networks") {
  const Problem p;
  healthy(
      Sequential({layers::Dense({.units = 6, .activation = "relu"}),
                  layers::Dense({.units = 3, .activation = "relu"}),
                  layers::Dense({.units = 6, .activation = "relu"}), layers::Dense({.units = 8})}),
      {.optimizer = "adam", .loss = "mse"}, p.x, p.x);
  Sequential deep;
  for (int i = 0; i < 10; ++i)
    deep.add(layers::Dense({.units = 24, .activation = "relu", .kernel_initializer = "he_normal"}));
  deep.add(layers::Dense({.units = 1}));
  healthy(deep, {.optimizer = "adam", .loss = "mse"}, p.x, p.regression());

  Input x({8});
  Tensor y = layers::Dense({.units = 16})(x);
  for (int i = 0; i < 4; ++i)
    y = layers::Add()(
        {Nest(y), Nest(layers::Dense({.units = 16})(layers::Dense(
                      {.units = 16, .activation = "gelu"})(layers::LayerNormalization()(y))))});
  Functional residual(x, layers::Dense({.units = 1})(y));
  healthy(residual, {.optimizer = "adam", .loss = "mse"}, p.x, p.regression());
}

TEST_CASE("diagnose finds nothing in the parts of a GAN") {
  const Problem p;
  const Tensor noise = normal({256, 4}, 50);
  auto critic = std::make_shared<Sequential>(
      std::vector<AnyLayer>{layers::Dense({.units = 16, .activation = "relu"}),
                            layers::Dense({.units = 1, .activation = "sigmoid"})});
  Sequential generator(
      {layers::Dense({.units = 16, .activation = "relu"}), layers::Dense({.units = 8})});
  const Tensor both = ops::concatenate({p.x, generator(noise)}, 0);
  const Tensor labels = ops::concatenate({ops::ones({256, 1}), ops::zeros({256, 1})}, 0);
  healthy(*critic, {.optimizer = "adam", .loss = "binary_crossentropy"}, both, labels);
  critic->set_trainable(false);
  Sequential gan(
      {layers::Dense({.units = 16, .activation = "relu"}), layers::Dense({.units = 8}), critic});
  gan.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  CHECK(ids_of(gan.diagnose(noise, ops::ones({256, 1}), {.silence = {"labels_constant"}})) ==
        Ids{});
}

namespace {

// A model whose step is its own, and that has no call.
class Pair : public Model {
 public:
  Pair() {
    track("a", a);
    track("b", b);
  }
  StepLogs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor loss = ops::mean(ops::square(b(a(batch.x.tensor())) - batch.y.tensor()));
    const std::vector<Variable> variables = trainable_variables();
    optimizer()->apply(tape.gradient(loss, variables), variables);
    return {{"loss", loss}};
  }
  layers::Dense a = layers::Dense({.units = 16, .activation = "relu"});
  layers::Dense b = layers::Dense({.units = 1});
};

}  // namespace

TEST_CASE("diagnose looks at a model that has a train_step alone") {
  const Problem p;
  Pair model;
  model.a(p.x);
  model.b(model.a(p.x));
  model.compile({.optimizer = "adam"});
  CHECK(ids_of(model.diagnose(p.x, p.regression())) == Ids{});
  Pair fast;
  fast.b(fast.a(p.x));
  fast.compile({.optimizer = optimizers::SGD({.learning_rate = 20.0})});
  CHECK(ids_of(fast.diagnose(p.x, p.regression())) == Ids{"learning_rate_high"});
  Pair nan;
  nan.compile({.optimizer = "adam"});
  CHECK(ids_of(nan.diagnose(p.x * Tensor(NAN), p.regression())) == Ids{"inputs_nan"});
}

}  // namespace diagnose_healthy_test
