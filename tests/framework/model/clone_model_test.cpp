// clone_model: the same layers and connections, fresh weights, and what options change.
#include <cornu/framework/model/clone_model.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/core/lambda.h>
#include <cornu/layers/image/rescaling.h>
#include <cornu/layers/recurrent/bidirectional.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>

#include "model_support.h"

namespace clone_model_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;
using layers::Dropout;

namespace {

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> result;
  for (const auto& layer : model.layers()) result.push_back(layer->name());
  return result;
}

Functional shared_layers() {
  Input a({4}, {.name = "a"}), b({4}, {.name = "b"});
  Dense dense({.units = 3, .name = "both"});
  const Tensor sum = dense(a) * 2 + dense(b);
  return Functional({a, b}, {sum, Dense({.units = 1, .name = "head"})(sum)}, {.name = "pair"});
}

}  // namespace

TEST_CASE("A clone of a functional model has its layers, shared ones once, and own weights") {
  Functional model = shared_layers();
  const auto clone = clone_model(model);
  CHECK(clone->name() == "pair");
  CHECK(names(*clone) == names(model));
  REQUIRE(clone->weights().size() == model.weights().size());
  CHECK_FALSE(clone->weights()[0] == model.weights()[0]);
  CHECK(clone->inputs()[0].tensor().origin().node->operation->name() == "a");
  const Nest x{wave({2, 4}), wave({2, 4}) + 1};
  clone->set_weights(model.get_weights());
  const Nest expected = model(x), found = clone(x);
  for (int i = 0; i < 2; ++i) CHECK(floats(found[i].tensor()) == floats(expected[i].tensor()));
  // What happens to one does not happen to the other.
  clone->set_weights({ops::zeros({4, 3}), ops::zeros({3}), ops::zeros({3, 1}), ops::zeros({1})});
  CHECK(ops::max(ops::abs(model.weights()[0])).item() > 0);
}

TEST_CASE("A clone of a stack is a stack, with an Input where there is one") {
  Sequential model({Input({4}), Dense({.units = 3}), Dropout({.rate = 0.5})}, {.name = "stack"});
  const auto clone = clone_model(model);
  REQUIRE(dynamic_cast<Sequential*>(clone.get()));
  CHECK(names(*clone) == names(model));
  CHECK(clone->name() == "stack");
  CHECK(clone->weights().size() == 2);
  Sequential open({Dense({.units = 3})});
  (void)open(wave({2, 4}));
  CHECK(clone_model(open)->weights().empty());
}

TEST_CASE("clone_function puts other layers in the place of some") {
  Sequential model({Input({4}), Dense({.units = 3, .name = "wide"}), Dropout({.rate = 0.5})});
  const auto harder = [](const std::shared_ptr<Layer>& layer) -> std::shared_ptr<Layer> {
    if (dynamic_cast<layers::DropoutLayer*>(layer.get())) return Dropout({.rate = 0.75});
    return layer;
  };
  const auto clone = clone_model(model, {.clone_function = harder});
  CHECK(dynamic_cast<layers::DropoutLayer&>(*clone->get_layer(1)).config.rate == 0.75);
  CHECK(clone->get_layer("wide") == model.get_layer("wide"));
  CHECK_THROWS_WITH(
      clone_model(
          model, {.clone_function = [](const auto&) -> std::shared_ptr<Layer> { return nullptr; }}),
      has("gave no layer for 'wide'"));
}

TEST_CASE("clone_function sees the layers of models inside when it is recursive") {
  auto inner =
      make<Sequential>({Input({4}), Dense({.units = 4, .name = "inside"})}, {.name = "inner"});
  Input x({4});
  Functional model(x, inner(x));
  std::vector<std::string> seen;
  const auto look = [&](const std::shared_ptr<Layer>& layer) {
    seen.push_back(layer->name());
    return std::dynamic_pointer_cast<Layer>(deserialize(serialize(*layer)));
  };
  (void)clone_model(model, {.clone_function = look});
  CHECK(seen == std::vector<std::string>{"inner"});
  seen.clear();
  const auto clone = clone_model(model, {.clone_function = look, .recursive = true});
  CHECK(seen == std::vector<std::string>{"inside"});
  CHECK_FALSE(clone->weights()[0] == model.weights()[0]);
}

