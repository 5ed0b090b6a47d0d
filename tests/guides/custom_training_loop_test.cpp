// Keras's guide to training loops from scratch, in C++.
#include "goldens.h"
#include "support/all_close.h"
#include "support/temporary.h"

namespace custom_training_loop_test {

using namespace cornu;
using test::all_close;
using test::check_close;

namespace {

const test::Goldens& goldens() {
  static const test::Goldens result("custom_training_loop");
  return result;
}

const Tensor x_train = random::uniform({100, 20}, 0, 1, 1),
             y_train = random::randint({100}, 0, 10, 2);
const Tensor x_val = random::uniform({40, 20}, 0, 1, 3), y_val = random::randint({40}, 0, 10, 4);
constexpr int64_t batch_size = 32;

Handle<Functional> get_model() {
  utils::set_random_seed(1);
  Input inputs({20}, {.name = "digits"});
  Tensor x1 = layers::Dense({.units = 16, .activation = "relu"})(inputs);
  Tensor x2 = layers::Dense({.units = 16, .activation = "relu"})(x1);
  Tensor outputs = layers::Dense({.units = 10, .name = "predictions"})(x2);
  return make<Functional>(inputs, outputs);
}

}  // namespace

TEST_CASE("Batches go by, and a tape gives the gradients") {
  auto model = get_model();
  optimizers::Adam optimizer({.learning_rate = 1e-3});
  losses::SparseCategoricalCrossentropy loss_fn({.from_logits = true});
  auto train_dataset = data::from(x_train, y_train).batch(batch_size);

  std::vector<double> losses;
  const int64_t epochs = 3;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x_batch_train, y_batch_train, weight] : train_dataset) {
      GradientTape tape;
      const Tensor logits = model(x_batch_train, {.training = true});
      const Tensor loss_value = loss_fn(y_batch_train, logits);
      const auto grads = tape.gradient(loss_value, model->trainable_variables());
      optimizer->apply(grads, model->trainable_variables());
      losses.push_back(loss_value.item());
    }
  }
  check_close(losses, goldens().numbers("plain", "losses"));
  check_close(model(x_val[Slice(0, 2)]), goldens().numbers("plain", "logits"));
}

TEST_CASE("Metrics are asked after each epoch, and begin anew") {
  auto model = get_model();
  optimizers::Adam optimizer({.learning_rate = 1e-3});
  losses::SparseCategoricalCrossentropy loss_fn({.from_logits = true});
  metrics::SparseCategoricalAccuracy train_acc_metric, val_acc_metric;
  auto train_dataset = data::from(x_train, y_train).batch(batch_size);
  auto val_dataset = data::from(x_val, y_val).batch(batch_size);

  std::vector<double> train_acc, val_acc;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    for (const Batch& batch : train_dataset) {
      GradientTape tape;
      const Tensor logits = model(batch.x, {.training = true});
      const Tensor loss_value = loss_fn(batch.y, logits);
      optimizer->apply(tape.gradient(loss_value, model->trainable_variables()),
                       model->trainable_variables());
      train_acc_metric->update_state(batch.y, logits);
    }
    train_acc.push_back(train_acc_metric->result().item());
    train_acc_metric->reset_state();

    for (const Batch& batch : val_dataset) {
      const Tensor val_logits = model(batch.x, {.training = false});
      val_acc_metric->update_state(batch.y, val_logits);
    }
    val_acc.push_back(val_acc_metric->result().item());
    val_acc_metric->reset_state();
  }
  check_close(train_acc, goldens().numbers("plain", "accuracies"));
  check_close(val_acc, goldens().numbers("plain", "val_accuracies"));
}

TEST_CASE("Functions are recorded and make the loop faster") {
  auto model = get_model();
  optimizers::Adam optimizer({.learning_rate = 1e-3});
  losses::SparseCategoricalCrossentropy loss_fn({.from_logits = true});
  metrics::SparseCategoricalAccuracy train_acc_metric, val_acc_metric;

  auto train_step = function([&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor logits = model(x, {.training = true});
    const Tensor loss_value = loss_fn(y, logits);
    optimizer->apply(tape.gradient(loss_value, model->trainable_variables()),
                     model->trainable_variables());
    train_acc_metric->update_state(y, logits);
    return loss_value;
  });
  auto test_step = function([&](const Tensor& x, const Tensor& y) {
    val_acc_metric->update_state(y, model(x, {.training = false}));
    return val_acc_metric->result();
  });

  auto train_dataset = data::from(x_train, y_train).batch(batch_size);
  auto val_dataset = data::from(x_val, y_val).batch(batch_size);
  std::vector<double> losses, train_acc, val_acc;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    for (const auto& [x_batch_train, y_batch_train, weight] : train_dataset)
      losses.push_back(train_step(x_batch_train, y_batch_train).item());
    train_acc.push_back(train_acc_metric->result().item());
    train_acc_metric->reset_state();

    for (const auto& [x_batch_val, y_batch_val, weight] : val_dataset)
      test_step(x_batch_val, y_batch_val);
    val_acc.push_back(val_acc_metric->result().item());
    val_acc_metric->reset_state();
  }
  check_close(losses, goldens().numbers("plain", "losses"));
  check_close(train_acc, goldens().numbers("plain", "accuracies"));
  check_close(val_acc, goldens().numbers("plain", "val_accuracies"));
  CHECK(train_step->report().replays > 0);
}

