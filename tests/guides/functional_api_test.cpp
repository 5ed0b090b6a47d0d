// The examples of Keras's guide to the Functional API.
#include <cornu/cornu.h>

#include "guide_goldens.h"
#include "support/temporary.h"

namespace functional_api_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Value golden(const char* example) { return recorded("functional_api", example); }

constexpr Verbose silent = Verbose::silent;

}  // namespace

TEST_CASE("functional: three layers between an input and an output") {
  const Value expected = golden("first_model");
  Input inputs({784});
  CHECK(inputs.shape() == Shape{Shape::unknown, 784});
  CHECK(inputs.dtype() == DType::float32);
  CHECK(Input({32, 32, 3}).shape() == Shape{Shape::unknown, 32, 32, 3});

  layers::Dense dense({.units = 64, .activation = "relu"});
  Tensor x = dense(inputs);
  x = layers::Dense({.units = 64, .activation = "relu"})(x);
  Tensor outputs = layers::Dense({.units = 10})(x);
  Functional model(inputs, outputs, {.name = "mnist_model"});
  check_summary(model, entry(expected, "summary"));
}

TEST_CASE("functional: a picture of the model") {
  Input inputs({784});
  Tensor x = layers::Dense({.units = 64, .activation = "relu"})(inputs);
  Functional model(inputs, layers::Dense({.units = 10})(x), {.name = "mnist_model"});
  const TemporaryFolder folder;
  plot_model(model, folder / "my_first_model.svg");
  plot_model(model, folder / "my_first_model_with_shape_info.svg", {.show_shapes = true});
  const std::string plain = slurp(folder / "my_first_model.svg");
  const std::string shapes = slurp(folder / "my_first_model_with_shape_info.svg");
  CHECK_THAT(plain, contains("Dense"));
  CHECK_THAT(plain, !contains("784"));
  CHECK_THAT(shapes, contains("(None, 784)"));
  CHECK_THAT(shapes, contains("(None, 64)"));
  CHECK_THAT(shapes, contains("(None, 10)"));
}

