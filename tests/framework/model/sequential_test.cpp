// Tests of Sequential: building, changing the stack, names, configs.
#include <cornu/layers/activations/relu.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/reshaping/flatten.h>

#include "model_support.h"

namespace sequential_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

TEST_CASE("A Sequential with an Input is built at once") {
  Sequential model({Input({4}), Dense({.units = 3}), Dense({.units = 2})});
  CHECK(model.built());
  CHECK(model.count_params() == 4 * 3 + 3 + 3 * 2 + 2);
  CHECK(names(model.layers()) == std::vector<std::string>{"dense", "dense_1"});
  CHECK(model.compute_output_shape({7, 4}) == Shape{7, 2});
  CHECK(model.layers()[0]->own_weights()[0].path() == "sequential/dense/kernel");
  CHECK(model.layers()[1]->own_weights()[0].path() == "sequential/dense_1/kernel");
}

TEST_CASE("A Sequential without an Input is built by its first call") {
  Sequential model({Dense({.units = 3}), Dense({.units = 2})});
  CHECK_FALSE(model.built());
  CHECK_THROWS_AS(model.count_params(), StateError);
  CHECK(model(wave({5, 4})).shape() == Shape{5, 2});
  CHECK(model.built());
  CHECK(model.count_params() == 23);
  // What was built stays: other widths are an error that says so.
  CHECK_THROWS_WITH(model(wave({5, 6})), has("expected last axis 4, found 6"));
  CHECK(model(wave({1, 4})).shape() == Shape{1, 2});
}

TEST_CASE("fit and predict build a Sequential too") {
  Sequential trained({Dense({.units = 1})});
  trained.compile({.optimizer = "sgd", .loss = "mse"});
  trained.fit(wave({6, 3}), wave({6, 1}), {.verbose = Verbose::silent});
  CHECK(trained.count_params() == 4);
  Sequential asked({Dense({.units = 1})});
  CHECK(asked.predict(wave({6, 3})).tensor().shape() == Shape{6, 1});
}

TEST_CASE("Layers are added and taken off") {
  Sequential model;
  model.add(Input({4}));
  model.add(Dense({.units = 3}));
  CHECK(model.built());
  model.add(Dense({.units = 2}));
  CHECK(names(model.layers()) == std::vector<std::string>{"dense", "dense_1"});
  CHECK(model(wave({2, 4})).shape() == Shape{2, 2});
  CHECK(model.count_params() == 23);
  model.pop();
  CHECK(model(wave({2, 4})).shape() == Shape{2, 3});
  CHECK(model.count_params() == 15);
  model.add(Dense({.units = 5, .name = "last"}));
  CHECK(model.predict(wave({2, 4})).tensor().shape() == Shape{2, 5});
  model.pop();
  model.pop();
  CHECK_THROWS_AS(model.pop(), StateError);
}

TEST_CASE("A layer that does not fit is not added") {
  Sequential model({Input({4}), layers::Dense({.units = 3})});
  const Tensor x = ops::ones({2, 4}), before = model(x);
  CHECK_THROWS_AS(model.add(layers::Conv2D({.filters = 2, .kernel_size = 3})), ShapeError);
  CHECK(model.layers().size() == 1);
  CHECK(model.outputs().tensor().shape() == Shape({Shape::unknown, 3}));
  CHECK(model(x).to_vector<float>() == before.to_vector<float>());
  model.add(layers::Dense({.units = 2}));
  CHECK(model(x).shape() == Shape({2, 2}));
  // One without an Input finds out when it is called.
  Sequential open({layers::Dense({.units = 3})});
  open(x);
  CHECK_THROWS_AS(open.add(layers::Conv2D({.filters = 2, .kernel_size = 3})), ShapeError);
  CHECK(open(x).shape() == Shape({2, 3}));
}

TEST_CASE("The layers of a model can be called, and held, one by one") {
  const std::vector<Handle<Layer>> two = {layers::Dense({.units = 3}), layers::ReLU()};
  Sequential model(two);
  const Tensor x = ops::ones({2, 4});
  const Tensor y = model(x);
  Tensor again = x;
  for (const auto& layer : model.layers()) again = layer(again);
  CHECK(again.to_vector<float>() == y.to_vector<float>());
  CHECK(model.layers()[0](x).to_vector<float>() == two[0](x).to_vector<float>());
  const std::vector<std::shared_ptr<Layer>> shared = model.layers();
  CHECK(shared[1] == two[1]);
  CHECK(Sequential(std::vector<layers::Dense>{layers::Dense({.units = 2})})(x).shape() ==
        Shape({2, 2}));
}

