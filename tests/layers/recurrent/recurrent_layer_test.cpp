// Recurrent layers as one kernel against the same layers composed of operations, step by step.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/recurrent/gru.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/recurrent/simple_rnn.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace recurrent_layer_test {

using namespace cornu;

namespace {

Tensor numbers(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 37 % 19) / 19 - 0.5f;
  return Tensor::from(values, shape);
}

// Outputs of a layer, and their gradients for inputs, first states and weights.
template <class Handle>
std::vector<Tensor> results(Handle& layer, const Tensor& x, const std::vector<Tensor>& states) {
  GradientTape tape(GradientTape::Options{.persistent = true});
  std::vector<Tensor> sources = {x};
  sources.insert(sources.end(), states.begin(), states.end());
  for (const Tensor& t : sources) tape.watch(t);
  Call call{.training = true};
  if (!states.empty())
    call.extra = {{"initial_state", Value(Nest(Nest::List(states.begin(), states.end())))}};
  std::vector<Tensor> all = layer(Nest(x), call).flatten();
  Tensor loss(0.0f);
  for (const Tensor& t : all) loss = loss + ops::sum(t * numbers(t.shape()));
  tape.stop();
  for (const Tensor& g : tape.gradient(loss, sources)) all.push_back(g);
  for (const Tensor& g : tape.gradient(loss, layer->trainable_variables())) all.push_back(g);
  return all;
}

template <class Handle>
void check_paths(typename Handle::Config config, int state_count) {
  const Tensor x = numbers({3, 5, 4});
  std::vector<Tensor> states;
  for (int i = 0; i < state_count; ++i) states.push_back(numbers({3, *config.units}));
  Handle whole(config);
  config.unroll = true;
  Handle steps(config);
  whole->ensure_built(x);
  steps->ensure_built(x);
  steps->set_weights(whole->get_weights());
  for (const std::vector<Tensor>& first : {std::vector<Tensor>(), states}) {
    const auto a = results(whole, x, first), b = results(steps, x, first);
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      INFO("result " << i);
      CHECK(test::difference(a[i], b[i]) < 1e-5);
    }
  }
}

template <class Handle>
void check_options(int states) {
  for (bool sequences : {false, true})
    for (bool backwards : {false, true})
      for (bool state : {false, true})
        for (double dropout : {0.0, 0.4}) {
          typename Handle::Config config{.units = 6};
          config.use_bias = !state;
          config.bias_initializer = "uniform";
          config.dropout = dropout;
          config.seed = 5;
          config.return_sequences = sequences;
          config.return_state = state;
          config.go_backwards = backwards;
          check_paths<Handle>(config, states);
        }
}

// The float64 layer's second derivative, for which only steps have a rule.
template <class Handle>
Tensor second_derivative(bool unroll) {
  typename Handle::Config config{.units = 3};
  config.unroll = unroll;
  config.dtype = DTypePolicy("float64");
  Handle layer(config);
  const Tensor x = ops::cast(numbers({2, 3, 2}), DType::float64);
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Tensor first = inner.gradient(ops::sum(layer(x)), x);
  return outer.gradient(ops::sum(first * first), x);
}

}  // namespace

TEST_CASE("LSTM's kernel computes what its steps do") { check_options<layers::LSTM>(2); }

TEST_CASE("GRU's kernel computes what its steps do") { check_options<layers::GRU>(1); }

TEST_CASE("SimpleRNN's kernel computes what its steps do") { check_options<layers::SimpleRNN>(1); }

TEST_CASE("recurrent layers compute what Keras's options say where the kernel does not serve") {
  check_paths<layers::LSTM>({.units = 4, .activation = "relu"}, 2);
  check_paths<layers::LSTM>({.units = 4, .recurrent_dropout = 0.3, .seed = 1}, 2);
  check_paths<layers::GRU>({.units = 4, .reset_after = false}, 1);
  check_paths<layers::SimpleRNN>({.units = 4, .activation = "relu"}, 1);
}

TEST_CASE("a mask that leaves all steps in changes nothing") {
  layers::GRU layer({.units = 4, .return_sequences = true});
  const Tensor x = numbers({2, 3, 4});
  const Tensor mask = ops::cast(Tensor::from({1, 1, 1, 1, 1, 1}, {2, 3}), DType::boolean);
  Call call;
  call.mask = mask;
  CHECK(test::difference(layer(Nest(x), call).tensor(), layer(x)) < 2e-6);
}

TEST_CASE("recurrent layers train in 16 bits") {
  layers::LSTM layer({.units = 4, .dtype = DTypePolicy("mixed_bfloat16")});
  layers::LSTM wide({.units = 4});
  const Tensor x = numbers({2, 3, 4});
  layer->ensure_built(x);
  wide->ensure_built(x);
  wide->set_weights(layer->get_weights());
  const auto a = results(layer, x, {}), b = results(wide, x, {});
  CHECK(a[0].dtype() == DType::bfloat16);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(test::difference(ops::cast(a[i], DType::float32), b[i]) < 0.03);
}

TEST_CASE("a recurrent layer's second derivative needs unroll") {
  CHECK_THROWS_AS(second_derivative<layers::LSTM>(false), UnsupportedError);
  CHECK_THROWS_AS(second_derivative<layers::GRU>(false), UnsupportedError);
  CHECK(second_derivative<layers::LSTM>(true).shape() == Shape{2, 3, 2});
  CHECK(second_derivative<layers::GRU>(true).shape() == Shape{2, 3, 2});
}

}  // namespace recurrent_layer_test
