// What masks promise in whole models: where they come from, what passes them on, and what reads
// them.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace masks_contract_test {

using namespace cornu;
using test::equals;
using test::identical;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

Tensor flags(const std::vector<int>& real, const Shape& shape) {
  return ops::cast(Tensor::from(real, shape), DType::boolean);
}

// x with steps of zeros at its end, which Masking takes for padding.
Tensor padded(const Tensor& x, int64_t steps) {
  return ops::concatenate({x, ops::zeros({x.shape(0), steps, x.shape(2)})}, 1);
}

// A model of sequences of any length whose outputs do not depend on padding.
void check_padding(const std::function<Tensor(const Tensor&)>& body) {
  Input in({Shape::unknown, 2});
  Functional model(in, body(layers::Masking()(in)));
  const Tensor x = waves({3, 4, 2});
  const Tensor expected = model.predict(x, quiet).tensor();
  CHECK(test::difference(model.predict(padded(x, 3), quiet).tensor(), expected) < 1e-5);
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  CHECK(test::difference(loaded->predict(padded(x, 3), quiet).tensor(), expected) < 1e-5);
}

}  // namespace

TEST_CASE("Embedding and Masking make masks") {
  layers::Embedding words({.input_dim = 4, .output_dim = 2, .mask_zero = true});
  const Tensor y = words(Tensor::from({1, 3, 0, 2, 0, 0}, {2, 3}));
  REQUIRE(y.mask());
  CHECK(equals(y.mask(), {1, 1, 0, 1, 0, 0}));
  const Tensor z =
      layers::Masking({.mask_value = 2})(Tensor::from({2.0f, 2.0f, 2.0f, 1.0f}, {1, 2, 2}));
  CHECK(equals(z.mask(), {0, 1}));
  CHECK(equals(z, {0, 0, 2, 1}));
  CHECK(!layers::Embedding({.input_dim = 4, .output_dim = 2})(Tensor::from({1}, {1, 1})).mask());
}

TEST_CASE("layers that work step by step pass masks on, others end them") {
  const Tensor mask = flags({1, 0, 1, 1, 1, 0}, {2, 3});
  const Tensor x = waves({2, 3, 2}).with_mask(mask);
  const std::vector<AnyLayer> passing = {
      layers::Dense({.units = 3}),
      layers::Dropout({.rate = 0.5}),
      layers::Activation({.activation = "relu"}),
      layers::LayerNormalization(),
      layers::LSTM({.units = 2, .return_sequences = true}),
      layers::TimeDistributed({.layer = layers::Dense({.units = 2})}),
      layers::Identity()};
  for (const AnyLayer& layer : passing) {
    INFO(layer->name());
    const Tensor y = (*layer.shared())(x);
    REQUIRE(y.mask());
    CHECK(identical(y.mask(), mask));
  }
  const std::vector<AnyLayer> ending = {layers::LSTM({.units = 2}),
                                        layers::GlobalAveragePooling1D()};
  for (const AnyLayer& layer : ending) {
    INFO(layer->name());
    CHECK(!(*layer.shared())(x).mask());
  }
}

TEST_CASE("padding does not reach what reads masks") {
  check_padding([](const Tensor& x) { return layers::LSTM({.units = 3})(x); });
  check_padding([](const Tensor& x) { return layers::GlobalAveragePooling1D()(x); });
  check_padding([](const Tensor& x) {
    return layers::GRU({.units = 2})(layers::Dense({.units = 3, .activation = "tanh"})(x));
  });
  check_padding([](const Tensor& x) {
    return layers::Bidirectional({.layer = layers::GRU({.units = 2})})(
        layers::LSTM({.units = 2, .return_sequences = true})(x));
  });
}

TEST_CASE("padding does not reach branches that meet again") {
  check_padding([](const Tensor& x) {
    const Tensor a = layers::Dense({.units = 2})(x), b = layers::Dense({.units = 2})(x);
    return layers::GRU({.units = 2})(layers::Add()(Nest{a, b}).tensor());
  });
  check_padding([](const Tensor& x) {
    const Tensor a = layers::Dense({.units = 2})(x),
                 b = layers::LSTM({.units = 2, .return_sequences = true})(x);
    return layers::GRU({.units = 2})(layers::Concatenate()(Nest{a, b}).tensor());
  });
}

