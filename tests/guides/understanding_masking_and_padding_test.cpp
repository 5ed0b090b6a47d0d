// The examples of Keras's guide to masks and padding.
#include <cornu/cornu.h>

#include "guide_goldens.h"

namespace understanding_masking_and_padding_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Value golden(const char* example) { return recorded("understanding_masking_and_padding", example); }

constexpr Verbose silent = Verbose::silent;

const std::vector<std::vector<int>> raw_inputs = {
    {711, 632, 71},
    {73, 8, 3215, 55, 927},
    {83, 91, 1, 645, 1253, 927},
};

Tensor padded_inputs() { return utils::pad_sequences(raw_inputs, {.padding = "post"}); }

// The first six features, of which there are more than a file should hold.
Tensor head(const Tensor& y) { return y[{Slice(), Slice({}, 6)}]; }

}  // namespace

TEST_CASE("masking: lists of different lengths are padded") {
  const Value expected = golden("padding");
  check_same(padded_inputs(), entry(expected, "post"), 0, 0);
  CHECK(padded_inputs().dtype() == DType::int32);
  check_same(utils::pad_sequences(raw_inputs), entry(expected, "pre"), 0, 0);
  check_same(
      utils::pad_sequences(
          raw_inputs, {.maxlen = 4, .dtype = DType::float32, .truncating = "post", .value = -1.5}),
      entry(expected, "cut"), 0, 0);
}

TEST_CASE("masking: an Embedding makes a mask") {
  const Value expected = golden("embedding_makes_a_mask");
  random::set_seed(1);
  layers::Embedding embedding({.input_dim = 5000, .output_dim = 16, .mask_zero = true});
  Tensor masked_output = embedding(padded_inputs());
  check_same(masked_output.mask(), entry(expected, "mask"), 0, 0);
  check_same(masked_output[{Slice(), 4, Slice({}, 3)}], entry(expected, "vectors"));
}

namespace {

Tensor masked_embedding() {
  layers::Masking masking_layer;
  Tensor unmasked_embedding =
      ops::cast(ops::tile(ops::expand_dims(padded_inputs(), -1), {1, 1, 10}), DType::float32);
  return masking_layer(unmasked_embedding);
}

}  // namespace

TEST_CASE("masking: a Masking layer makes a mask") {
  const Value expected = golden("masking_makes_a_mask");
  Tensor masked = masked_embedding();
  check_same(masked.mask(), entry(expected, "mask"), 0, 0);
  CHECK(masked.shape() == Shape(list_of<int64_t>(entry(expected, "shape"))));
  check_same(masked[{Slice(), Slice(), 0}], entry(expected, "steps"), 0, 0);
}

TEST_CASE("masking: in a stack the LSTM gets the mask of the Embedding") {
  const Value expected = golden("stack_with_a_mask");
  random::set_seed(1);
  Sequential model({
      layers::Embedding({.input_dim = 5000, .output_dim = 16, .mask_zero = true}),
      layers::LSTM({.units = 32}),
  });
  check_same(head(model(padded_inputs())), entry(expected, "y"));
  check_same(head(model(Tensor::from<int32_t>({711, 632, 71}, {1, 3}))), entry(expected, "short"));
}

TEST_CASE("masking: in a graph the LSTM gets the mask of the Embedding") {
  const Value expected = golden("graph_with_a_mask");
  random::set_seed(1);
  Input inputs({std::nullopt}, {.dtype = DType::int32});
  Tensor x = layers::Embedding({.input_dim = 5000, .output_dim = 16, .mask_zero = true})(inputs);
  Tensor outputs = layers::LSTM({.units = 32})(x);
  Functional model(inputs, outputs);
  check_same(head(model(padded_inputs())), entry(expected, "y"));
  check_same(head(model.predict(padded_inputs(), {.verbose = silent})),
             entry(expected, "predicted"));
}

