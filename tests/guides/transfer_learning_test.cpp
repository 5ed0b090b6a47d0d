// The examples of Keras's guide to transfer learning, with a small network in place of a large one.
#include <cornu/cornu.h>

#include "guide_goldens.h"

namespace transfer_learning_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Value golden(const char* example) { return recorded("transfer_learning", example); }

constexpr Verbose silent = Verbose::silent;

// Numbers of weights: all, trainable, the others.
std::vector<int64_t> counts(const Layer& layer) {
  return {static_cast<int64_t>(layer.weights().size()),
          static_cast<int64_t>(layer.trainable_variables().size()),
          static_cast<int64_t>(layer.non_trainable_variables().size())};
}

}  // namespace

TEST_CASE("transfer: weights that are trained, and others") {
  const Value expected = golden("weights_by_kind");
  layers::Dense dense({.units = 3});
  dense->build({std::nullopt, 4});
  CHECK(counts(*dense) == list_of<int64_t>(entry(expected, "dense")));

  layers::BatchNormalization norm;
  norm->build({std::nullopt, 4});
  CHECK(counts(*norm) == list_of<int64_t>(entry(expected, "norm")));

  layers::Dense frozen({.units = 3});
  frozen->build({std::nullopt, 4});
  frozen->set_trainable(false);
  CHECK(counts(*frozen) == list_of<int64_t>(entry(expected, "frozen")));
}

TEST_CASE("transfer: training leaves a frozen layer as it is") {
  const Value expected = golden("frozen_layer_in_training");
  random::set_seed(1);
  layers::Dense layer1({.units = 3, .activation = "relu"});
  layers::Dense layer2({.units = 3, .activation = "sigmoid"});
  Sequential model({Input({3}), layer1, layer2});
  layer1->set_trainable(false);
  const auto initial = layer1->get_weights();

  model.compile({.optimizer = "adam", .loss = "mse"});
  History history = model.fit(random::uniform({2, 3}, 0, 1, 1), random::uniform({2, 3}, 0, 1, 2),
                              {.verbose = silent});
  check_same(history["loss"], entry(expected, "loss"));
  const auto final = layer1->get_weights();
  CHECK(all_close(final[0], initial[0], 0, 0));
  CHECK(all_close(final[1], initial[1], 0, 0));
  const auto& weights = entry(expected, "weights").get<Value::List>();
  REQUIRE(model.get_weights().size() == weights.size());
  for (size_t i = 0; i < weights.size(); ++i) check_same(model.get_weights()[i], weights[i]);
}

TEST_CASE("transfer: freezing a model freezes all inside it") {
  const Value expected = golden("frozen_recursively");
  auto inner_model = make<Sequential>({
      Input({3}),
      layers::Dense({.units = 3, .activation = "relu"}),
      layers::Dense({.units = 3, .activation = "relu"}),
  });
  Sequential model({
      Input({3}),
      inner_model,
      layers::Dense({.units = 3, .activation = "sigmoid"}),
  });
  model.set_trainable(false);
  CHECK(inner_model->trainable() == entry(expected, "inner").get<bool>());
  CHECK(inner_model->layers()[0]->trainable() == entry(expected, "layer").get<bool>());
  CHECK(counts(model) == list_of<int64_t>(entry(expected, "counts")));
  check_summary(model, entry(expected, "summary"));
}

namespace {

Handle<Functional> small_base() {
  random::set_seed(1);
  Input inputs({12, 12, 3});
  Tensor x =
      layers::Conv2D({.filters = 8, .kernel_size = 3, .strides = 2, .use_bias = false})(inputs);
  x = layers::BatchNormalization({.momentum = 0.9})(x);
  x = layers::ReLU()(x);
  x = layers::SeparableConv2D({.filters = 6, .kernel_size = 3})(x);
  return make<Functional>(inputs, x, {.name = "base"});
}

Functional model_on(const Handle<Functional>& base_model) {
  Input inputs({12, 12, 3});
  Tensor x = base_model(inputs, {.training = false});
  x = layers::GlobalAveragePooling2D()(x);
  Tensor outputs = layers::Dense({.units = 1})(x);
  return {inputs, outputs};
}

const Tensor images = random::uniform({16, 12, 12, 3}, 0, 1, 1);
const Tensor labels = random::randint({16, 1}, 0, 2, 2);

void compile_binary(Model& model, double learning_rate = 1e-3) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = learning_rate}),
                 .loss = losses::BinaryCrossentropy({.from_logits = true}),
                 .metrics = {metrics::BinaryAccuracy()}});
}

}  // namespace

