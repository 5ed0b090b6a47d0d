// The contract of RNN, Bidirectional and TimeDistributed with each kind of layer inside.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace sequences_contract_test {

using namespace cornu;
using test::check_layer;
using test::error_of;
using test::has;
using test::identical;

namespace {

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

using Make = std::function<std::shared_ptr<Layer>()>;

const PredictOptions quiet{.verbose = Verbose::silent};

// The layer in a model: saved, loaded, the same bits.
void check_file(const Make& make, const Shape& sample) {
  Sequential model({Input(sample), AnyLayer(make())});
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  std::vector<int64_t> shape = sample.vec();
  shape.insert(shape.begin(), 3);
  const Tensor x = waves(Shape(shape));
  CHECK(identical(loaded->predict(x, quiet).flatten()[0], model.predict(x, quiet).flatten()[0]));
}

}  // namespace

TEST_CASE("RNN keeps a layer's contract with each cell") {
  const std::vector<std::pair<std::function<AnyLayer()>, int>> cells = {
      {[] { return AnyLayer(layers::SimpleRNNCell({.units = 3})); }, 3},
      {[] { return AnyLayer(layers::GRUCell({.units = 3})); }, 3},
      {[] { return AnyLayer(layers::LSTMCell({.units = 3})); }, 3},
      {[] {
         return AnyLayer(layers::StackedRNNCells(
             {.cells = {layers::GRUCell({.units = 2}), layers::LSTMCell({.units = 3})}}));
       },
       6}};
  for (const auto& [cell, weights] : cells) {
    const auto& make_cell = cell;
    const Make last = [&] { return layers::RNN({.cell = layers::Cells(make_cell())}).shared(); };
    const Make all = [&] {
      return layers::RNN({.cell = layers::Cells(make_cell()),
                          .return_sequences = true,
                          .go_backwards = true})
          .shared();
    };
    check_layer(last, {.input = {2, 3, 2}, .output = {2, 3}, .weights = weights});
    check_layer(all, {.input = {2, 3, 2}, .output = {2, 3, 3}, .weights = weights});
    check_file(last, {3, 2});
  }
}

TEST_CASE("Bidirectional keeps a layer's contract in each way to merge") {
  for (const char* mode : {"concat", "sum", "mul", "ave"}) {
    INFO(mode);
    const Make make = [&] {
      return layers::Bidirectional(
                 {.layer = layers::GRU({.units = 2, .return_sequences = true}), .merge_mode = mode})
          .shared();
    };
    const int64_t size = std::string(mode) == "concat" ? 4 : 2;
    check_layer(make, {.input = {2, 3, 2}, .output = {2, 3, size}, .weights = 6});
    check_file(make, {3, 2});
  }
}

TEST_CASE("Bidirectional merges what two layers compute from both ends") {
  layers::Bidirectional both({.layer = layers::LSTM({.units = 2, .return_sequences = true})});
  const Tensor x = waves({2, 4, 3});
  const Tensor y = both(x);
  layers::LSTM there({.units = 2, .return_sequences = true}),
      back({.units = 2, .return_sequences = true});
  there(x);
  back(x);
  there->set_weights(both->forward_layer->get_weights());
  back->set_weights(both->backward_layer->get_weights());
  const Tensor from_end = ops::flip(back(ops::flip(x, 1)), 1);
  CHECK(test::difference(y, ops::concatenate({there(x), from_end}, -1)) < 1e-5);
}

TEST_CASE("TimeDistributed keeps a layer's contract") {
  const Make dense = [] {
    return layers::TimeDistributed({.layer = layers::Dense({.units = 3, .activation = "tanh"})})
        .shared();
  };
  check_layer(dense, {.input = {2, 4, 2}, .output = {2, 4, 3}, .weights = 2});
  check_file(dense, {4, 2});
  const Make conv = [] {
    return layers::TimeDistributed({.layer = layers::Conv1D({.filters = 2, .kernel_size = 2})})
        .shared();
  };
  check_layer(conv, {.input = {2, 3, 4, 2}, .output = {2, 3, 3, 2}, .weights = 2});
  check_file(conv, {3, 4, 2});
}

TEST_CASE("TimeDistributed applies the layer to every step alone") {
  layers::LayerNormalization inner;
  layers::TimeDistributed steps({.layer = inner});
  const Tensor x = waves({2, 3, 4});
  const Tensor y = steps(x);
  for (int64_t t = 0; t < 3; ++t) {
    const Tensor step = ops::take(x, Tensor(t), 1);
    CHECK(test::difference(ops::take(y, Tensor(t), 1), inner(step)) < 1e-6);
  }
}

TEST_CASE("a stateful RNN goes on where it stopped until it is reset") {
  layers::GRU gru({.units = 2, .stateful = true});
  const Tensor x = waves({2, 3, 2});
  const Tensor first = gru(x), second = gru(x);
  CHECK(!identical(first, second));
  gru->reset_state();
  CHECK(identical(gru(x), first));
}