TEST_CASE("A clone begins at tensors that are given") {
  Functional model = shared_layers();
  Input image({2, 2}, {.name = "image"}), other({4}, {.name = "other"});
  const Tensor flat = ops::reshape(image, {-1, 4});
  const auto clone = clone_model(model, {.input_tensors = {flat, other}});
  CHECK(clone->inputs()[0].tensor().shape() == Shape{Shape::unknown, 4});
  CHECK_THROWS_WITH(clone_model(model, {.input_tensors = other}),
                    has("has 2 inputs, input_tensors holds 1"));
  CHECK_THROWS_WITH(clone_model(model, {.input_tensors = {wave({2, 4}), other}}),
                    has("must be symbolic"));
}

TEST_CASE("Masks and dictionaries are in a clone as in the model") {
  Input words({5}, {.dtype = DType::int32, .name = "words"});
  const Tensor steps =
      layers::Embedding({.input_dim = 9, .output_dim = 2, .mask_zero = true})(words);
  Functional model(Nest::dict({{"words", words}}),
                   Nest::dict({{"last", layers::LSTM({.units = 2})(steps)}}));
  const auto clone = clone_model(model);
  clone->set_weights(model.get_weights());
  const Nest x = Nest::dict({{"words", Tensor::from<int32_t>({1, 2, 0, 0, 0}, {1, 5})}});
  CHECK(floats(clone(x)["last"].tensor()) == floats(model(x)["last"].tensor()));
  // A mask that leaves a clone is the clone's own.
  Functional embedded(words, steps);
  const auto other = clone_model(embedded);
  Functional longer(other->inputs(), layers::LSTM({.units = 2})(other->outputs().tensor()));
  const Tensor ids = Tensor::from<int32_t>({1, 2, 0, 0, 0, 1, 2, 0, 3, 0}, {2, 5});
  const Tensor states = longer(ids);
  CHECK(close(states[0], longer(Tensor::from<int32_t>({1, 2, 0, 0, 0}, {1, 5}))[0]));
  CHECK_FALSE(close(states[0], states[1]));
  // And so it is with a model that begins inside of another.
  Functional cut(words, layers::Dropout({.rate = 0.5})(steps));
  Functional inside(steps, cut.output().tensor());
  Functional behind(inside.inputs(), layers::LSTM({.units = 2})(inside.outputs().tensor()));
  CHECK(behind(wave({1, 5, 2})).shape() == Shape{1, 2});
}

TEST_CASE("call_function puts layers behind others") {
  Input x({4}, {.name = "x"});
  const Tensor hidden = Dense({.units = 3, .activation = "relu", .name = "a"})(x);
  Functional model(x, Dense({.units = 2, .name = "b"})(hidden));
  model.set_weights({ops::full({4, 3}, 0.25), ops::full({3}, 0.25), ops::full({3, 2}, 0.25),
                     ops::full({2}, 0.25)});
  std::vector<std::string> called;
  const auto doubled = [&](const Handle<Layer>& layer, const Nest& inputs, const Call& call) {
    called.push_back(layer->name());
    const Nest out = layer(inputs, call);
    return dynamic_cast<layers::DenseLayer*>(layer.get())
               ? Nest(layers::Rescaling({.scale = 2.0})(out.tensor()))
               : out;
  };
  const auto clone = clone_model(
      model, {.clone_function = [](const auto& layer) { return layer; }, .call_function = doubled});
  CHECK(called == std::vector<std::string>{"a", "b"});
  CHECK(names(*clone) == std::vector<std::string>{"x", "a", "rescaling", "b", "rescaling_1"});
  const Tensor data = Tensor::from({1.f, 2.f, 3.f, 4.f}, {1, 4});
  CHECK(floats(clone(data)) == std::vector<float>{8.75f, 8.75f});
  CHECK(floats(model(data)) == std::vector<float>{2.3125f, 2.3125f});

  CHECK_THROWS_WITH(clone_model(model, {.call_function = [](const auto&, const Nest&,
                                                            const Call&) { return Nest(); }}),
                    has("gave no symbolic tensor for 'a'"));
  Sequential stack({Input({4}), Dense({.units = 2})});
  CHECK_THROWS_WITH(clone_model(stack, {.call_function = doubled}), has("takes no call_function"));
}