namespace {

class MyLayer : public Layer {
 public:
  MyLayer() {
    track("embedding", embedding_);
    track("lstm", lstm_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = embedding_(inputs);
    Tensor mask = embedding_->compute_mask(inputs, {});
    return lstm_(x, {.mask = mask});
  }

 private:
  layers::Embedding embedding_{{.input_dim = 5000, .output_dim = 16, .mask_zero = true}};
  layers::LSTM lstm_{{.units = 32}};
};

}  // namespace

TEST_CASE("masking: a mask is given to a layer by hand") {
  const Value expected = golden("mask_given_by_hand");
  random::set_seed(1);
  auto layer = make<MyLayer>();
  check_same(head(layer(padded_inputs())), entry(expected, "y"));
  layers::LSTM lstm({.units = 4});
  Tensor x = random::normal({2, 3, 5}, 0, 1, 1);
  Tensor mask = Tensor::from<bool>({true, true, false, false, true, true}, {2, 3});
  check_same(lstm(x, {.mask = mask}), entry(expected, "lstm"));
}

namespace {

// Cuts a sequence into halves. A result that brings its mask along keeps it.
class TemporalSplit : public Layer {
 public:
  TemporalSplit() { supports_masking_ = true; }
  Nest call_many(const Nest& inputs, const Call& call) override {
    std::vector<Tensor> halves = ops::split(inputs, 2, 1);
    if (call.mask) {
      const std::vector<Tensor> masks = ops::split(call.mask, 2, 1);
      for (size_t i = 0; i < halves.size(); ++i) halves[i].set_mask(masks[i]);
    }
    return halves;
  }
};

}  // namespace

TEST_CASE("masking: a layer cuts its mask as it cuts its input") {
  const Value expected = golden("layer_that_splits_a_mask");
  random::set_seed(1);
  Nest halves = make<TemporalSplit>()(Nest(masked_embedding()));
  Tensor first_half = halves[0], second_half = halves[1];
  REQUIRE(first_half.mask());
  REQUIRE(second_half.mask());
  check_same(first_half.mask(), entry(expected, "first"), 0, 0);
  check_same(second_half.mask(), entry(expected, "second"), 0, 0);
  check_same(second_half[{Slice(), Slice(), 0}], entry(expected, "values"));
  layers::LSTM lstm({.units = 3});
  check_same(lstm(second_half / 5000, {.mask = second_half.mask()}), entry(expected, "lstm"));
}

namespace {

struct CustomEmbeddingConfig {
  Required<int64_t> input_dim, output_dim;
  bool mask_zero = false;
};
class CustomEmbeddingLayer : public LayerOf<CustomEmbeddingLayer, CustomEmbeddingConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape&) override {
    embeddings_ = add_weight({.shape = {config.input_dim, config.output_dim},
                              .initializer = "random_normal",
                              .dtype = DType::float32});
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    return ops::take(embeddings_, ops::cast(inputs, DType::int32), 0);
  }
  Tensor compute_mask(const Nest& inputs, const Tensor&) override {
    if (!config.mask_zero) return {};
    return ops::not_equal(inputs, 0);
  }

 private:
  Variable embeddings_;
};
using CustomEmbedding = Ref<CustomEmbeddingLayer>;

}  // namespace

TEST_CASE("masking: a layer of one's own makes a mask") {
  const Value expected = golden("layer_that_makes_a_mask");
  random::set_seed(1);
  CustomEmbedding layer({.input_dim = 10, .output_dim = 32, .mask_zero = true});
  Tensor x = random::randint({3, 10}, 0, 9, 1);
  Tensor y = layer(x);
  check_same(y[{Slice(), 0, Slice({}, 4)}], entry(expected, "y"));
  check_same(layer->compute_mask(x, {}), entry(expected, "mask"), 0, 0);
  REQUIRE(y.mask());
  check_same(y.mask(), entry(expected, "carried"), 0, 0);
  layers::LSTM lstm({.units = 4});
  check_same(lstm(y), entry(expected, "lstm"));
  Input inputs({10}, {.dtype = DType::int32});
  Functional model(inputs, lstm(layer(inputs)));
  check_same(model(x), entry(expected, "model"));
}