TEST_CASE("functional: training, evaluation, prediction, and the model from its file") {
  const Value expected = golden("training");
  random::set_seed(1);
  Input inputs({784});
  Tensor hidden = layers::Dense({.units = 64, .activation = "relu"})(inputs);
  hidden = layers::Dense({.units = 64, .activation = "relu"})(hidden);
  Functional model(inputs, layers::Dense({.units = 10})(hidden), {.name = "mnist_model"});

  Tensor x_train = random::uniform({160, 784}, 0, 1, 1), y_train = random::randint({160}, 0, 10, 2);
  Tensor x_test = random::uniform({50, 784}, 0, 1, 3), y_test = random::randint({50}, 0, 10, 4);
  model.compile({.optimizer = optimizers::RMSprop(),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  History history = model.fit(x_train, y_train,
                              {.batch_size = 64,
                               .epochs = 2,
                               .verbose = silent,
                               .validation_split = 0.2,
                               .shuffle = false});
  check_history(history, entry(expected, "history"));
  Logs test_scores = model.evaluate(x_test, y_test, {.verbose = silent});
  check_same(std::vector{test_scores["loss"], test_scores["accuracy"]}, entry(expected, "scores"));
  Tensor predictions = model.predict(x_test[Slice({}, 3)], {.verbose = silent});
  check_same(predictions, entry(expected, "logits"), 1e-4, 1e-5);

  const TemporaryFolder folder;
  model.save(folder / "my_model.keras");
  auto again = load_model(folder / "my_model.keras");
  CHECK(again->name() == "mnist_model");
  CHECK(all_close(again->predict(x_test, {.verbose = silent}),
                  model.predict(x_test, {.verbose = silent}), 0, 0));
  CHECK(again->evaluate(x_test, y_test, {.verbose = silent}) == test_scores);
  // The optimizer's state is in the file too: both go on in the same way.
  const FitOptions more{.verbose = silent, .shuffle = false};
  CHECK(again->fit(x_train, y_train, more)["loss"] == model.fit(x_train, y_train, more)["loss"]);
}

namespace {

Tensor encode(const Tensor& encoder_input) {
  Tensor x = layers::Conv2D({.filters = 16, .kernel_size = 3, .activation = "relu"})(encoder_input);
  x = layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"})(x);
  x = layers::MaxPooling2D({.pool_size = 3})(x);
  x = layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"})(x);
  x = layers::Conv2D({.filters = 16, .kernel_size = 3, .activation = "relu"})(x);
  return layers::GlobalMaxPooling2D()(x);
}

Tensor decode(const Tensor& code) {
  Tensor x = layers::Reshape({.target_shape = {4, 4, 1}})(code);
  x = layers::Conv2DTranspose({.filters = 16, .kernel_size = 3, .activation = "relu"})(x);
  x = layers::Conv2DTranspose({.filters = 32, .kernel_size = 3, .activation = "relu"})(x);
  x = layers::UpSampling2D({.size = 3})(x);
  x = layers::Conv2DTranspose({.filters = 16, .kernel_size = 3, .activation = "relu"})(x);
  return layers::Conv2DTranspose({.filters = 1, .kernel_size = 3, .activation = "relu"})(x);
}

}  // namespace

TEST_CASE("functional: two models of one graph") {
  const Value expected = golden("two_models_of_one_graph");
  random::set_seed(1);
  Input encoder_input({28, 28, 1}, {.name = "img"});
  Tensor encoder_output = encode(encoder_input);
  Functional encoder(encoder_input, encoder_output, {.name = "encoder"});
  Functional autoencoder(encoder_input, decode(encoder_output), {.name = "autoencoder"});
  check_summary(encoder, entry(expected, "encoder"));
  check_summary(autoencoder, entry(expected, "autoencoder"));

  Tensor images = random::uniform({2, 28, 28, 1}, 0, 1, 5);
  check_same(encoder(images), entry(expected, "code"));
  CHECK(autoencoder(images).shape() == images.shape());
  check_same(autoencoder(images)[{0, Slice(10, 13), Slice(), 0}], entry(expected, "image"));
}

TEST_CASE("functional: models are called as layers are") {
  const Value expected = golden("models_are_callable");
  random::set_seed(1);
  Input encoder_input({28, 28, 1}, {.name = "original_img"});
  Functional encoder(encoder_input, encode(encoder_input), {.name = "encoder"});
  Input decoder_input({16}, {.name = "encoded_img"});
  Functional decoder(decoder_input, decode(decoder_input), {.name = "decoder"});
  Input autoencoder_input({28, 28, 1}, {.name = "img"});
  Tensor encoded_img = encoder(autoencoder_input);
  Tensor decoded_img = decoder(encoded_img);
  Functional autoencoder(autoencoder_input, decoded_img, {.name = "autoencoder"});
  check_summary(decoder, entry(expected, "decoder"));
  check_summary(autoencoder, entry(expected, "autoencoder"));
  Tensor images = random::uniform({2, 28, 28, 1}, 0, 1, 6);
  check_same(autoencoder(images)[{1, Slice(20, 23), Slice(), 0}], entry(expected, "image"));
}

TEST_CASE("functional: an ensemble averages its models") {
  const Value expected = golden("ensemble");
  random::set_seed(1);
  const auto get_model = [] {
    Input inputs({128});
    return make<Functional>(inputs, layers::Dense({.units = 1})(inputs));
  };
  auto model1 = get_model(), model2 = get_model(), model3 = get_model();
  Input inputs({128});
  Tensor y1 = model1(inputs), y2 = model2(inputs), y3 = model3(inputs);
  Tensor outputs = layers::average({y1, y2, y3});
  Functional ensemble_model(inputs, outputs);
  CHECK(ensemble_model.count_params() == entry(expected, "params").get<int64_t>());
  Tensor x = random::normal({4, 128}, 0, 1, 7);
  check_same(ensemble_model(x), entry(expected, "mean"));
  check_same(model1(x), entry(expected, "first"));
}

namespace {

// Titles, texts and tags of tickets to a priority and a department.
struct Tickets {
  Tickets() {
    random::set_seed(1);
    const int64_t num_tags = 12, num_words = 50, num_departments = 4;
    title = Input({std::nullopt}, {.name = "title"});
    body = Input({std::nullopt}, {.name = "body"});
    tags = Input({num_tags}, {.name = "tags"});
    Tensor title_features = layers::Embedding({.input_dim = num_words, .output_dim = 8})(title);
    Tensor body_features = layers::Embedding({.input_dim = num_words, .output_dim = 8})(body);
    title_features = layers::LSTM({.units = 16})(title_features);
    body_features = layers::LSTM({.units = 4})(body_features);
    Tensor x = layers::concatenate({title_features, body_features, tags});
    priority = layers::Dense({.units = 1, .name = "priority"})(x);
    department = layers::Dense({.units = num_departments, .name = "department"})(x);
  }

  Tensor title, body, tags, priority, department;
  Tensor title_data = random::randint({64, 5}, 0, 50, 1);
  Tensor body_data = random::randint({64, 10}, 0, 50, 2);
  Tensor tags_data = ops::cast(random::randint({64, 12}, 0, 2, 3), DType::float32);
  Tensor priority_targets = random::uniform({64, 1}, 0, 1, 4);
  Tensor dept_targets = random::randint({64, 4}, 0, 2, 5);
};

}  // namespace

TEST_CASE("functional: inputs, outputs, losses and weights by name") {
  const Value expected = golden("several_inputs_and_outputs");
  Tickets t;
  Functional model({t.title, t.body, t.tags},
                   {{"priority", t.priority}, {"department", t.department}});
  check_summary(model, entry(expected, "summary"));
  model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                 .loss = {{"priority", losses::BinaryCrossentropy({.from_logits = true})},
                          {"department", losses::CategoricalCrossentropy({.from_logits = true})}},
                 .loss_weights = {{"priority", 1.0}, {"department", 0.2}}});
  Nest data = {{"title", t.title_data}, {"body", t.body_data}, {"tags", t.tags_data}};
  History history =
      model.fit(data, {{"priority", t.priority_targets}, {"department", t.dept_targets}},
                {.batch_size = 32, .epochs = 2, .verbose = silent, .shuffle = false});
  check_history(history, entry(expected, "history"));
  Nest outputs = model.predict(data, {.verbose = silent});
  check_same(outputs["priority"].tensor()[Slice({}, 3)], entry(expected, "priority"));
  check_same(outputs["department"].tensor()[Slice({}, 3)], entry(expected, "department"));

  const TemporaryFolder folder;
  plot_model(model, folder / "multi_input_and_output_model.svg", {.show_shapes = true});
  CHECK_THAT(slurp(folder / "multi_input_and_output_model.svg"), contains("(None, 32)"));
}

