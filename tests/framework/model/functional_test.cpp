// Tests of Functional: graphs with shared layers, several inputs and outputs, ops, masks, configs.
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/nn/softmax.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/indexing.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/activation.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/core/masking.h>
#include <cornu/layers/merging/add.h>
#include <cornu/layers/merging/concatenate.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/reshaping/flatten.h>

#include <algorithm>

#include "model_support.h"
#include "support/matchers.h"

namespace functional_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// The model from its config, with the same weights.
std::shared_ptr<Functional> copy_of(const Functional& model) {
  auto copy = Functional::from_config(model.get_config());
  copy->set_weights(model.get_weights());
  return copy;
}

// A copy from the config is the same model, down to its own config.
void check_round_trip(Functional& model, const Nest& x) {
  const auto copy = copy_of(model);
  CHECK(names(copy->layers()) == names(model.layers()));
  CHECK(copy->input_names() == model.input_names());
  CHECK(copy->output_names() == model.output_names());
  const auto expected = model.predict(x).flatten(), found = copy->predict(x).flatten();
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) CHECK(close(found[i], expected[i]));
  CHECK(model_from_json(copy->to_json())->to_json() == model.to_json());
}

}  // namespace

TEST_CASE("A graph of two layers") {
  Input x({4});
  const Tensor y =
      Dense({.units = 2})(Dense({.units = 3, .activation = "relu", .name = "hidden"})(x));
  CHECK(y.is_symbolic());
  CHECK(y.shape() == Shape{Shape::unknown, 2});
  Functional model(x, y);
  CHECK(model.built());
  CHECK(model.name() == "functional");
  CHECK(model.count_params() == 23);
  CHECK(model.predict(wave({5, 4})).tensor().shape() == Shape{5, 2});
  CHECK(names(model.layers()) == std::vector<std::string>{"input_layer", "hidden", "dense"});
  check_round_trip(model, wave({5, 4}));
}

TEST_CASE("A shared layer has one set of weights and learns from all its calls") {
  Input a({.shape = {3}, .name = "a"}), b({.shape = {3}, .name = "b"});
  Dense shared({.units = 1, .use_bias = false, .kernel_initializer = "ones", .name = "shared"});
  Functional model({a, b}, shared(a) - shared(b));
  CHECK(model.weights().size() == 1);
  const Tensor xa = Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3}),
               xb = Tensor::from({1.0f, 0.0f, 0.0f}, {1, 3});
  CHECK(floats(model.predict({xa, xb}).tensor()) == std::vector<float>{5});
  check_round_trip(model, {xa, xb});
  model.compile({.optimizer = "sgd", .loss = [](const Tensor&, const Tensor& y) { return y; }});
  model.fit({xa, xb}, ops::zeros({1, 1}), {.verbose = Verbose::silent});
  // d(sum(kernel * (a - b))) with a rate of 0.01.
  CHECK(close(model.get_weights()[0], Tensor::from({1.0f, 0.98f, 0.97f}, {3, 1})));
}

TEST_CASE("Operators and ops are part of the graph") {
  Input x({2, 3});
  Tensor y = 1.0 - x * 2.0;
  y = ops::softmax(ops::reshape(y, {-1, 6}));
  y = ops::concatenate({y, -y / 4.0}, 1);
  const Tensor slice = ops::get_item(y, Value::List{Ellipsis{}, Slice{1, 9, 2}});
  const Tensor last = ops::get_item(y, Value::List{Slice{}, -1});
  Functional model(x, {y, slice, ops::mean(ops::square(y), 1) + last});
  const Tensor in = wave({4, 2, 3});
  const auto out = model.predict(in).flatten();
  const Tensor p = ops::softmax(ops::reshape(1.0 - in * 2.0, {-1, 6}));
  const Tensor both = ops::concatenate({p, -p / 4.0}, 1);
  CHECK(close(out[0], both));
  CHECK(out[1].shape() == Shape{4, 4});
  CHECK(close(out[1], ops::get_item(both, Value::List{Ellipsis{}, Slice{1, 9, 2}})));
  CHECK(close(out[2],
              ops::mean(ops::square(both), 1) + ops::get_item(both, Value::List{Slice{}, -1})));
  CHECK(model.sublayers().size() == 1);
  check_round_trip(model, in);
}

TEST_CASE("Comparisons and constants keep their values in configs") {
  Input x({3});
  const Tensor offset = Tensor::from({0.5f, -0.25f, 2.0f}, {3});
  Functional model(x, ops::where(x > 0.1, x + offset, 3.0 / (x - 7.0)));
  check_round_trip(model, wave({4, 3}));
}

