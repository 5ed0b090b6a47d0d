// Keras's guide to training steps of one's own, in which fit does the rest, in C++.
#include "goldens.h"
#include "support/all_close.h"

namespace custom_train_step_test {

using namespace cornu;
using test::all_close;
using test::check_close;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("custom_train_step");
  return result;
}

const Tensor x = random::uniform({100, 32}, 0, 1, 1), y = random::uniform({100, 1}, 0, 1, 2);
const Tensor sw = random::uniform({100, 1}, 0, 1, 3);

// A model of this class with one Dense, the weights of which are Keras's.
template <class Net>
Handle<Net> dense_model() {
  utils::set_random_seed(1);
  Input inputs({32});
  Tensor outputs = layers::Dense({.units = 1})(inputs);
  return make<Net>(inputs, outputs);
}

// The step of a graph, with the loss and the metrics of compile.
class CustomModel : public Functional {
 public:
  using Functional::Functional;

  StepLogs train_step(const Batch& batch) override {
    GradientTape tape;
    const Nest y_pred = (*this)(batch.x, {.training = true});
    const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);

    const std::vector<Variable> trainable_vars = trainable_variables();
    const std::vector<Tensor> gradients = tape.gradient(loss, trainable_vars);
    optimizer()->apply(gradients, trainable_vars);

    const Tensor weight = batch.sample_weight;
    for (const auto& metric : metrics()) {
      if (metric->name() == "loss")
        metric->update_state(loss);
      else
        metric->update_state(batch.y, y_pred, weight);
    }
    return get_metrics_result();
  }
};

}  // namespace

TEST_CASE("A step takes loss, metrics and optimizer from compile") {
  auto model = dense_model<CustomModel>();
  model->compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  check_close(model->fit(x, y, {.epochs = 3, .verbose = Verbose::silent, .shuffle = false}),
              goldens().history("simple"));
  check_close(model(x[Slice(0, 4)]), goldens().numbers("simple", "predictions"));
}

TEST_CASE("A step takes sample weights") {
  auto model = dense_model<CustomModel>();
  model->compile({.optimizer = "adam", .loss = "mse", .weighted_metrics = {"mae"}});
  check_close(
      model->fit(x, y,
                 {.epochs = 3, .verbose = Verbose::silent, .shuffle = false, .sample_weight = sw}),
      goldens().history("weighted"));
  check_close(model(x[Slice(0, 4)]), goldens().numbers("weighted", "predictions"));
}

namespace {

// Loss and metrics of its own: compile says how to optimize, and nothing else.
class LowerModel : public Functional {
 public:
  using Functional::Functional;

  StepLogs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x, {.training = true});
    const Tensor loss = loss_fn(batch.y, y_pred);

    const auto trainable_vars = trainable_variables();
    optimizer()->apply(tape.gradient(loss, trainable_vars), trainable_vars);

    loss_tracker->update_state(loss);
    mae_metric->update_state(batch.y, y_pred);
    return {{"loss", loss_tracker->result()}, {"mae", mae_metric->result()}};
  }

  StepLogs test_step(const Batch& batch) override {
    const Tensor y_pred = (*this)(batch.x, {.training = false});
    loss_tracker->update_state(loss_fn(batch.y, y_pred));
    mae_metric->update_state(batch.y, y_pred);
    return {{"loss", loss_tracker->result()}, {"mae", mae_metric->result()}};
  }

  // These, and not those of compile, are reset at the start of each epoch.
  std::vector<std::shared_ptr<Metric>> metrics() const override {
    return {loss_tracker, mae_metric};
  }

 private:
  std::shared_ptr<Metric> loss_tracker = add_metric(metrics::Mean({.name = "loss"}));
  std::shared_ptr<Metric> mae_metric = add_metric(metrics::MeanAbsoluteError({.name = "mae"}));
  losses::MeanSquaredError loss_fn;
};

}  // namespace

TEST_CASE("A step has a loss and metrics of its own") {
  auto model = dense_model<LowerModel>();
  model->compile({.optimizer = "adam"});
  History history = model->fit(x, y, {.epochs = 3, .verbose = Verbose::silent, .shuffle = false});
  check_close(history, goldens().history("simple"));

  CHECK(model->metrics().size() == 2);
  CHECK(model->metrics()[0]->name() == "loss");
}

