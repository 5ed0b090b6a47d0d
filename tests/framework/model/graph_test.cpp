// Tests of finding symbolic inputs and outputs in models, and of models made from them.
#include <cornu/framework/saving/keras_file.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/merging/add.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>

#include "../../support/standard_error.h"
#include "../../support/temporary.h"
#include "model_support.h"

namespace graph_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

TEST_CASE("A layer has the symbolic tensors of its first call") {
  const Input x({4});
  Dense first({.units = 3}), second({.units = 2});
  CHECK_THROWS_WITH(first->output(), has("no model with an Input calls it"));
  Functional model(x, second(first(x)));
  CHECK(first->output().shape() == Shape{std::nullopt, 3});
  CHECK(second->input().shape() == Shape{std::nullopt, 3});
  CHECK(first->inbound_nodes().size() == 1);
  const Tensor data = wave({5, 4});
  Functional features(model.input(), first->output());
  CHECK(close(features(data), first(data)));
  // The same tensors, so that both can be outputs of one model.
  Functional both(model.inputs(), Nest{first->output(), model.output()});
  CHECK(close(both(Nest(data))[1], model(data)));
}

TEST_CASE("A graph that nobody holds any longer is forgotten") {
  Dense dense({.units = 3});
  (void)dense(Input({4}));
  CHECK(dense->inbound_nodes().empty());
  CHECK_THROWS_AS(dense->output(), StateError);
}

TEST_CASE("The layers of a Sequential have symbolic tensors too") {
  Sequential model({Input({4}), Dense({.units = 3}), Dense({.units = 2})});
  const Tensor data = wave({5, 4});
  Functional features(model.input(), model.get_layer(0)->output());
  CHECK(close(features(data), (*model.get_layer(0))(data)));
  model.add(Dense({.units = 5}));
  CHECK(model.output().shape() == Shape{std::nullopt, 5});
  model.pop();
  CHECK(model.output().shape() == Shape{std::nullopt, 2});
  Sequential later({Dense({.units = 3})});
  CHECK_THROWS_WITH(later.output(), has("it is not built"));
  (void)later(data);
  CHECK(later.input().shape() == Shape{std::nullopt, 4});
  CHECK(later.get_layer(-1)->output().shape() == Shape{std::nullopt, 3});
}

TEST_CASE("A model begins inside of another") {
  const Input x({4}), other({3});
  Dense stem({.units = 3}), middle({.units = 3}), head({.units = 2});
  layers::Add add;
  const Tensor h = stem(x);
  Functional whole(Nest{x, other}, head(add({middle(h), other})));
  Functional tail(Nest{h, other}, whole.output());
  CHECK(tail.inputs().flatten()[0].shape() == Shape{std::nullopt, 3});
  const Tensor data = wave({5, 4}), more = wave({5, 3});
  CHECK(close(tail(Nest{stem(data), more}), whole(Nest{data, more})));
  // It is another graph of the same layers: both go on as before.
  CHECK(middle->inbound_nodes().size() == 2);
  CHECK(stem->output().shape() == Shape{std::nullopt, 3});
  CHECK(close(whole(Nest{data, more}), head(middle(stem(data)) + more)));
  const TemporaryFolder folder;
  tail.save(folder / "tail.keras");
  CHECK(close(load_model(folder / "tail.keras")(Nest{stem(data), more}),
              tail(Nest{stem(data), more})));
}

TEST_CASE("Features of a loaded model keep their masks") {
  const Input x({5}, {.dtype = DType::int32});
  const Tensor embedded =
      layers::Embedding({.input_dim = 7, .output_dim = 4, .mask_zero = true, .name = "words"})(x);
  Functional model(x, Dense({.units = 1})(layers::LSTM({.units = 3})(embedded)));
  const TemporaryFolder folder;
  model.save(folder / "model.keras");
  auto loaded = load_model(folder / "model.keras");
  layers::LSTM lstm({.units = 2});
  Functional features(loaded->input(), lstm(loaded->get_layer("words")->output()));
  const Tensor padded = Tensor::from<int32_t>({3, 2, 0, 0, 0, 1, 2, 3, 4, 5}, {2, 5});
  // The steps behind the end of a sentence change nothing.
  const Tensor words = padded[{Slice(0, 1), Slice(0, 2)}];
  CHECK(close(features(padded)[0], lstm((*loaded->get_layer("words"))(words))[0]));
}

TEST_CASE("Subclassed models say that they have no graph") {
  struct Net : Model {
    Tensor call(const Tensor& x, const Call&) override { return x; }
  };
  Net net;
  CHECK_THROWS_WITH(net.inputs(), has("is no Functional or Sequential model"));
  CHECK_THROWS_AS(net.output(), StateError);
  CHECK(net.layers().empty());
  CHECK_THROWS_AS(net.get_layer("dense"), ValueError);
}