TEST_CASE("Inputs and outputs are nests") {
  Input a({.shape = {2}, .name = "a"}), b({.shape = {2}, .name = "b"}),
      c({.shape = {1}, .name = "c"});
  const Tensor sum = layers::Add({.name = "sum"})({a, b});
  const Tensor joined = layers::Concatenate({.name = "joined"})({sum, c});
  Functional lists({{a, b}, c}, {joined, {sum}});
  const Nest in = {{ops::ones({2, 2}), ops::ones({2, 2})}, ops::zeros({2, 1})};
  const Nest out = lists.predict(in);
  CHECK(out.structure() == "[*, [*]]");
  CHECK(floats(out[0]) == std::vector<float>{2, 2, 0, 2, 2, 0});
  CHECK(floats(out[1][0]) == std::vector<float>{2, 2, 2, 2});
  CHECK(lists.output_names() == std::vector<std::string>{"joined", "sum"});
  check_round_trip(lists, in);

  Functional dicts(Nest::dict({{"b", b}, {"a", a}, {"c", c}}),
                   Nest::dict({{"z", joined}, {"y", sum}}));
  const Nest values = Nest::dict({{"c", ops::zeros({2, 1})},
                                  {"a", ops::ones({2, 2})},
                                  {"b", ops::ones({2, 2})},
                                  {"unused", ops::ones({2, 9})}});
  CHECK(floats(dicts.predict(Nest::dict({{"a", ops::ones({2, 2})},
                                         {"b", ops::zeros({2, 2})},
                                         {"c", ops::zeros({2, 1})}}))["y"]) ==
        std::vector<float>{1, 1, 1, 1});
  CHECK(dicts(Nest::dict(
            {{"a", ops::ones({2, 2})}, {"b", ops::ones({2, 2})}, {"c", ops::zeros({2, 1})}}))["z"]
            .tensor()
            .shape() == Shape{2, 3});
  CHECK_NOTHROW(dicts.predict(values));
  check_round_trip(dicts, values);
}

TEST_CASE("A model of a list of inputs takes them by name") {
  Input a({.shape = {2}, .name = "left"}), b({.shape = {2}, .name = "right"});
  Functional model({a, b}, a - b);
  const Nest out =
      model.predict(Nest::dict({{"right", ops::ones({1, 2})}, {"left", ops::zeros({1, 2})}}));
  CHECK(floats(out) == std::vector<float>{-1, -1});
  CHECK_THROWS_WITH(
      model.predict(Nest::dict({{"rigth", ops::ones({1, 2})}, {"left", ops::ones({1, 2})}})),
      has("'right'"));
}

TEST_CASE("Layers are listed by depth") {
  Input early({.shape = {3}, .name = "early"}), late({.shape = {3}, .name = "late"});
  const Tensor one = Dense({.units = 3, .name = "one"})(early);
  const Tensor two = Dense({.units = 3, .name = "two"})(one);
  const Tensor side = Dense({.units = 3, .name = "side"})(late);
  const Tensor sum = layers::Add({.name = "sum"})({side, two});
  Functional model({late, early}, Dense({.units = 1, .name = "out"})(sum));
  CHECK(names(model.layers()) ==
        std::vector<std::string>{"early", "late", "one", "side", "two", "sum", "out"});
  CHECK(model.get_layer("side")->name() == "side");
  CHECK_THROWS_WITH(model.get_layer("sid"),
                    has("Did you mean 'side'? Its layers are 'early', 'late', 'one', 'side', "
                        "'two', 'sum', 'out'."));
  CHECK(model.get_layer(0)->name() == "early");
  CHECK(model.get_layer(size_t{3})->name() == "side");
  CHECK(model.get_layer(-1)->name() == "out");
  CHECK_THROWS_AS(model.get_layer(7), ValueError);
  check_round_trip(model, {wave({2, 3}), wave({2, 3}, 1)});
}

TEST_CASE("Models are layers of models") {
  Input x({4});
  auto inner =
      make<Functional>(x, Dense({.units = 3, .name = "hidden"})(x), Functional::Options{"inner"});
  Input a({.shape = {4}, .name = "a"}), b({.shape = {4}, .name = "b"});
  const Tensor first = (*inner)(a), second = (*inner)(b);
  Functional outer({a, b}, Dense({.units = 1})(first * second));
  CHECK(outer.count_params() == 15 + 4);
  CHECK(names(outer.layers()) == std::vector<std::string>{"a", "b", "inner", "dense"});
  check_round_trip(outer, {wave({3, 4}), wave({3, 4}, 2)});
}