namespace {

class MyActivation : public Layer {
 public:
  MyActivation() { supports_masking_ = true; }
  Tensor call(const Tensor& inputs, const Call&) override { return ops::relu(inputs); }
};

class Forgetful : public Layer {
 public:
  Tensor call(const Tensor& inputs, const Call&) override { return ops::relu(inputs); }
};

}  // namespace

TEST_CASE("masking: a layer of one's own passes a mask on") {
  const Value expected = golden("layer_that_passes_a_mask");
  random::set_seed(1);
  Input inputs({std::nullopt}, {.dtype = DType::int32});
  layers::Embedding embedding({.input_dim = 5000, .output_dim = 16, .mask_zero = true});
  Tensor x = embedding(inputs);
  x = make<MyActivation>()(x);
  CHECK(static_cast<bool>(x.mask()) == entry(expected, "found").get<bool>());
  Tensor outputs = layers::LSTM({.units = 32})(x);
  Functional model(inputs, outputs);
  check_same(head(model(padded_inputs())), entry(expected, "y"));
  check_same(make<MyActivation>()(embedding(padded_inputs())).mask(), entry(expected, "eager"), 0,
             0);
}

TEST_CASE("masking: a mask ends at a layer that does not say that it passes it") {
  const Value expected = golden("layer_that_ends_a_mask");
  random::set_seed(1);
  Input inputs({std::nullopt}, {.dtype = DType::int32});
  Tensor x = layers::Embedding({.input_dim = 5000, .output_dim = 16, .mask_zero = true})(inputs);
  x = make<Forgetful>()(x);
  CHECK(static_cast<bool>(x.mask()) == entry(expected, "found").get<bool>());
  Functional model(inputs, layers::LSTM({.units = 32})(x));
  check_same(head(model(padded_inputs())), entry(expected, "y"));
}

namespace {

// A softmax over the steps that are real.
class TemporalSoftmax : public Layer {
 public:
  TemporalSoftmax() { supports_masking_ = true; }
  bool uses_mask() const override { return true; }
  Tensor call(const Tensor& inputs, const Call& call) override {
    Tensor broadcast_float_mask = ops::expand_dims(ops::cast(call.mask, DType::float32), -1);
    Tensor inputs_exp = ops::exp(inputs) * broadcast_float_mask;
    Tensor inputs_sum = ops::sum(inputs_exp * broadcast_float_mask, 1, true);
    return inputs_exp / inputs_sum;
  }
};

}  // namespace

TEST_CASE("masking: a layer of one's own reads a mask") {
  const Value expected = golden("layer_that_reads_a_mask");
  random::set_seed(1);
  Input inputs({std::nullopt}, {.dtype = DType::int32});
  Tensor x = layers::Embedding({.input_dim = 10, .output_dim = 32, .mask_zero = true})(inputs);
  x = layers::Dense({.units = 1})(x);
  Tensor outputs = make<TemporalSoftmax>()(x);
  Functional model(inputs, outputs);
  Tensor words = random::randint({4, 12}, 0, 10, 1);
  check_same(model(words), entry(expected, "y"));
  check_same(model.predict(words, {.verbose = silent}), entry(expected, "predicted"));
}

TEST_CASE("masking: masked steps do not count in training") {
  const Value expected = golden("masks_in_training");
  random::set_seed(1);
  Sequential model({
      layers::Embedding({.input_dim = 10, .output_dim = 4, .mask_zero = true}),
      make<MyActivation>(),
      layers::LSTM({.units = 3, .return_sequences = true}),
      layers::Dense({.units = 1}),
  });
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  Tensor x = random::randint({8, 5}, 0, 4, 1), y = random::uniform({8, 5, 1}, 0, 1, 2);
  History history =
      model.fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = silent, .shuffle = false});
  check_same(history["loss"], entry(expected, "loss"));
  CHECK(model.evaluate(x, y, {.verbose = silent})["loss"] ==
        Approx(entry(expected, "evaluated").get<double>()).epsilon(1e-5));
}

}  // namespace understanding_masking_and_padding_test