TEST_CASE("Functional and Sequential models on the stack are layers") {
  Sequential stem({Dense({.units = 3}), layers::Dropout({.rate = 0.5})});
  const Input x({4});
  Functional model(x, Dense({.units = 2})(stem(x)));
  const Tensor data = wave({5, 4});
  CHECK(model.weights().size() == 4);
  CHECK(stem.weights().size() == 2);
  CHECK(close(stem(data), (*model.get_layer("sequential"))(data)));
  // One layer, wherever it is called.
  CHECK(stem.shared_layer() == stem.shared_layer());
  Functional twice(x, Nest{stem(x), stem(x)});
  CHECK(twice.layers().size() == 2);
  // What changes one changes the other.
  stem.set_trainable(false);
  CHECK(model.trainable_variables().size() == 2);
  Functional inner(x, Dense({.units = 4})(x));
  Sequential stack({Input({4}), inner, stem});
  CHECK(stack.weights().size() == 4);
  stem.add(Dense({.units = 6}));
  CHECK(stem(data).shape() == Shape{5, 6});
  CHECK(stack(data).shape() == Shape{5, 6});
}

TEST_CASE("A model of one's own class on the stack says that its class is left behind") {
  struct Encoder : Functional {
    explicit Encoder(const Input& x) : Functional(x, Dense({.units = 3})(x), {.name = "coder"}) {}
  };
  const Input x({4});
  Encoder encoder(x);
  const std::string said = test::standard_error_of([&] {
    Functional model(x, encoder(x));
    CHECK(model.weights().size() == 2);
  });
  CHECK(said.find("The Encoder 'coder' lives on the stack") != std::string::npos);
  CHECK(said.find("make<Encoder>()") != std::string::npos);
  const auto made = make<Encoder>(x);
  CHECK(test::standard_error_of([&] { Functional(x, made(x)); }).empty());
}

TEST_CASE("Models that are members by value are tracked") {
  struct Net : Model {
    Sequential encoder{{Dense({.units = 3})}, {.name = "first"}};
    Net() { track("encoder", encoder); }
    Tensor call(const Tensor& x, const Call&) override { return encoder(x); }
  };
  Net net;
  const Tensor data = wave({5, 4});
  CHECK(net(data).shape() == Shape{5, 3});
  CHECK(net.weights().size() == 2);
  CHECK(net.layers()[0]->name() == "first");
  net.compile({.optimizer = "sgd", .loss = "mse"});
  const std::vector<float> before = net.encoder.weights()[0].value().to_vector<float>();
  net.fit(data, wave({5, 3}), {.verbose = Verbose::silent});
  CHECK(net.encoder.weights()[0].value().to_vector<float>() != before);
  const TemporaryFolder folder;
  net.save_weights(folder / "net.weights.h5");
  Net other;
  (void)other(data);
  other.load_weights(folder / "net.weights.h5");
  CHECK(close(other(data), net(data)));
}

TEST_CASE("Other layers on the stack are no layers of a graph") {
  struct Own : Layer {
    Tensor call(const Tensor& x, const Call&) override { return x; }
  };
  Own own;
  CHECK_THROWS_WITH(own(Input({4})), has("lives on the stack"));
  CHECK_THROWS_AS(Sequential({Input({4}), AnyLayer(own)}), StateError);
}

TEST_CASE("make gives handles that can be called, from lists and options") {
  auto stack = make<Sequential>({Dense({.units = 3}), Dense({.units = 2})}, {.name = "stack"});
  CHECK(stack->name() == "stack");
  CHECK(stack(wave({5, 4})).shape() == Shape{5, 2});
  const Input x({4});
  auto graph = make<Functional>(x, Dense({.units = 3})(x), {.name = "graph"});
  CHECK(graph->name() == "graph");
  CHECK(graph(x).shape() == Shape{std::nullopt, 3});
  const std::shared_ptr<Model> model = graph;
  CHECK(model->get_layer(-1)->name() == "dense");
}

TEST_CASE("A file's model is loaded as what it is, or an error says so") {
  const TemporaryFolder folder;
  Sequential({Input({4}), Dense({.units = 2})}).save(folder / "stack.keras");
  CHECK(load_model<Sequential>(folder / "stack.keras")->layers().size() == 1);
  CHECK_THROWS_WITH(load_model<Functional>(folder / "stack.keras"),
                    has("holds a model of the class Sequential"));
  CHECK_FALSE(load_model(folder / "stack.keras", {.compile = false})->compiled());
}

TEST_CASE("Errors in a model on the stack name it once") {
  Sequential stem({Dense({.units = 3}), Dense({.units = 2})}, {.name = "stem"});
  (void)stem(wave({1, 4}));
  CHECK_THROWS_WITH(stem(Input({5})), has("Layer 'stem/dense'") && !has("stem/stem"));
  Sequential stateful({layers::LSTM({.units = 2, .stateful = true})});
  (void)stateful(wave({3, 4, 2}));
  CHECK_THROWS_WITH(stateful.output(), has("takes batches of one size only"));
}

}  // namespace graph_test