TEST_CASE("functional: inputs, outputs, losses and weights in lists") {
  const Value expected = golden("several_outputs_in_a_list");
  Tickets t;
  Functional model({t.title, t.body, t.tags}, {t.priority, t.department});
  CHECK(model.output_names() == list_of<std::string>(entry(expected, "names")));
  model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                 .loss = {losses::BinaryCrossentropy({.from_logits = true}),
                          losses::CategoricalCrossentropy({.from_logits = true})},
                 .loss_weights = {1.0, 0.2}});
  History history =
      model.fit({t.title_data, t.body_data, t.tags_data}, {t.priority_targets, t.dept_targets},
                {.batch_size = 32, .epochs = 2, .verbose = silent, .shuffle = false});
  check_same(history["loss"], entry(expected, "loss"));
}

TEST_CASE("functional: a small network with shortcuts") {
  const Value expected = golden("toy_resnet");
  random::set_seed(1);
  const auto conv = [](const Tensor& x, int64_t filters, const char* padding = "valid") {
    return layers::Conv2D(
        {.filters = filters, .kernel_size = 3, .padding = padding, .activation = "relu"})(x);
  };
  Input inputs({32, 32, 3}, {.name = "img"});
  Tensor x = conv(inputs, 32);
  x = conv(x, 64);
  Tensor block_1_output = layers::MaxPooling2D({.pool_size = 3})(x);
  x = conv(block_1_output, 64, "same");
  x = conv(x, 64, "same");
  Tensor block_2_output = layers::add({x, block_1_output});
  x = conv(block_2_output, 64, "same");
  x = conv(x, 64, "same");
  Tensor block_3_output = layers::add({x, block_2_output});
  x = conv(block_3_output, 64);
  x = layers::GlobalAveragePooling2D()(x);
  x = layers::Dense({.units = 256, .activation = "relu"})(x);
  x = layers::Dropout({.rate = 0.5})(x);
  Functional model(inputs, layers::Dense({.units = 10})(x), {.name = "toy_resnet"});
  check_summary(model, entry(expected, "summary"));

  Tensor x_train = random::uniform({20, 32, 32, 3}, 0, 1, 1);
  Tensor y_train = utils::to_categorical(random::randint({20, 1}, 0, 10, 2), 10);
  model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
                 .loss = losses::CategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"acc"}});
  History history = model.fit(
      x_train, y_train,
      {.batch_size = 8, .epochs = 1, .verbose = silent, .validation_split = 0.2, .shuffle = false});
  check_history(history, entry(expected, "history"), 1e-4);
}