TEST_CASE("Callbacks and validation see the figures of a step") {
  auto model = dense_model<LowerModel>();
  model->compile({.optimizer = "adam", .loss = "mse"});
  std::vector<double> seen;
  History history = model->fit(
      x, y,
      {.epochs = 10,
       .verbose = Verbose::silent,
       .callbacks = {callbacks::LambdaCallback(
                         {.on_epoch_end = [&](int64_t,
                                              Logs& logs) { seen.push_back(logs.at("mae")); }}),
                     callbacks::EarlyStopping({.monitor = "mae", .min_delta = 10, .patience = 2})},
       .validation_data = {x, y},
       .shuffle = false,
       .validation_batch_size = 100});
  CHECK(seen == history["mae"]);
  CHECK(history.epoch.size() == 3);
  REQUIRE(history["val_loss"].size() == 3);
  const Tensor y_pred = model->predict(x, {.verbose = Verbose::silent});
  CHECK(history["val_loss"][2] == Approx(ops::mean(ops::square(y - y_pred)).item()).epsilon(1e-5));
  check_close(history["loss"], goldens().history("simple").at("loss"));
}

TEST_CASE("A step runs by a plan as it runs eagerly") {
  auto model = dense_model<LowerModel>();
  model->compile({.optimizer = "adam", .run_eagerly = true});
  check_close(model->fit(x, y, {.epochs = 3, .verbose = Verbose::silent, .shuffle = false}),
              goldens().history("simple"));
  const Tensor eager = model(x);

  auto planned = dense_model<LowerModel>();
  planned->compile({.optimizer = "adam", .steps_per_execution = 2});
  planned->fit(x, y, {.epochs = 3, .verbose = Verbose::silent, .shuffle = false});
  CHECK(all_close(planned(x), eager, 1e-5, 1e-6));
}

namespace {

// A step of evaluate that takes the model's own metrics.
class TestedModel : public Functional {
 public:
  using Functional::Functional;

  StepLogs test_step(const Batch& batch) override {
    const Nest y_pred = (*this)(batch.x, {.training = false});
    const Tensor loss = compute_loss(batch.x, batch.y, y_pred);
    for (const auto& metric : metrics()) {
      if (metric->name() == "loss")
        metric->update_state(loss);
      else
        metric->update_state(batch.y, y_pred);
    }
    return get_metrics_result();
  }
};

}  // namespace

TEST_CASE("Evaluation has a step of its own") {
  auto model = dense_model<TestedModel>();
  model->compile({.loss = "mse", .metrics = {"mae"}});
  Logs logs = model->evaluate(x, y, {.verbose = Verbose::silent});
  check_close({logs.at("loss"), logs.at("mae")}, {goldens().numbers("evaluated", "loss")[0],
                                                  goldens().numbers("evaluated", "mae")[0]});
  // The next pass begins with metrics that have seen nothing.
  CHECK(model->evaluate(x, y, {.verbose = Verbose::silent}) == logs);
}

namespace {

class WeightedLoss : public Functional {
 public:
  using Functional::Functional;
  Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                      const Nest& sample_weight) override {
    return 3 * Functional::compute_loss(x, y, y_pred, sample_weight) +
           ops::mean(ops::abs(y_pred.tensor()));
  }
};

}  // namespace

TEST_CASE("The loss alone is another one") {
  auto model = dense_model<WeightedLoss>();
  model->compile({.optimizer = optimizers::SGD({.learning_rate = 0}), .loss = "mse"});
  const Tensor y_pred = model->predict(x, {.verbose = Verbose::silent});
  const double loss = (3 * ops::mean(ops::square(y - y_pred)) + ops::mean(ops::abs(y_pred))).item();
  CHECK(model->fit(x, y, {.batch_size = 100, .verbose = Verbose::silent})["loss"][0] ==
        Approx(loss).epsilon(1e-5));
  CHECK(model->evaluate(x, y, {.batch_size = 100, .verbose = Verbose::silent})["loss"] ==
        Approx(loss).epsilon(1e-5));
}

namespace {

Handle<Sequential> make_discriminator() {
  return make<Sequential>(
      {
          Input({8, 8, 1}),
          layers::Conv2D(
              {.filters = 4, .kernel_size = {3, 3}, .strides = {2, 2}, .padding = "same"}),
          layers::LeakyReLU({.negative_slope = 0.2}),
          layers::Conv2D(
              {.filters = 8, .kernel_size = {3, 3}, .strides = {2, 2}, .padding = "same"}),
          layers::LeakyReLU({.negative_slope = 0.2}),
          layers::GlobalMaxPooling2D(),
          layers::Dense({.units = 1}),
      },
      {.name = "discriminator"});
}

constexpr int64_t latent_dim = 6;

Handle<Sequential> make_generator() {
  return make<Sequential>(
      {
          Input({latent_dim}),
          layers::Dense({.units = 2 * 2 * 6}),
          layers::LeakyReLU({.negative_slope = 0.2}),
          layers::Reshape({.target_shape = {2, 2, 6}}),
          layers::Conv2DTranspose(
              {.filters = 6, .kernel_size = {4, 4}, .strides = {2, 2}, .padding = "same"}),
          layers::LeakyReLU({.negative_slope = 0.2}),
          layers::Conv2DTranspose(
              {.filters = 6, .kernel_size = {4, 4}, .strides = {2, 2}, .padding = "same"}),
          layers::LeakyReLU({.negative_slope = 0.2}),
          layers::Conv2D(
              {.filters = 1, .kernel_size = {7, 7}, .padding = "same", .activation = "sigmoid"}),
      },
      {.name = "generator"});
}

class GAN : public Model {
 public:
  GAN(Handle<Sequential> discriminator, Handle<Sequential> generator, int64_t latent_dim)
      : discriminator(track("discriminator", discriminator)),
        generator(track("generator", generator)),
        latent_dim(latent_dim) {}