TEST_CASE("A model of part of a graph shares the layers") {
  Input x({4});
  const Tensor hidden = Dense({.units = 3, .name = "hidden"})(x);
  const Tensor out = Dense({.units = 1, .name = "out"})(hidden);
  Functional whole(x, out), features(x, hidden), head(Nest(x), Nest({hidden, out}));
  CHECK(features.weights().size() == 2);
  whole.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor before = features.predict(wave({2, 4}));
  whole.fit(wave({8, 4}), ops::ones({8, 1}), {.epochs = 3, .verbose = Verbose::silent});
  const Tensor after = features.predict(wave({2, 4}));
  CHECK_FALSE(close(before, after, 1e-7));
  CHECK(close(head.predict(wave({2, 4}))[0], after));
}

TEST_CASE("A mask goes from an Embedding to an LSTM, and ends there") {
  Input words({.shape = {5}, .dtype = DType::int32, .name = "words"});
  const Tensor vectors =
      layers::Embedding({.input_dim = 6, .output_dim = 3, .mask_zero = true})(words);
  layers::LSTM lstm({.units = 4});
  Functional model(words, Dense({.units = 1})(lstm(vectors)));
  const Tensor padded = Tensor::from(std::vector<int32_t>{1, 2, 3, 0, 0, 4, 5, 0, 0, 0}, {2, 5});
  const Tensor y = model.predict(padded);
  CHECK_FALSE(y.mask());
  // Padding adds nothing: the sequence alone gives the same.
  Input free({.shape = {Shape::unknown}, .dtype = DType::int32, .name = "free"});
  Functional shorter(
      free, model.layers().back()->operator()(
                lstm(std::dynamic_pointer_cast<Layer>(model.layers()[1])->operator()(free))));
  const Tensor alone = shorter.predict(Tensor::from(std::vector<int32_t>{1, 2, 3}, {1, 3}));
  CHECK(alone.item() == Approx(y.to_vector<double>()[0]).margin(1e-6));
  check_round_trip(model, padded);
}

TEST_CASE("A mask passes a nested model that keeps it") {
  Input x({3, 2});
  auto inner = make<Sequential>(std::vector<AnyLayer>{layers::Masking(), Dense({.units = 2})});
  layers::LSTM lstm({.units = 1});
  Functional model(x, lstm((*inner)(x)));
  const Tensor in = Tensor::from({1.f, 2.f, 3.f, 4.f, 0.f, 0.f}, {1, 3, 2});
  const Tensor expected = lstm((*inner)(ops::get_item(in, Value::List{Slice{}, Slice{0, 2}})));
  CHECK(close(model.predict(in), expected));
}

TEST_CASE("Training reaches layers inside a graph, inference does not") {
  Input x({50});
  Functional model(x, layers::Dropout({.rate = 0.5})(x));
  const Tensor ones = ops::ones({4, 50});
  CHECK(close(model.predict(ones), ones));
  CHECK(close(model(ones), ones));
  CHECK_FALSE(close(model(ones, {.training = true}), ones));
}

TEST_CASE("Layers with several results are nodes with several outputs") {
  Input x({4, 3});
  const Nest results =
      layers::LSTM({.units = 2, .return_sequences = true, .return_state = true})(Nest(x));
  REQUIRE(results.size() == 3);
  Functional model(x, {results[0], results[2]});
  const Nest out = model.predict(wave({2, 4, 3}));
  CHECK(out[0].tensor().shape() == Shape{2, 4, 2});
  CHECK(out[1].tensor().shape() == Shape{2, 2});
  check_round_trip(model, wave({2, 4, 3}));
}

TEST_CASE("Graphs that are not whole say so") {
  Input a({.shape = {2}, .name = "a"}), b({.shape = {2}, .name = "forgotten"});
  CHECK_THROWS_WITH(Functional(a, a + b), has("'forgotten'"));
  CHECK_THROWS_WITH(Functional(ops::ones({1, 2}), a),
                    has("Functional: the input, of shape (1, 2), is not "
                        "a symbolic tensor."));
  CHECK_THROWS_WITH(Functional(a, Nest{a, ops::ones({1, 2})}),
                    has("Functional: outputs[1], of shape (1, 2), is not a symbolic tensor. It was "
                        "not computed from an Input."));
  CHECK_THROWS_WITH(Functional(a, Nest::dict({{"same", a}, {"none", Tensor()}})),
                    has("outputs['none'], an empty tensor, is not a symbolic tensor"));
  CHECK_THROWS_WITH(Functional(a, layers::Activation({.activation = "relu", .name = "x"})(
                                      Dense({.units = 1, .name = "x"})(a))),
                    has("Model 'functional': two layers, Dense and Activation, are named 'x'."));
  CHECK_THROWS_AS(ops::sum(a).item(), StateError);
}