TEST_CASE("A stack that changes between steps trains and predicts as it is now") {
  Sequential model({Input({4}), Dense({.units = 3}), Dense({.units = 2, .name = "gone"})});
  model.predict(wave({2, 4}));
  model.pop();
  CHECK(model.predict(wave({2, 4})).tensor().shape() == Shape{2, 3});
  model.add(Dense({.units = 1, .name = "head"}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto before = model.get_layer("head")->get_weights();
  model.fit(wave({8, 4}), ops::ones({8, 1}), {.verbose = Verbose::silent});
  CHECK_FALSE(close(model.get_layer("head")->get_weights()[0], before[0], 1e-7));
}

TEST_CASE("Names are unique") {
  Dense a({.units = 1, .name = "same"}), b({.units = 1, .name = "same"});
  CHECK_THROWS_WITH(Sequential({a, b}), has("'same'"));
  Sequential model({a});
  CHECK_THROWS_WITH(model.add(b), has("'same'"));
  CHECK(model.layers().size() == 1);
  // A chosen name is kept, the automatic ones go around it.
  Sequential mixed(
      {Dense({.units = 1}), Dense({.units = 1, .name = "dense"}), Dense({.units = 1})});
  CHECK(names(mixed.layers()) == std::vector<std::string>{"dense_1", "dense", "dense_2"});
}

TEST_CASE("An Input stands first, and once") {
  CHECK_THROWS_WITH(Sequential({Dense({.units = 1}), Input({2})}), has("Input must be the first"));
  CHECK_THROWS_WITH(Sequential({Input({2}), Input({2})}), has("Input must be the first"));
  Sequential model({Dense({.units = 1})});
  CHECK_THROWS_AS(model.add(Input({2})), ValueError);
}

TEST_CASE("A stack cannot be a layer of itself") {
  Sequential model({Input({2}), Dense({.units = 2})}, {.name = "ring"});
  CHECK_THROWS_WITH(model.add(model), has("model 'ring' cannot be a layer of itself"));
  const auto shared = make<Sequential>({Dense({.units = 2})});
  CHECK_THROWS_AS(shared->add(shared), ValueError);
  CHECK(shared->layers().size() == 1);
}

TEST_CASE("get_layer gives a layer as what it is") {
  Sequential model({Input({2}), Dense({.units = 3, .name = "hidden"}),
                    make<Sequential>({Dense({.units = 1})}, {.name = "head"})},
                   {.name = "net"});
  const Dense hidden = model.get_layer<Dense>("hidden");
  CHECK(*hidden->config.units == 3);
  CHECK(model.get_layer<layers::DenseLayer>(0)->name() == "hidden");
  CHECK(model.get_layer<Sequential>("head")(ops::ones({1, 3})).shape() == Shape{1, 1});
  CHECK_THROWS_WITH(model.get_layer<Dense>("head"),
                    "get_layer: layer 'head' of model 'net' is a Sequential, but a Dense was asked "
                    "for.");
  CHECK_THROWS_AS(model.get_layer<Dense>("hiden"), ValueError);
}

TEST_CASE("get_layer finds layers by name and by place") {
  Sequential model({Input({2}), Dense({.units = 1, .name = "hidden"})});
  CHECK(model.get_layer("hidden")->name() == "hidden");
  CHECK_THROWS_WITH(model.get_layer("hiden"), has("Did you mean 'hidden'?"));
  CHECK(model.get_layer(0)->name() == "hidden");
  CHECK(model.get_layer(-1)->name() == "hidden");
  CHECK_THROWS_WITH(model.get_layer(1),
                    "get_layer: model 'sequential' has 1 layers, but none at 1.");
}

TEST_CASE("Two models do not disturb each other's names") {
  Sequential a({Input({2}), Dense({.units = 1})});
  Sequential b({Input({2}), Dense({.units = 1})});
  CHECK(names(a.layers()) == names(b.layers()));
  CHECK(a.name() == "sequential");
}

TEST_CASE("A Sequential comes back from its config") {
  Sequential model({Input({4}), Dense({.units = 3, .activation = "relu"}),
                    layers::Dropout({.rate = 0.5}), Dense({.units = 2, .name = "out"})},
                   {.name = "net"});
  const auto copy = Sequential::from_config(model.get_config());
  CHECK(copy->name() == "net");
  CHECK(copy->built());
  CHECK(names(copy->layers()) == names(model.layers()));
  copy->set_weights(model.get_weights());
  CHECK(close(copy->predict(wave({3, 4})), model.predict(wave({3, 4}))));

  Sequential deferred({Dense({.units = 3}), Dense({.units = 2})});
  CHECK_FALSE(Sequential::from_config(deferred.get_config())->built());
  deferred(wave({2, 4}));
  const auto built = Sequential::from_config(deferred.get_config());
  CHECK(built->count_params() == deferred.count_params());
}

TEST_CASE("Models nest") {
  auto inner = make<Sequential>(std::vector<AnyLayer>{Dense({.units = 3}), Dense({.units = 2})});
  Sequential outer({Input({4}), inner, Dense({.units = 1})});
  CHECK(outer.count_params() == 15 + 8 + 3);
  CHECK(names(outer.layers()) == std::vector<std::string>{"sequential", "dense"});
  CHECK(outer.predict(wave({3, 4})).tensor().shape() == Shape{3, 1});
}

TEST_CASE("A mask inside a nested stack ends where a layer ends it") {
  auto tail =
      make<Sequential>(std::vector<AnyLayer>{layers::LSTM({.units = 3}), Dense({.units = 1})});
  Sequential model({layers::Embedding({.input_dim = 5, .output_dim = 2, .mask_zero = true}), tail});
  const Tensor y = model(Tensor::from(std::vector<int32_t>{1, 2, 0, 3, 0, 0}, {2, 3}));
  CHECK(y.shape() == Shape{2, 1});
  CHECK_FALSE(y.mask());
  model.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK_NOTHROW(model.fit(Tensor::from(std::vector<int32_t>{1, 2, 0, 3, 0, 0}, {2, 3}),
                          ops::ones({2, 1}), {.verbose = Verbose::silent}));
}

TEST_CASE("Vectors stand for columns where the Input has one feature") {
  Sequential model({Input({1}), constant_dense(1)});
  CHECK(floats(model.predict(std::vector<float>{1, 2, 3}).tensor()) == std::vector<float>{1, 2, 3});
  CHECK(model.predict(std::vector<float>{1, 2, 3}).tensor().shape() == Shape{3, 1});
}

TEST_CASE("A stack on the stack and its form in another model have one trainable flag") {
  Sequential inner({Dense({.units = 2}), Dense({.units = 1})}, {.name = "inner"});
  Input in({3});
  Functional outer(in, inner(in));
  inner.set_trainable(false);
  CHECK(!outer.get_layer("inner")->trainable());
  CHECK(outer.trainable_weights().empty());
  outer.get_layer("inner")->set_trainable(true);
  CHECK(inner.trainable());
  CHECK(outer.trainable_weights().size() == 4);

  Functional part(in, Dense({.units = 2})(in), {.name = "part"});
  Sequential around({part});
  part.set_trainable(false);
  CHECK(!around.get_layer("part")->trainable());
  const Value config = serialize(around);
  CHECK(config.get<Value::Dict>().size() > 0);
  const auto copy = std::dynamic_pointer_cast<Sequential>(deserialize(config));
  REQUIRE(copy);
  CHECK(!copy->get_layer("part")->trainable());
}

namespace {
std::vector<std::string> paths_of(const Model& model) {
  std::vector<std::string> paths;
  for (const Variable& v : model.weights()) paths.push_back(v.path());
  return paths;
}
}  // namespace

TEST_CASE("Paths of weights begin with the stack's name, however it was built") {
  using Paths = std::vector<std::string>;
  const Paths expected = {"sequential/dense/kernel", "sequential/dense/bias"};
  Sequential with_input({Input({3}), Dense({.units = 1})});
  CHECK(paths_of(with_input) == expected);
  Sequential called({Dense({.units = 1})});
  (void)called(ops::ones({2, 3}));
  CHECK(paths_of(called) == expected);
  Sequential built({Dense({.units = 1})});
  built.build({Shape::unknown, 3});
  CHECK(paths_of(built) == expected);
  Sequential grown({Input({3})}, {.name = "grown"});
  grown.add(Dense({.units = 1, .name = "a"}));
  grown.add(Dense({.units = 1, .name = "b"}));
  CHECK(paths_of(grown) ==
        Paths{"grown/a/kernel", "grown/a/bias", "grown/b/kernel", "grown/b/bias"});

  class Net : public Model {
   public:
    Tensor call(const Tensor& x, const Call&) override { return inner(hidden(x)); }
    Dense hidden = track("hidden", Dense({.units = 5}));
    Handle<Sequential> inner = track("inner", make<Sequential>({Dense({.units = 4})}));
  };
  Net net;
  (void)net(ops::ones({2, 3}));
  CHECK(paths_of(net) == Paths{"net/dense/kernel", "net/dense/bias", "net/sequential/dense/kernel",
                               "net/sequential/dense/bias"});
  // A new name is in the paths, with those around it.
  net.inner->rename("head");
  CHECK(paths_of(net)[2] == "net/head/dense/kernel");
  net.hidden->rename("first");
  CHECK(paths_of(net)[0] == "net/first/kernel");
  Input in({3});
  Functional graph(in, Dense({.units = 1})(in));
  CHECK(paths_of(graph) == Paths{"dense/kernel", "dense/bias"});
}

}  // namespace sequential_test
