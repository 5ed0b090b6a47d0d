// The examples of Keras's guide to the Sequential model.
#include <cornu/cornu.h>

#include "guide_goldens.h"

namespace sequential_model_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Value golden(const char* example) { return recorded("sequential_model", example); }

constexpr Verbose silent = Verbose::silent;

}  // namespace

TEST_CASE("sequential: a stack computes what its layers do one after the other") {
  const Value expected = golden("stack_and_function");
  random::set_seed(1);
  Sequential model({
      layers::Dense({.units = 2, .activation = "relu", .name = "layer1"}),
      layers::Dense({.units = 3, .activation = "relu", .name = "layer2"}),
      layers::Dense({.units = 4, .name = "layer3"}),
  });
  Tensor x = random::normal({3, 3}, 0, 1, 1);
  check_same(model(x), entry(expected, "stack"));

  layers::Dense layer1({.units = 2, .activation = "relu", .name = "layer1"});
  layers::Dense layer2({.units = 3, .activation = "relu", .name = "layer2"});
  layers::Dense layer3({.units = 4, .name = "layer3"});
  check_same(layer3(layer2(layer1(x))), entry(expected, "function"));
}

TEST_CASE("sequential: the layers of a list") {
  const Value expected = golden("layers_of_a_list");
  Sequential model({
      layers::Dense({.units = 2, .activation = "relu"}),
      layers::Dense({.units = 3, .activation = "relu"}),
      layers::Dense({.units = 4}),
  });
  CHECK(names_of(model.layers()) == list_of<std::string>(entry(expected, "names")));
  CHECK(model.name() == entry(expected, "name").get<std::string>());
  CHECK(model.built() == entry(expected, "built").get<bool>());
}

TEST_CASE("sequential: layers are added and popped") {
  const Value expected = golden("add_and_pop");
  random::set_seed(1);
  Sequential model;
  model.add(layers::Dense({.units = 2, .activation = "relu"}));
  model.add(layers::Dense({.units = 3, .activation = "relu"}));
  model.add(layers::Dense({.units = 4}));
  model.pop();
  CHECK(static_cast<int64_t>(model.layers().size()) == entry(expected, "layers").get<int64_t>());
  check_same(model(random::normal({2, 3}, 0, 1, 1)), entry(expected, "y"));
}

TEST_CASE("sequential: a model has a name") {
  Sequential model({}, {.name = "my_sequential"});
  model.add(layers::Dense({.units = 2, .activation = "relu", .name = "layer1"}));
  model.add(layers::Dense({.units = 3, .activation = "relu", .name = "layer2"}));
  model.add(layers::Dense({.units = 4, .name = "layer3"}));
  CHECK(model.name() == "my_sequential");
  CHECK(names_of(model.layers()) == std::vector<std::string>{"layer1", "layer2", "layer3"});
}

TEST_CASE("sequential: the weights of a layer come with its first call") {
  const Value expected = golden("weights_come_with_the_first_call");
  random::set_seed(1);
  layers::Dense layer({.units = 3});
  CHECK(static_cast<int64_t>(layer->weights().size()) == entry(expected, "before").get<int64_t>());
  Tensor y = layer(ops::ones({1, 4}));
  REQUIRE(layer->weights().size() == 2);
  CHECK(layer->weights()[0].shape() == Shape{4, 3});
  CHECK(layer->weights()[1].shape() == Shape{3});
  check_same(y, entry(expected, "y"));
  check_same(layer->weights()[0], entry(expected, "kernel"));
}

TEST_CASE("sequential: a model without an input is built by its first call") {
  const Value expected = golden("model_is_built_by_its_first_call");
  random::set_seed(1);
  Sequential model({
      layers::Dense({.units = 2, .activation = "relu"}),
      layers::Dense({.units = 3, .activation = "relu"}),
      layers::Dense({.units = 4}),
  });
  CHECK(model.weights().empty());
  CHECK(rows_of(model.summary_text())[0][2] == "0 (unbuilt)");
  Tensor y = model(ops::ones({1, 4}));
  CHECK(static_cast<int64_t>(model.weights().size()) == entry(expected, "weights").get<int64_t>());
  check_same(y, entry(expected, "y"));
  // Keras prints the batch of that call, 1, for an axis that may have any size.
  Value rows = entry(expected, "summary");
  CHECK(rows_of(model.summary_text())[0][1] == "(None, 2)");
  CHECK(list_of<std::string>(entry(rows, "rows").get<Value::List>()[0])[1] == "(1, 2)");
}

TEST_CASE("sequential: an input comes first, and is no layer of the list") {
  const Value expected = golden("model_with_an_input");
  Sequential model;
  model.add(Input({4}));
  model.add(layers::Dense({.units = 2, .activation = "relu"}));
  check_summary(model, entry(expected, "summary"));
  CHECK(names_of(model.layers()) == list_of<std::string>(entry(expected, "names")));
  CHECK(model.output().shape() == Shape{Shape::unknown, 2});
}