TEST_CASE("attention does not look at padding") {
  check_padding([](const Tensor& x) {
    const Tensor y =
        layers::MultiHeadAttention({.num_heads = 2, .key_dim = 2})(Nest{x, x}).tensor();
    return layers::GlobalAveragePooling1D()(y);
  });
}

TEST_CASE("the loss leaves out what the mask of the output excludes") {
  Sequential model({Input({3, 1}), layers::Masking({.mask_value = -9}),
                    layers::Dense({.units = 1, .use_bias = false, .kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0}), .loss = "mse"});
  const Tensor x = Tensor::from({1.0f, 2.0f, -9.0f, 3.0f, -9.0f, -9.0f}, {2, 3, 1});
  const Tensor y = ops::zeros({2, 3, 1});
  CHECK(model.evaluate(x, y, {.verbose = Verbose::silent})["loss"] == Approx((1 + 4 + 9) / 3.0));
  const History history = model.fit(x, y, {.verbose = Verbose::silent});
  CHECK(history["loss"][0] == Approx((1 + 4 + 9) / 3.0));
}

TEST_CASE("what is masked has no gradient") {
  layers::LSTM lstm({.units = 2});
  const Tensor x = waves({1, 3, 2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = ops::sum(lstm(x, {.mask = flags({1, 0, 1}, {1, 3})}));
  const auto g = tape.gradient(y, x).to_vector<double>();
  CHECK(g[2] == 0);
  CHECK(g[3] == 0);
  CHECK(g[0] != 0);
  CHECK(g[4] != 0);
}

TEST_CASE("a mask by name stands before the one that the input carries") {
  layers::GRU gru({.units = 2});
  const Tensor x = waves({1, 3, 2});
  const Tensor carried = flags({1, 0, 0}, {1, 3}), named = flags({1, 1, 0}, {1, 3});
  const Tensor expected = gru(x, {.mask = named});
  CHECK(identical(gru(x.with_mask(carried), {.mask = named}), expected));
  CHECK(!identical(gru(x.with_mask(carried)), expected));
}

TEST_CASE("masks work the same in compiled, eager and recorded calls") {
  Sequential model({Input({.shape = {4}, .dtype = DType::int32}),
                    layers::Embedding({.input_dim = 5, .output_dim = 3, .mask_zero = true}),
                    layers::LSTM({.units = 2, .return_sequences = true}),
                    layers::GRU({.units = 2})});
  const Tensor x = Tensor::from({1, 2, 0, 0, 4, 3, 2, 0, 1, 1, 1, 1}, {3, 4});
  Function compiled([&](const Nest& in) { return Nest(model(in.tensor())); });
  const Tensor expected = model(x);
  for (int i = 0; i < 4; ++i) CHECK(test::difference(compiled(Nest(x)).tensor(), expected) < 1e-6);
  CHECK(compiled.report().replays == 2);
  CHECK(test::difference(model.predict(x, quiet).tensor(), expected) < 1e-6);
}

namespace {

// The first and the last steps, each with their part of the mask.
class HalvesLayer : public Layer {
 public:
  HalvesLayer() { supports_masking_ = true; }
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor x = inputs;
    return Nest{x[{Slice(), Slice(0, 2)}], x[{Slice(), Slice(2, 4)}]};
  }
  std::vector<Tensor> compute_masks(const Nest&, const std::vector<Tensor>& masks) override {
    if (!masks[0]) return {};
    return {masks[0][{Slice(), Slice(0, 2)}], masks[0][{Slice(), Slice(2, 4)}]};
  }
};

// Two sequences, as they are but for a factor.
class TwiceLayer : public Layer {
 public:
  TwiceLayer() { supports_masking_ = true; }
  Nest call_many(const Nest& inputs, const Call&) override {
    return Nest{inputs[0].tensor() * 2.0, inputs[1].tensor() * 2.0};
  }
};

// The sums of the real steps of all its inputs.
class RealSumsLayer : public Layer {
 public:
  RealSumsLayer() { supports_masking_ = true; }
  Nest call_many(const Nest& inputs, const Call&) override {
    Tensor total;
    for (const Tensor& x : inputs.flatten()) {
      const Tensor real = x.mask() ? x * ops::expand_dims(ops::cast(x.mask(), x.dtype()), -1) : x;
      const Tensor sum = ops::sum(real, {1, 2});
      total = total ? total + sum : sum;
    }
    return total;
  }
  std::vector<Tensor> compute_masks(const Nest&, const std::vector<Tensor>&) override { return {}; }
};

}  // namespace

TEST_CASE("a layer with several outputs gives each a mask") {
  const Tensor mask = flags({1, 1, 0, 0, 1, 1, 1, 0}, {2, 4});
  const Tensor x = waves({2, 4, 3});
  auto halves = make<HalvesLayer>();
  const Nest y = halves(Nest(x.with_mask(mask)));
  CHECK(equals(y[0].tensor().mask(), {1, 1, 1, 1}));
  CHECK(equals(y[1].tensor().mask(), {0, 0, 1, 0}));
  const Nest bare = make<HalvesLayer>()(Nest(x));
  CHECK(!bare[0].tensor().mask());
  CHECK(!bare[1].tensor().mask());

  // What reads the masks behind it, in a graph too.
  Input in({4, 3});
  const Nest parts = make<HalvesLayer>()(Nest(layers::Masking()(in)));
  layers::LSTM lstm({.units = 2});
  Functional model(in, lstm(parts[1].tensor()));
  const Tensor real = x[{Slice(0, 1), Slice(0, 3)}];
  const Tensor short_one = ops::concatenate({real, ops::zeros({1, 1, 3})}, 1);
  const Tensor only = real[{Slice(), Slice(2, 3)}];
  CHECK(test::difference(model(short_one), lstm(only)) < 1e-6);
  CHECK(test::difference(Functional(model.input(), model.output())(short_one), lstm(only)) < 1e-6);
}

TEST_CASE("masks of several inputs go to the outputs at their places") {
  const Tensor a = waves({2, 3, 1}), b = waves({2, 3, 1}, 2);
  const Tensor one = flags({1, 1, 0, 1, 0, 0}, {2, 3}), two = flags({0, 1, 1, 1, 1, 1}, {2, 3});
  auto layer = make<TwiceLayer>();
  const Nest y = layer(Nest{a.with_mask(one), b.with_mask(two)});
  CHECK(identical(y[0].tensor().mask(), one));
  CHECK(identical(y[1].tensor().mask(), two));
  // Or are given with the call.
  const Nest given = layer(Nest{a, b}, {.masks = {one, two}});
  CHECK(identical(given[0].tensor().mask(), one));
  CHECK(identical(given[1].tensor().mask(), two));
  const Nest first = layer(Nest{a, b}, {.masks = {one}});
  CHECK(identical(first[0].tensor().mask(), one));
  CHECK(!first[1].tensor().mask());
  CHECK_THROWS_AS(layer(Nest{a, b}, {.masks = {one, two, one}}), ValueError);
}

TEST_CASE("a layer takes several masks, carried or given, in a graph as well") {
  const Tensor a = waves({2, 3, 1}), b = waves({2, 2, 1}, 2);
  const Tensor one = flags({1, 1, 0, 1, 0, 0}, {2, 3}), two = flags({0, 1, 1, 1}, {2, 2});
  const auto real = [](const Tensor& x, const Tensor& mask) {
    return ops::sum(x * ops::expand_dims(ops::cast(mask, x.dtype()), -1), {1, 2});
  };
  const Tensor expected = real(a, one) + real(b, two);
  auto sums = make<RealSumsLayer>();
  CHECK(test::difference(sums(Nest{a.with_mask(one), b.with_mask(two)}).tensor(), expected) < 1e-6);
  CHECK(test::difference(sums(Nest{a, b}, {.masks = {one, two}}).tensor(), expected) < 1e-6);

  Input x({3, 1}), y({2, 1}), m({.shape = {3}, .dtype = DType::boolean}),
      n({.shape = {2}, .dtype = DType::boolean});
  Functional model(Nest{x, y, m, n}, sums(Nest{x, y}, {.masks = {m, n}}));
  CHECK(test::difference(model(Nest{a, b, one, two}).tensor(), expected) < 1e-6);
}

}  // namespace masks_contract_test