TEST_CASE("a stateful RNN shows its states, as variables in the order of return_state") {
  layers::LSTM lstm({.units = 2, .return_state = true, .stateful = true});
  CHECK(lstm->states().empty());
  const Tensor x = waves({2, 3, 4});
  const Nest first = lstm(Nest(x));
  REQUIRE(lstm->states().size() == 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(identical(lstm->states()[i].value(), first[i + 1].tensor()));
    CHECK_FALSE(lstm->states()[i].trainable());
  }
  // They are no weights, and what is assigned to them is where the next call begins.
  CHECK(lstm->weights().size() == 3);
  const Nest second = lstm(Nest(x));
  for (int i = 0; i < 2; ++i) lstm->states()[i].assign(first[i + 1].tensor());
  CHECK(identical(lstm(Nest(x))[0].tensor(), second[0].tensor()));
  lstm->reset_states();
  CHECK(test::equals(lstm->states()[0][0], {0, 0}));
  CHECK(identical(lstm(Nest(x))[0].tensor(), first[0].tensor()));

  layers::RNN stack(
      {.cell = {layers::LSTMCell({.units = 2}), layers::GRUCell({.units = 3})}, .stateful = true});
  (void)stack(x);
  std::vector<Shape> shapes;
  for (const Variable& state : stack->states()) shapes.push_back(state.shape());
  CHECK(shapes == std::vector<Shape>{{2, 2}, {2, 2}, {2, 3}});

  layers::Bidirectional both({.layer = layers::LSTM({.units = 2, .stateful = true})});
  (void)both(x);
  REQUIRE(both->states().size() == 4);
  CHECK_FALSE(identical(both->states()[0], both->states()[2]));
  both->reset_states();
  for (const Variable& state : both->states()) CHECK(test::equals(state[1], {0, 0}));

  layers::GRU plain({.units = 2});
  (void)plain(x);
  CHECK(plain->states().empty());
}

TEST_CASE("the states that an RNN returns are those with which another goes on") {
  layers::LSTM lstm({.units = 2, .return_state = true});
  const Tensor x = waves({2, 6, 3});
  const Nest whole = lstm(Nest(x));
  const auto halves = ops::split(x, 2, 1);
  const Nest first = lstm(Nest(halves[0]));
  const Nest second = lstm(Nest{halves[1], first[1], first[2]});
  CHECK(test::difference(second[0].tensor(), whole[0].tensor()) < 1e-5);
  CHECK(test::difference(second[2].tensor(), whole[2].tensor()) < 1e-5);
}

TEST_CASE("padding at the end changes nothing behind a mask") {
  for (const bool bidirectional : {false, true}) {
    const AnyLayer layer =
        bidirectional ? AnyLayer(layers::Bidirectional({.layer = layers::GRU({.units = 2})}))
                      : AnyLayer(layers::GRU({.units = 2}));
    Sequential model({Input({Shape::unknown, 2}), layers::Masking({.mask_value = 9}), layer});
    const Tensor x = waves({2, 3, 2});
    const Tensor padded = ops::concatenate({x, ops::full({2, 4, 2}, 9.0)}, 1);
    CHECK(test::difference(model.predict(padded, quiet).tensor(),
                           model.predict(x, quiet).tensor()) < 1e-5);
  }
}

TEST_CASE("unrolled and rolled loops agree, in values and gradients") {
  const Tensor x = waves({2, 4, 3});
  layers::LSTM rolled({.units = 2}), unrolled({.units = 2, .unroll = true});
  rolled(x);
  unrolled(x);
  unrolled->set_weights(rolled->get_weights());
  const auto run = [&](const layers::LSTM& layer) {
    GradientTape tape;
    const Tensor y = ops::sum(ops::square(layer(x)));
    auto result = tape.gradient(y, layer->trainable_variables());
    result.push_back(y);
    return result;
  };
  const auto a = run(rolled), b = run(unrolled);
  for (size_t i = 0; i < a.size(); ++i) CHECK(test::difference(a[i], b[i]) < 1e-5);
}

TEST_CASE("layers of sequences explain what does not fit") {
  CHECK(has(error_of([] {
              layers::Bidirectional({.layer = layers::GRU({.units = 2}), .merge_mode = "add"});
            }),
            "add"));
  CHECK(has(error_of([] { layers::Bidirectional({.layer = layers::Dense({.units = 2})}); }),
            "dense"));
  layers::GRU gru({.units = 2, .name = "reader"});
  const std::string message = error_of([&] { gru(ops::ones({2, 3})); });
  CHECK(has(message, "(2, 3)"));
  CHECK(has(message, "reader"));
  CHECK_THROWS_AS(layers::TimeDistributed({.layer = layers::Dense({.units = 2})})(ops::ones({3})),
                  Error);
}

}  // namespace sequences_contract_test