TEST_CASE("functional: two inputs share an embedding") {
  const Value expected = golden("shared_layers");
  random::set_seed(1);
  layers::Embedding shared_embedding({.input_dim = 1000, .output_dim = 128});
  Input text_input_a({std::nullopt}, {.dtype = DType::int32});
  Input text_input_b({std::nullopt}, {.dtype = DType::int32});
  Tensor encoded_input_a = shared_embedding(text_input_a);
  Tensor encoded_input_b = shared_embedding(text_input_b);
  CHECK(encoded_input_a.shape() == Shape{Shape::unknown, Shape::unknown, 128});
  Functional model({text_input_a, text_input_b}, {encoded_input_a, encoded_input_b});
  CHECK(model.count_params() == entry(expected, "params").get<int64_t>());
  Nest out =
      model({Tensor::from<int32_t>({3, 999}, {1, 2}), Tensor::from<int32_t>({0, 3, 1}, {1, 3})});
  check_same(out[0].tensor()[{0, 0, Slice({}, 5)}], entry(expected, "a"));
  check_same(out[1].tensor()[{0, Slice(), 7}], entry(expected, "b"));
}

TEST_CASE("functional: the features of every layer of a network") {
  const Value expected = golden("features_of_all_layers");
  random::set_seed(1);
  auto vgg19 =
      applications::VGG19({.include_top = false, .weights = {}, .input_shape = Shape{32, 32, 3}});
  Nest::List features_list;
  for (const auto& layer : vgg19->layers()) features_list.push_back(layer->output());
  Functional feat_extraction_model(vgg19->input(), features_list);
  Tensor img = random::uniform({1, 32, 32, 3}, 0, 1, 1);
  Nest extracted_features = feat_extraction_model(Nest(img));
  CHECK(names_of(vgg19->layers()) == list_of<std::string>(entry(expected, "names")));
  check_means(extracted_features.flatten(), entry(expected, "features"));
}

namespace {

struct CustomDenseConfig {
  int64_t units = 32;
};
class CustomDenseLayer : public LayerOf<CustomDenseLayer, CustomDenseConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    w_ = add_weight({.shape = {input.back(), config.units}, .initializer = "random_normal"});
    b_ = add_weight({.shape = {config.units}, .initializer = "random_normal"});
  }
  Tensor call(const Tensor& x, const Call&) override { return ops::matmul(x, w_) + b_; }

 private:
  Variable w_, b_;
};
using CustomDense = Ref<CustomDenseLayer>;
CORNU_REGISTER("functional_api>CustomDense", CustomDenseLayer);

}  // namespace

TEST_CASE("functional: a layer of one's own, and the model from its config") {
  const Value expected = golden("custom_layer");
  random::set_seed(1);
  Input inputs({4});
  Functional model(inputs, CustomDense({.units = 10})(inputs));
  auto new_model = Functional::from_config(model.get_config());
  Tensor x = random::normal({2, 4}, 0, 1, 1);
  check_same(model(x), entry(expected, "y"));
  // Fresh weights, from the next numbers of the seed's stream.
  check_same((*new_model)(x), entry(expected, "new"));
  CHECK(unnumbered(new_model->layers().back()->name()) ==
        unnumbered(list_of<std::string>(entry(expected, "names")).back()));
}