TEST_CASE("transfer: a new head on a frozen base, then all of it at a low rate") {
  const Value expected = golden("head_and_fine_tuning");
  auto base_model = small_base();
  base_model->set_trainable(false);
  Functional model = model_on(base_model);
  check_summary(model, entry(expected, "frozen"));

  compile_binary(model);
  History head = model.fit(images, labels,
                           {.batch_size = 8,
                            .epochs = 3,
                            .verbose = silent,
                            .validation_data = {images, labels},
                            .shuffle = false});
  check_history(head, entry(expected, "head"));

  base_model->set_trainable(true);
  compile_binary(model, 1e-5);
  History tuned = model.fit(images, labels,
                            {.batch_size = 8,
                             .epochs = 2,
                             .verbose = silent,
                             .validation_data = {images, labels},
                             .shuffle = false});
  check_history(tuned, entry(expected, "tuned"));
  check_summary(model, entry(expected, "thawed"));
  // The base was called with training = false: its statistics are those from before.
  const auto norm = base_model->get_layer("batch_normalization");
  check_same(norm->get_weights()[2], entry(expected, "moving_mean"));
  check_same(model.predict(images[Slice({}, 4)], {.verbose = silent}), entry(expected, "logits"));
}

TEST_CASE("transfer: without training = false the statistics follow the new data") {
  const Value expected = golden("statistics_follow_without_the_flag");
  auto base_model = small_base();
  Input inputs({12, 12, 3});
  Tensor x = base_model(inputs);
  x = layers::GlobalAveragePooling2D()(x);
  Functional model(inputs, layers::Dense({.units = 1})(x));
  compile_binary(model, 1e-5);
  History history =
      model.fit(images, labels, {.batch_size = 8, .verbose = silent, .shuffle = false});
  check_same(history["loss"], entry(expected, "loss"));
  const auto norm = base_model->get_layer("batch_normalization");
  check_same(norm->get_weights()[2], entry(expected, "moving_mean"));
  check_same(norm->get_weights()[3], entry(expected, "moving_variance"));
}

TEST_CASE("transfer: a frozen BatchNormalization infers, whatever it is told") {
  const Value expected = golden("frozen_normalization_infers");
  layers::BatchNormalization norm;
  Tensor x = random::normal({8, 3}, 0, 1, 1);
  check_same(norm(x, {.training = true}), entry(expected, "trained"));
  norm->set_trainable(false);
  check_same(norm(x, {.training = true}), entry(expected, "frozen"));
  check_same(norm->moving_mean, entry(expected, "moving_mean"));
}

TEST_CASE("transfer: a loop of one's own trains what is not frozen") {
  const Value expected = golden("loop_of_ones_own");
  auto base_model = small_base();
  base_model->set_trainable(false);
  Functional model = model_on(base_model);
  losses::BinaryCrossentropy loss_fn({.from_logits = true});
  optimizers::Adam optimizer;

  std::vector<double> losses;
  for (const Batch& batch : data::from(images, labels).batch(8)) {
    GradientTape tape;
    Tensor predictions = model(batch.x);
    Tensor loss_value = loss_fn(batch.y, predictions);
    const auto variables = model.trainable_variables();
    auto gradients = tape.gradient(loss_value, variables);
    optimizer->apply(gradients, variables);
    losses.push_back(loss_value.item());
  }
  check_same(losses, entry(expected, "losses"));
  const auto& weights = entry(expected, "weights").get<Value::List>();
  const auto variables = model.trainable_variables();
  REQUIRE(variables.size() == weights.size());
  for (size_t i = 0; i < weights.size(); ++i) check_same(variables[i], weights[i]);
}