TEST_CASE("sequential: summaries while a stack grows") {
  const Value expected = golden("summaries_while_adding");
  const auto conv = [](int64_t filters, int64_t kernel_size, int64_t strides = 1) {
    return layers::Conv2D(
        {.filters = filters, .kernel_size = kernel_size, .strides = strides, .activation = "relu"});
  };
  Sequential model;
  model.add(Input({250, 250, 3}));
  model.add(conv(32, 5, 2));
  model.add(conv(32, 3));
  model.add(layers::MaxPooling2D({.pool_size = 3}));
  check_summary(model, entry(expected, "first"));
  CHECK(model.output().shape() == Shape{Shape::unknown, 40, 40, 32});
  model.add(conv(32, 3));
  model.add(conv(32, 3));
  model.add(layers::MaxPooling2D({.pool_size = 3}));
  model.add(conv(32, 3));
  model.add(conv(32, 3));
  model.add(layers::MaxPooling2D({.pool_size = 2}));
  check_summary(model, entry(expected, "second"));
  model.add(layers::GlobalMaxPooling2D());
  model.add(layers::Dense({.units = 10}));
  check_summary(model, entry(expected, "third"));
  CHECK(model.output().shape() == Shape{Shape::unknown, 10});
}

namespace {

Sequential conv_stack() {
  random::set_seed(1);
  return {
      Input({40, 40, 3}),
      layers::Conv2D({.filters = 32, .kernel_size = 5, .strides = 2, .activation = "relu"}),
      layers::Conv2D(
          {.filters = 32, .kernel_size = 3, .activation = "relu", .name = "my_intermediate_layer"}),
      layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
  };
}

}  // namespace

TEST_CASE("sequential: the features of all layers") {
  const Value expected = golden("features_of_all_layers");
  Sequential initial_model = conv_stack();
  Nest::List outputs;
  for (const auto& layer : initial_model.layers()) outputs.push_back(layer->output());
  Functional feature_extractor(initial_model.inputs(), outputs);
  Nest features = feature_extractor(Nest(ops::ones({1, 40, 40, 3})));
  check_means(features.flatten(), expected);
}

TEST_CASE("sequential: the features of one layer") {
  const Value expected = golden("features_of_one_layer");
  Sequential initial_model = conv_stack();
  Functional feature_extractor(initial_model.inputs(),
                               initial_model.get_layer("my_intermediate_layer")->output());
  Tensor features = feature_extractor(random::uniform({1, 40, 40, 3}, 0, 1, 1));
  CHECK(features.shape() == Shape(list_of<int64_t>(entry(expected, "shape"))));
  check_same(features[{0, 0, 0}], entry(expected, "corner"));
}

TEST_CASE("sequential: all layers but the last are frozen") {
  const Value expected = golden("all_but_the_last_frozen");
  random::set_seed(1);
  Sequential model({
      Input({784}),
      layers::Dense({.units = 32, .activation = "relu"}),
      layers::Dense({.units = 32, .activation = "relu"}),
      layers::Dense({.units = 32, .activation = "relu"}),
      layers::Dense({.units = 10}),
  });
  for (size_t i = 0; i + 1 < model.layers().size(); ++i) model.layers()[i]->set_trainable(false);
  model.compile(
      {.optimizer = "adam", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const auto before = model.get_weights();
  History history = model.fit(random::uniform({64, 784}, 0, 1, 1), random::randint({64}, 0, 10, 2),
                              {.epochs = 3, .verbose = silent, .shuffle = false});
  check_history(history, entry(expected, "history"));
  check_summary(model, entry(expected, "summary"));
  check_same(model.weights().back(), entry(expected, "bias"));
  for (size_t i = 0; i < 6; ++i) CHECK(all_close(model.get_weights()[i], before[i], 0, 0));
}

TEST_CASE("sequential: a classifier on a network of keras.applications") {
  const Value expected = golden("classifier_on_a_base");
  random::set_seed(1);
  auto base_model = applications::MobileNet(
      {.alpha = 0.25, .include_top = false, .weights = {}, .pooling = "avg"});
  base_model->set_trainable(false);
  Sequential model({base_model, layers::Dense({.units = 10})});
  Tensor y = model(random::uniform({1, 32, 32, 3}, 0, 1, 1));
  // Tiny numbers, since nothing has trained the base: compared by their ratio alone.
  check_same(y, entry(expected, "y"), 1e-4, 0);
  CHECK(std::vector{static_cast<int64_t>(model.weights().size()),
                    static_cast<int64_t>(model.trainable_variables().size())} ==
        list_of<int64_t>(entry(expected, "weights")));
  CHECK(model.count_params() == entry(expected, "params").get<int64_t>());
  CHECK(base_model->name() == entry(expected, "base").get<std::string>());
}

}  // namespace sequential_model_test