TEST_CASE("A step may give nothing") {
  auto model = get_model();
  metrics::SparseCategoricalAccuracy val_acc_metric;
  auto test_step = function([&](const Tensor& x, const Tensor& y) {
    val_acc_metric->update_state(y, model(x, {.training = false}));
  });
  for (int pass = 0; pass < 3; ++pass)
    for (const Batch& batch : data::from(x_val, y_val).batch(batch_size))
      test_step(batch.x, batch.y);
  const Tensor hits = ops::cast(ops::argmax(model(x_val), -1), DType::int32) == y_val;
  CHECK(val_acc_metric->result().item() ==
        Approx(ops::mean(ops::cast(hits, DType::float32)).item()));
}

namespace {

class ActivityRegularizationLayer : public Layer {
 public:
  Tensor call(const Tensor& inputs, const Call&) override {
    add_loss(1e-2 * ops::sum(inputs));
    return inputs;
  }
};

Handle<Functional> regularized_model() {
  utils::set_random_seed(1);
  Input inputs({20}, {.name = "digits"});
  Tensor x = layers::Dense({.units = 16, .activation = "relu"})(inputs);
  x = make<ActivityRegularizationLayer>()(x);
  x = layers::Dense({.units = 16, .activation = "relu"})(x);
  Tensor outputs = layers::Dense({.units = 10, .name = "predictions"})(x);
  return make<Functional>(inputs, outputs);
}

}  // namespace

// Losses are those of the last call: nothing has to be cleared between the steps.
TEST_CASE("Losses that layers add stand in the model") {
  auto model = regularized_model();
  optimizers::Adam optimizer({.learning_rate = 1e-3});
  losses::SparseCategoricalCrossentropy loss_fn({.from_logits = true});
  metrics::SparseCategoricalAccuracy train_acc_metric;

  const auto train_step = [&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor logits = model(x, {.training = true});
    Tensor loss_value = loss_fn(y, logits);
    for (const Tensor& loss : model->losses()) loss_value += loss;
    optimizer->apply(tape.gradient(loss_value, model->trainable_variables()),
                     model->trainable_variables());
    train_acc_metric->update_state(y, logits);
    return loss_value;
  };

  std::vector<double> losses, accuracies;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    for (const Batch& batch : data::from(x_train, y_train).batch(batch_size))
      losses.push_back(train_step(batch.x, batch.y).item());
    accuracies.push_back(train_acc_metric->result().item());
    train_acc_metric->reset_state();
  }
  check_close(losses, goldens().numbers("regularized", "losses"));
  check_close(accuracies, goldens().numbers("regularized", "accuracies"));

  check_close(model(x_val[Slice(0, 2)]), goldens().numbers("regularized", "logits"));
  REQUIRE(model->losses().size() == 1);
  check_close(model->losses()[0], goldens().numbers("regularized", "added"));
}

TEST_CASE("Losses that layers add are part of a recorded step") {
  auto model = regularized_model();
  optimizers::Adam optimizer({.learning_rate = 1e-3});
  losses::SparseCategoricalCrossentropy loss_fn({.from_logits = true});
  auto train_step = function([&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor logits = model(x, {.training = true});
    Tensor loss_value = loss_fn(y, logits);
    for (const Tensor& loss : model->losses()) loss_value += loss;
    optimizer->apply(tape.gradient(loss_value, model->trainable_variables()),
                     model->trainable_variables());
    return loss_value;
  });
  std::vector<double> losses;
  for (int64_t epoch = 0; epoch < 2; ++epoch)
    for (const Batch& batch : data::from(x_train, y_train).batch(batch_size))
      losses.push_back(train_step(batch.x, batch.y).item());
  check_close(losses, goldens().numbers("regularized", "losses"));
  CHECK(train_step->report().replays > 0);
}