namespace {

class MLP : public Model {
 public:
  MLP() {
    track("dense_1", dense_1_);
    track("dense_2", dense_2_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = dense_1_(inputs);
    return dense_2_(x);
  }

 private:
  layers::Dense dense_1_{{.units = 64, .activation = "relu"}}, dense_2_{{.units = 10}};
};

}  // namespace

TEST_CASE("functional: the same network as a graph and as a class") {
  const Value expected = golden("functional_and_subclassed");
  random::set_seed(1);
  Input inputs({32});
  Tensor hidden = layers::Dense({.units = 64, .activation = "relu"})(inputs);
  Functional functional(inputs, layers::Dense({.units = 10})(hidden));
  MLP mlp;
  (void)mlp(ops::zeros({1, 32}));
  CHECK(std::vector{functional.count_params(), mlp.count_params()} ==
        list_of<int64_t>(entry(expected, "params")));
  CHECK(mlp.name() == entry(expected, "name").get<std::string>());
  Tensor x = random::normal({2, 32}, 0, 1, 1);
  check_same(functional(x), entry(expected, "functional"));
  check_same(mlp(x), entry(expected, "mlp"));
}

TEST_CASE("functional: a wrong shape is found while the graph is made") {
  layers::Dense dense({.units = 2});
  (void)dense(Input({4}));
  CHECK_THROWS_AS(dense(Input({5})), ShapeError);
  Input image({8, 8, 3});
  CHECK_THROWS_AS(layers::LSTM({.units = 2})(image), ShapeError);
  CHECK_THROWS_AS(layers::Conv2D({.filters = 1, .kernel_size = 9})(image), Error);
}

namespace {

constexpr int64_t units = 32, timesteps = 10, input_dim = 5;

// Steps through a sequence by a loop in `call`; what comes of it goes to a classifier.
struct CustomRNNConfig {
  int64_t units = 32;
};
class CustomRNNLayer : public LayerOf<CustomRNNLayer, CustomRNNConfig> {
 public:
  explicit CustomRNNLayer(CustomRNNConfig c) : LayerOf(c) {
    track("projection_1", projection_1_);
    track("projection_2", projection_2_);
  }
  Tensor features(const Tensor& inputs) {
    std::vector<Tensor> outputs;
    Tensor state = ops::zeros({inputs.shape(0), config.units});
    for (int64_t t = 0; t < inputs.shape(1); ++t) {
      Tensor x = inputs[{Slice(), t, Slice()}];
      Tensor h = projection_1_(x);
      Tensor y = h + projection_2_(state);
      state = y;
      outputs.push_back(y);
    }
    return ops::stack(outputs, 1);
  }

 private:
  layers::Dense projection_1_{{.units = config.units, .activation = "tanh"}};
  layers::Dense projection_2_{{.units = config.units, .activation = "tanh"}};
};

// With a model for the classifier.
class ModelRNNLayer : public CustomRNNLayer {
 public:
  explicit ModelRNNLayer(Functional& classifier) : CustomRNNLayer({}), classifier_(classifier) {
    track("classifier", classifier);
  }
  Tensor call(const Tensor& inputs, const Call&) override { return classifier_(features(inputs)); }

 private:
  Functional& classifier_;
};

// With a layer.
class DenseRNNLayer : public CustomRNNLayer {
 public:
  DenseRNNLayer() : CustomRNNLayer({}) { track("classifier", classifier_); }
  Tensor call(const Tensor& inputs, const Call&) override { return classifier_(features(inputs)); }
  std::string base_name() const override { return "custom_rnn"; }

 private:
  layers::Dense classifier_{{.units = 1}};
};

}  // namespace

TEST_CASE("functional: a model inside a layer") {
  const Value expected = golden("model_inside_a_layer");
  random::set_seed(1);
  Input inputs({std::nullopt, units});
  Tensor pooled = layers::GlobalAveragePooling1D()(inputs);
  Functional model(inputs, layers::Dense({.units = 1})(pooled));
  auto rnn_model = make<ModelRNNLayer>(model);
  (void)rnn_model(ops::zeros({1, timesteps, input_dim}));
  check_same(rnn_model(random::normal({2, timesteps, input_dim}, 0, 1, 1)), entry(expected, "y"));
  std::vector<Shape> shapes, wanted;
  for (const Variable& w : rnn_model->weights()) shapes.push_back(w.shape());
  for (const Value& shape : entry(expected, "weights").get<Value::List>())
    wanted.emplace_back(list_of<int64_t>(shape));
  CHECK(shapes == wanted);
}

TEST_CASE("functional: a layer with a loop in a model of a fixed batch") {
  const Value expected = golden("layer_with_a_loop_in_a_model");
  random::set_seed(1);
  const int64_t batch_size = 16;
  Input inputs(InputConfig{.batch_shape = {{batch_size, timesteps, input_dim}}});
  Tensor x = layers::Conv1D({.filters = 32, .kernel_size = 3})(inputs);
  Tensor outputs = make<DenseRNNLayer>()(x);
  CHECK(outputs.shape() == Shape(list_of<int64_t>(entry(expected, "shape"))));
  Functional model(inputs, outputs);
  check_summary(model, entry(expected, "summary"));
  Tensor y = model(random::normal({batch_size, timesteps, input_dim}, 0, 1, 1));
  check_same(y[Slice({}, 2)], entry(expected, "y"));
}

}  // namespace functional_api_test