TEST_CASE("transfer: features are computed once, for a small model") {
  const Value expected = golden("features_first");
  auto base_model = small_base();
  Tensor features = base_model->predict(images, {.verbose = silent});
  CHECK(features.shape() == Shape(list_of<int64_t>(entry(expected, "shape"))));
  Sequential head({
      Input(features.shape().slice(1)),
      layers::GlobalAveragePooling2D(),
      layers::Dense({.units = 1}),
  });
  compile_binary(head);
  History history = head.fit(features, labels,
                             {.batch_size = 8, .epochs = 2, .verbose = silent, .shuffle = false});
  check_history(history, entry(expected, "history"));
}

TEST_CASE("transfer: images are resized on their way to the model") {
  const Value expected = golden("images_are_resized");
  layers::Resizing resize_fn({.height = 15, .width = 15});
  Tensor large = random::uniform({1, 20, 25, 3}, 0, 255, 1);
  check_same(resize_fn(large)[{0, 3}], entry(expected, "image"), 1e-5, 1e-4);

  auto train_ds = data::from(large, ops::ones({1}))
                      .map([&](Batch sample) {
                        sample.x = resize_fn(sample.x.tensor());
                        return sample;
                      })
                      .batch(1);
  for (const Batch& batch : train_ds)
    check_same(batch.x.tensor()[{0, 3}], entry(expected, "image"), 1e-5, 1e-4);
}

TEST_CASE("transfer: images are flipped and turned") {
  const Value expected = golden("images_are_augmented");
  const std::vector<AnyLayer> augmentation_layers = {
      layers::RandomFlip({.mode = "horizontal", .seed = 1}),
      layers::RandomRotation({.factor = 0.1, .seed = 2}),
  };
  const auto data_augmentation = [&](Tensor x) {
    for (const auto& layer : augmentation_layers) x = (*layer.shared())(x);
    return x;
  };
  Tensor x = random::uniform({2, 6, 6, 1}, 0, 255, 1);
  check_same(data_augmentation(x), entry(expected, "images"), 1e-4, 1e-3);
}

TEST_CASE("transfer: scaling, base, dropout and classifier in one model") {
  const Value expected = golden("end_to_end");
  auto base_model = small_base();
  base_model->set_trainable(false);
  Input inputs({12, 12, 3});
  layers::Rescaling scale_layer({.scale = 1 / 127.5, .offset = -1});
  Tensor x = scale_layer(inputs);
  x = base_model(x, {.training = false});
  x = layers::GlobalAveragePooling2D()(x);
  x = layers::Dropout({.rate = 0.2})(x);
  Functional model(inputs, layers::Dense({.units = 1})(x));

  Tensor pixels = random::uniform({16, 12, 12, 3}, 0, 255, 3);
  compile_binary(model);
  History history = model.fit(pixels, labels,
                              {.batch_size = 8, .epochs = 2, .verbose = silent, .shuffle = false});
  check_summary(model, entry(expected, "summary"));
  check_history(history, entry(expected, "history"));
  Logs scores = model.evaluate(pixels, labels, {.verbose = silent});
  check_same(std::vector{scores["loss"], scores["binary_accuracy"]}, entry(expected, "scores"));
}

TEST_CASE("transfer: a network of keras.applications without its top") {
  const Value expected = golden("large_base");
  auto base_model = applications::Xception(
      {.include_top = false, .weights = {}, .input_shape = Shape{150, 150, 3}});
  base_model->set_trainable(false);
  Input inputs({150, 150, 3});
  Tensor x = layers::Rescaling({.scale = 1 / 127.5, .offset = -1})(inputs);
  x = (*base_model)(x, {.training = false});
  x = layers::GlobalAveragePooling2D()(x);
  x = layers::Dropout({.rate = 0.2})(x);
  Functional model(inputs, layers::Dense({.units = 1})(x));
  CHECK(base_model->output().shape() == Shape{std::nullopt, 5, 5, 2048});
  check_summary(model, entry(expected, "summary"));
}

}  // namespace transfer_learning_test