TEST_CASE("A loop over shuffled batches counts its steps") {
  auto model = get_model();
  optimizers::Adam optimizer({.learning_rate = 1e-2});
  losses::SparseCategoricalCrossentropy loss_fn({.from_logits = true});
  auto train_dataset = data::from(x_train, y_train).shuffle({.window = 1024}).batch(batch_size);
  const double before = loss_fn(y_train, model(x_train)).item();
  int64_t seen = 0;
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    for (const Batch& batch : train_dataset.epoch(epoch)) {
      GradientTape tape;
      const Tensor loss_value = loss_fn(batch.y, model(batch.x, {.training = true}));
      optimizer->apply(tape.gradient(loss_value, model->trainable_variables()),
                       model->trainable_variables());
      seen += batch.x.shape(0);
    }
  }
  CHECK(seen == 400);
  CHECK(optimizer->iterations() == 16);
  CHECK(loss_fn(y_train, model(x_train)).item() < before);
}

TEST_CASE("A discriminator and a generator train each other in a loop") {
  const test::TemporaryFolder save_dir;
  utils::set_random_seed(1);
  Sequential discriminator(
      {
          Input({8, 8, 1}),
          layers::Conv2D(
              {.filters = 4, .kernel_size = {3, 3}, .strides = {2, 2}, .padding = "same"}),
          layers::LeakyReLU({.negative_slope = 0.2}),
          layers::GlobalMaxPooling2D(),
          layers::Dense({.units = 1}),
      },
      {.name = "discriminator"});
  CHECK_THAT(discriminator.summary_text(), test::contains("Model: \"discriminator\""));

  const int64_t latent_dim = 6;
  Sequential generator(
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

  optimizers::Adam d_optimizer({.learning_rate = 0.0003});
  optimizers::Adam g_optimizer({.learning_rate = 0.0004});
  losses::BinaryCrossentropy loss_fn({.from_logits = true});
  SeedGenerator seeds(7);

  auto train_step = function([&](const Tensor& real_images) -> Nest {
    const int64_t batch_size = real_images.shape(0);
    Tensor random_latent_vectors = random::normal({batch_size, latent_dim}, 0, 1, seeds);
    const Tensor generated_images = generator(random_latent_vectors);
    const Tensor combined_images = ops::concatenate({generated_images, real_images}, 0);
    Tensor labels = ops::concatenate({ops::ones({batch_size, 1}), ops::zeros({batch_size, 1})}, 0);
    labels += 0.05 * random::uniform(labels.shape(), 0, 1, seeds);

    GradientTape d_tape;
    const Tensor d_loss = loss_fn(labels, discriminator(combined_images));
    const auto d_grads = d_tape.gradient(d_loss, discriminator.trainable_variables());
    d_optimizer->apply(d_grads, discriminator.trainable_variables());

    random_latent_vectors = random::normal({batch_size, latent_dim}, 0, 1, seeds);
    GradientTape g_tape;
    const Tensor g_loss =
        loss_fn(ops::zeros({batch_size, 1}), discriminator(generator(random_latent_vectors)));
    const auto g_grads = g_tape.gradient(g_loss, generator.trainable_variables());
    g_optimizer->apply(g_grads, generator.trainable_variables());
    return {d_loss, g_loss, generated_images};
  });

  auto dataset = data::from(random::uniform({48, 8, 8, 1}, 0, 1, 4)).batch(16);
  const auto untouched = generator.get_weights();
  for (int64_t epoch = 0, step = 0; epoch < 2; ++epoch) {
    for (const Batch& batch : dataset) {
      const Nest results = train_step(batch.x);
      CHECK(results[0].item() > 0);
      CHECK(results[1].item() > 0);
      const Tensor generated_images = results[2];
      CHECK(generated_images.shape() == Shape{16, 8, 8, 1});
      if (step++ % 3 == 0) {
        const auto img = utils::array_to_img(generated_images[0] * 255.0, "channels_last", false);
        utils::save_img(save_dir / ("generated_img_" + std::to_string(step - 1) + ".png"),
                        generated_images[0]);
        CHECK(utils::img_to_array(img).shape() == Shape{8, 8, 1});
      }
    }
  }
  CHECK(save_dir.count() == 2);
  CHECK_FALSE(all_close(generator.get_weights()[0], untouched[0], 0, 0));
  CHECK(d_optimizer->iterations() == 6);
}

}  // namespace custom_training_loop_test
