// What the calls that a graph holds are told, and what the graph gives: as in Keras.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "support/matchers.h"

namespace graph_calls_test {

using namespace cornu;

namespace {

std::vector<float> values(const Tensor& x) { return x.to_vector<float>(); }

Tensor numbers(const Shape& shape) {
  return ops::reshape(ops::sin(ops::arange(static_cast<double>(shape.numel()))), shape);
}

const Tensor first_two = ops::array({{1., 1., 0.}, {1., 1., 0.}}) > 0.5;

}  // namespace

TEST_CASE("a list of one output is that output, and stays a list in the config") {
  const Input x({3});
  const Tensor y = layers::Dense({.units = 2})(x);
  Functional model(x, Nest::List{y});
  const Tensor data = numbers({4, 3});
  CHECK(model(Nest(data)).is_tensor());
  CHECK(model.predict(data).tensor().shape() == Shape{4, 2});
  CHECK(model.outputs().is_list());
  const auto again = Functional::from_config(model.get_config());
  CHECK(again->outputs().is_list());
  again->set_weights(model.get_weights());
  CHECK(values(again->predict(data)) == values(model.predict(data)));
  // Inside of another model, too.
  const Input outer({3});
  CHECK(Functional(outer,
                   layers::Dense({.units = 1})(again->operator()(Nest(Tensor(outer))).tensor()))
            .predict(data)
            .tensor()
            .shape() == Shape{4, 1});
  CHECK(Functional(x, Nest::dict({{"y", y}})).predict(data).is_dict());
}

TEST_CASE("predict's flag goes before the one that a graph was made with") {
  const Input x({50});
  Functional model(x, layers::Dropout({.rate = 0.5})(x, {.training = true}));
  const Tensor data = ops::ones({2, 50});
  CHECK(values(model.predict(data)) == values(data));
  CHECK(values(model(data, {.training = false})) == values(data));
  // Called without a flag the graph's own counts.
  CHECK(values(model(data)) != values(data));
}

TEST_CASE("arguments by position are those of Keras's calls") {
  const Tensor x = numbers({2, 3, 4});
  const auto call = [](auto layer, std::vector<Value> positional, Value::Dict named = {}) {
    return layer->invoke({std::move(positional), std::move(named)}).flatten()[0];
  };
  const Tensor scores = numbers({2, 3});
  CHECK(values(call(layers::Softmax(), {scores, first_two})) ==
        values(layers::Softmax()(scores, {.mask = first_two})));
  CHECK(values(call(layers::GlobalAveragePooling1D(), {x, first_two})) ==
        values(ops::mean(x[{ellipsis, Slice(0, 2), Slice()}], 1)));
  const layers::LSTM lstm({.units = 5});
  const Tensor masked = lstm(x, {.mask = first_two});
  CHECK(values(masked) != values(lstm(x)));
  CHECK(values(call(lstm, {x, Value(), first_two})) == values(masked));
  CHECK(values(call(lstm, {x, Value::List{ops::zeros({2, 5}), ops::zeros({2, 5})}, first_two})) ==
        values(masked));
  const layers::Attention attention;
  const Value::List both{x, x};
  const Tensor attended = call(attention, {both}, {{"mask", Value::List{first_two, first_two}}});
  CHECK(values(call(attention, {both, Value::List{first_two, first_two}})) == values(attended));
  CHECK(values(call(layers::Dropout({.rate = 0.9}), {x, false})) == values(x));
  CHECK(values(call(layers::Dropout({.rate = 0.9}), {x, true})) != values(x));
}

TEST_CASE("an empty mask in a list means none, whatever the input carries") {
  const Tensor x = numbers({2, 3, 4}), carrying = x.with_mask(first_two);
  const layers::Attention attention;
  const auto call = [&](const Tensor& value, std::vector<Tensor> masks) {
    return values(attention->operator()(Nest{x, value}, Call{.masks = std::move(masks)}).tensor());
  };
  CHECK(call(carrying, {}) != call(x, {}));
  CHECK(call(carrying, {Tensor(), Tensor()}) == call(x, {}));
  CHECK(call(carrying, {Tensor()}) == call(carrying, {}));
}

TEST_CASE("a constant of a fixed number of samples fixes that of a graph") {
  const Input x({4});
  const Tensor added = x + ops::ones({3, 1});
  CHECK(added.shape() == Shape{3, 4});
  const Input image({5, 5, 1});
  const Tensor eight = ops::broadcast_to(ops::array({1., 0., 0., 0., 1., 0., 0., 0.}), {3, 8});
  const Tensor moved = ops::affine_transform(image, eight);
  CHECK(moved.shape() == Shape{3, 5, 5, 1});
  const Tensor images = numbers({3, 5, 5, 1});
  CHECK(values(Functional(image, moved)(images)) == values(ops::affine_transform(images, eight)));
}

TEST_CASE("losses of nested outputs have their place in their name") {
  const Input x({3});
  const auto dense = [&](const char* name) -> Tensor {
    return layers::Dense({.units = 1, .name = name})(x);
  };
  Functional model(x, Nest{Nest{dense("a"), dense("b")}, dense("c")});
  model.compile({.optimizer = "sgd", .loss = {"mse", "mse", "mse"}});
  const Tensor y = numbers({4, 1});
  const History history =
      model.fit(numbers({4, 3}), Nest{Nest{y, y}, y}, {.verbose = Verbose::silent});
  CHECK(history["0/a_loss"].size() == 1);
  CHECK(history["0/b_loss"].size() == 1);
  CHECK(history["c_loss"].size() == 1);
}

TEST_CASE("a function of keras.losses is a metric of a file") {
  const Value huber = Value::Dict{{"module", "builtins"},
                                  {"class_name", "function"},
                                  {"config", "huber"},
                                  {"registered_name", "function"}};
  const Choice<Metric> metric = metrics::deserialize(huber);
  CHECK(metric->name() == "huber");
  metric->update_state(ops::array({0., 0.}), ops::array({0.5, 3.}));
  // The mean of 0.5^2 / 2 and 3 - 0.5, as losses are over the last axis.
  CHECK(metric->result().item() == Approx(1.3125));
}

}  // namespace graph_calls_test