TEST_CASE("call_function gets what the call was told, and masks go on") {
  Input words({5}, {.dtype = DType::int32});
  const Tensor steps =
      layers::Embedding({.input_dim = 9, .output_dim = 2, .mask_zero = true})(words);
  const Tensor dropped = Dropout({.rate = 0.5})(steps, {.training = true});
  Functional model(words, layers::LSTM({.units = 2})(dropped));
  std::vector<std::string> training;
  const auto plain = [&](const Handle<Layer>& layer, const Nest& inputs, const Call& call) {
    if (call.is_training()) training.push_back(layer->name());
    return layer(inputs, dynamic_cast<layers::DropoutLayer*>(layer.get()) ? Call{} : call);
  };
  const auto clone = clone_model(model, {.call_function = plain});
  CHECK(training == std::vector<std::string>{"dropout"});
  clone->set_weights(model.get_weights());
  const Tensor ids = Tensor::from<int32_t>({1, 2, 0, 0, 0}, {1, 5}),
               shorter = Tensor::from<int32_t>({1, 2}, {1, 2});
  Input two({2}, {.dtype = DType::int32});
  const auto without = clone_model(model, {.input_tensors = two, .call_function = plain});
  without->set_weights(model.get_weights());
  CHECK(close(clone(ids), without(shorter)));
}

TEST_CASE("call_function reaches the functional models inside when it is recursive") {
  Input y({4});
  auto inner = make<Functional>(y, Dense({.units = 4, .name = "inside"})(y));
  auto stack =
      make<Sequential>({Input({4}), Dense({.units = 4, .name = "listed"})}, {.name = "stack"});
  Input x({4});
  Functional model(x, stack(inner(x)));
  std::vector<std::string> called;
  const auto look = [&](const Handle<Layer>& layer, const Nest& inputs, const Call& call) {
    called.push_back(layer->name());
    return layer(inputs, call);
  };
  (void)clone_model(model, {.call_function = look, .recursive = true});
  CHECK(called == std::vector<std::string>{"inside", "functional", "stack"});
}

TEST_CASE("Functions without a name are shared by a model and its clones") {
  int calls = 0;
  Input x({4});
  const Tensor twice = layers::Lambda({.function = [&calls](const Tensor& t) {
    ++calls;
    return t * 2;
  }})(x);
  const Tensor y = Dense(
      {.units = 3,
       .activation = [](const Tensor& t) { return ops::square(t); },
       .kernel_initializer = [](const Shape& shape,
                                DType dtype) { return ops::full(shape, 0.5, dtype); }})(twice);
  Functional model(x, y);
  const auto clone = clone_model(model);
  CHECK_FALSE(clone->weights()[0] == model.weights()[0]);
  const Tensor data = wave({2, 4});
  const int before = calls;
  CHECK(floats(clone(data)) == floats(model(data)));
  CHECK(calls == before + 2);
  // A clone of the clone works, and a file is refused as before.
  CHECK(floats(clone_model(clone)(data)) == floats(model(data)));
  CHECK_THROWS_AS(clone->to_json(), StateError);
  // So with a cell's functions, which Bidirectional copies.
  const auto steep = [](const Tensor& t) { return ops::tanh(t * 3); };
  layers::Bidirectional both({.layer = layers::LSTM({.units = 2, .activation = steep})});
  CHECK(both(wave({2, 3, 4})).shape() == Shape{2, 4});
}

}  // namespace clone_model_test