TEST_CASE("A layer that cannot take its input says so while the graph is made") {
  Input x({2});
  CHECK_THROWS_AS(layers::LSTM({.units = 2})(x), ShapeError);
  Dense dense({.units = 1, .name = "narrow"});
  dense(x);
  CHECK_THROWS_WITH(dense(Input({3})), has("narrow"));
}

TEST_CASE("Configs that are broken say where") {
  Input x({2});
  Functional model(x, Dense({.units = 1, .name = "out"})(x));
  Value::Dict config = model.get_config();
  std::erase_if(config, [](const auto& e) { return e.first == "output_layers"; });
  CHECK_THROWS_WITH(Functional::from_config(config), has("'output_layers' is missing"));
  config = model.get_config();
  for (auto& [key, value] : config)
    if (key == "output_layers") value = Value::List{"ou", 0, 0};
  CHECK_THROWS_WITH(Functional::from_config(config), has("Did you mean 'out'?"));
}

TEST_CASE("A model with one input and one output tells their shapes") {
  Input in({3, 2});
  Functional model(in, layers::Flatten()(in));
  CHECK(model.input_shape() == Shape{Shape::unknown, 3, 2});
  CHECK(model.output_shape() == Shape{Shape::unknown, 6});
  Functional pair(in, Nest{Tensor(in), layers::Flatten()(in)});
  CHECK_THROWS_AS(pair.output_shape(), ValueError);
  CHECK(pair.operations().size() == 2);
  CHECK(pair.nodes().size() == 2);
}

TEST_CASE("an Input is made from sizes, options, or both") {
  const int64_t unknown = Shape::unknown;
  CHECK(Input({4}).shape() == Shape({unknown, 4}));
  CHECK(Input({std::nullopt, 3}).shape() == Shape({unknown, unknown, 3}));
  CHECK(Input({}).shape() == Shape({unknown}));
  CHECK(Input({.shape = {4}}).shape() == Shape({unknown, 4}));
  CHECK(Input({.shape = {4}, .batch_size = 2}).shape() == Shape({2, 4}));
  CHECK(Input({.shape = {4, 5}, .dtype = "int32"}).dtype() == DType::int32);
  CHECK(Input({4}, {.dtype = "float16"}).dtype() == DType::float16);
  CHECK(Input({.batch_shape = Shape{2, 4}}).shape() == Shape({2, 4}));
  const Shape shape = {7};
  CHECK(Input(shape).shape() == Shape({unknown, 7}));
}

TEST_CASE("a size that is not known yet meets one that is") {
  const int64_t unknown = Shape::unknown;
  const Input open({std::nullopt, 4}), fixed({7, 4});
  CHECK((open + fixed).shape() == Shape({unknown, 7, 4}));
  CHECK((open * ops::ones({7, 4})).shape() == Shape({unknown, 7, 4}));
  CHECK(layers::Add()({open, fixed}).tensor().shape() == Shape({unknown, 7, 4}));
  CHECK(layers::Concatenate()({open, fixed}).tensor().shape() == Shape({unknown, 7, 8}));
  CHECK(layers::Concatenate({.axis = 1})({open, fixed}).tensor().shape() ==
        Shape({unknown, unknown, 4}));
  CHECK(ops::where(open > 0, fixed, 0.0).shape() == Shape({unknown, 7, 4}));
  CHECK(ops::stack({open, fixed}).shape() == Shape({2, unknown, 7, 4}));
  // What fits no size is a mistake still, and said as before.
  CHECK_THROWS_WITH(open + Input({7, 5}),
                    cornu::test::contains("shapes (None, None, 4) and (None, 7, 5)"));
  // The model computes for the size that fits, and says so for others.
  Functional model({open, fixed}, layers::Add()({open, fixed}));
  CHECK(model.predict({ops::ones({2, 7, 4}), ops::ones({2, 7, 4})}, {.verbose = 0}).shape() ==
        Shape{2, 7, 4});
  CHECK_THROWS_AS(model.predict({ops::ones({2, 6, 4}), ops::ones({2, 7, 4})}, {.verbose = 0}),
                  ShapeError);
}

}  // namespace functional_test