  using Model::compile;
  void compile(Choice<Optimizer> d_optimizer, Choice<Optimizer> g_optimizer,
               losses::BinaryCrossentropy loss_fn) {
    Model::compile();
    this->d_optimizer = track("d_optimizer", d_optimizer);
    this->g_optimizer = track("g_optimizer", g_optimizer);
    this->loss_fn = loss_fn;
  }

  StepLogs train_step(const Batch& batch) override {
    const Tensor real_images = batch.x;
    const int64_t batch_size = real_images.shape(0);
    Tensor random_latent_vectors = random::normal({batch_size, latent_dim}, 0, 1, seed_generator);
    const Tensor generated_images = generator(random_latent_vectors);
    const Tensor combined_images = ops::concatenate({generated_images, real_images}, 0);
    Tensor labels = ops::concatenate({ops::ones({batch_size, 1}), ops::zeros({batch_size, 1})}, 0);
    labels += 0.05 * random::uniform(labels.shape(), 0, 1, seed_generator);

    GradientTape d_tape;
    const Tensor d_loss = loss_fn(labels, discriminator(combined_images));
    d_optimizer->apply(d_tape.gradient(d_loss, discriminator->trainable_variables()),
                       discriminator->trainable_variables());

    random_latent_vectors = random::normal({batch_size, latent_dim}, 0, 1, seed_generator);
    const Tensor misleading_labels = ops::zeros({batch_size, 1});

    GradientTape g_tape;
    const Tensor g_loss =
        loss_fn(misleading_labels, discriminator(generator(random_latent_vectors)));
    g_optimizer->apply(g_tape.gradient(g_loss, generator->trainable_variables()),
                       generator->trainable_variables());

    d_loss_tracker->update_state(d_loss);
    g_loss_tracker->update_state(g_loss);
    return {{"d_loss", d_loss_tracker->result()}, {"g_loss", g_loss_tracker->result()}};
  }

  std::shared_ptr<Sequential> discriminator_layer() const { return discriminator; }

 private:
  Handle<Sequential> discriminator, generator;
  int64_t latent_dim;
  Choice<Optimizer> d_optimizer, g_optimizer;
  losses::BinaryCrossentropy loss_fn;
  std::shared_ptr<Metric> d_loss_tracker = add_metric(metrics::Mean({.name = "d_loss"}));
  std::shared_ptr<Metric> g_loss_tracker = add_metric(metrics::Mean({.name = "g_loss"}));
  SeedGenerator& seed_generator = add_seed_generator(1337);
};

// The mean of the first `count` of them.
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("Two networks train each other in one step") {
  utils::set_random_seed(1);
  auto discriminator = make_discriminator();
  auto generator = make_generator();
  GAN gan(discriminator, generator, latent_dim);
  gan.compile(optimizers::Adam({.learning_rate = 0.0003}),
              optimizers::Adam({.learning_rate = 0.0003}),
              losses::BinaryCrossentropy({.from_logits = true}));

  const Tensor all_digits = random::uniform({48, 8, 8, 1}, 0, 1, 4);
  auto dataset = data::from(all_digits).batch(16);
  History history = gan.fit(dataset, {.epochs = 1, .verbose = Verbose::silent});

  CHECK(history.history.size() == 2);
  check_close(history["d_loss"], {mean_of(goldens().numbers("gan", "d_losses"))});
  check_close(history["g_loss"], {mean_of(goldens().numbers("gan", "g_losses"))});
  const Tensor image = generator(random::uniform({1, latent_dim}, 0, 1, 5));
  check_close(image[{0, 3, Slice(), 0}], goldens().numbers("gan", "images"));
}

TEST_CASE("Two networks train each other for as many steps as asked for") {
  utils::set_random_seed(1);
  GAN gan(make_discriminator(), make_generator(), latent_dim);
  gan.compile("adam", "adam", losses::BinaryCrossentropy({.from_logits = true}));
  auto dataset =
      data::from(random::uniform({48, 8, 8, 1}, 0, 1, 4)).shuffle({.window = 1024}).batch(16);
  CHECK(gan.fit(dataset.take(2), {.epochs = 2, .verbose = Verbose::silent})["g_loss"].size() == 2);
  CHECK(gan.count_params() > 0);
}

}  // namespace custom_train_step_test
