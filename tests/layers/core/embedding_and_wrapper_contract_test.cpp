// The contract of ReversibleEmbedding, and of wrappers around a layer.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace embedding_and_wrapper_contract_test {

using namespace cornu;
using test::check_layer;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

const Call reverse{.extra = {{"reverse", true}}};

Tensor waves(const Shape& shape) { return ops::cast(test::noise(shape), DType::float32); }

}  // namespace

TEST_CASE("ReversibleEmbedding keeps a layer's contract") {
  const test::LayerExpectation tied{.input = {2, 3},
                                    .output = {2, 3, 4},
                                    .weights = 1,
                                    .input_dtype = DType::int32,
                                    .indices_below = 5};
  check_layer<layers::ReversibleEmbedding>({.input_dim = 5, .output_dim = 4}, tied);
}

TEST_CASE("ReversibleEmbedding projects onto its vectors") {
  layers::ReversibleEmbedding layer({.input_dim = 5, .output_dim = 3});
  const Tensor indices = Tensor::from({4, 0, 2}, {1, 3});
  const Tensor vectors = layer(indices);
  const Tensor table = layer->get_weights()[0];
  CHECK(identical(vectors[0], ops::take(table, indices[0], 0)));
  const Tensor x = waves({2, 3});
  CHECK(test::difference(layer(x, reverse), ops::matmul(x, ops::transpose(table))) < 1e-6);
}

TEST_CASE("ReversibleEmbedding with a matrix of its own, and capped logits") {
  layers::ReversibleEmbedding layer(
      {.input_dim = 5, .output_dim = 3, .tie_weights = false, .logit_soft_cap = 2.0});
  const Tensor x = waves({2, 3}) * 20.0;
  layer(Tensor::from({1}, {1, 1}));
  CHECK(layer->weights().size() == 2);
  CHECK(layer->reverse_embeddings.shape() == Shape{3, 5});
  const Tensor z = ops::matmul(x, layer->reverse_embeddings.value());
  CHECK(test::difference(layer(x, reverse), ops::tanh(z / 2.0) * 2.0) < 1e-5);
  test::remade<Layer>(*layer);
}

TEST_CASE("a language model that shares its embedding is saved and trains both uses of it") {
  random::set_seed(1);
  Input tokens({.shape = {4}, .dtype = DType::int32});
  layers::ReversibleEmbedding words({.input_dim = 6, .output_dim = 3});
  const Tensor y = words(words(tokens), reverse);
  Functional model(tokens, y);
  CHECK(model.weights().size() == 1);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const Tensor x = Tensor::from({0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5}, {3, 4});
  const auto history = model.fit(x, x, {.epochs = 60, .verbose = Verbose::silent});
  CHECK(history["loss"].back() < 0.5 * history["loss"].front());
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
  CHECK(loaded->weights().size() == 1);
}

TEST_CASE("ReversibleEmbedding masks padding where it is told to") {
  layers::ReversibleEmbedding layer({.input_dim = 5, .output_dim = 2, .mask_zero = true});
  CHECK(test::remade<Layer>(*layer));
  CHECK_THROWS_AS(layers::ReversibleEmbedding({.input_dim = 0, .output_dim = 2}), ValueError);
}

TEST_CASE("Wrapper is abstract, and keeps the layer inside") {
  layers::Wrapper wrapper({.layer = layers::Dense({.units = 2, .name = "inside"})});
  CHECK_THROWS_AS(wrapper(ops::ones({1, 3})), Error);
  CHECK(wrapper->layer->name() == "inside");
  CHECK(wrapper->sublayers().size() == 1);
  const auto copy = test::remade<Layer>(*wrapper);
  CHECK(copy->sublayers()[0]->name() == "inside");
}

TEST_CASE("SpectralNormalization divides the kernel by its largest singular value") {
  layers::Dense dense({.units = 3, .use_bias = false});
  layers::SpectralNormalization layer({.layer = dense, .power_iterations = 30});
  const Tensor x = waves({2, 4});
  layer(x);
  const Tensor before = dense->get_weights()[0] * 5.0;
  dense->set_weights({before});
  CHECK(identical(layer(x, {.training = false}), ops::matmul(x, before)));
  layer(x, {.training = true});
  const Tensor after = dense->get_weights()[0];
  const auto singular = ops::svd(after, false, false)[0].tensor().to_vector<double>();
  CHECK(singular[0] == Approx(1).epsilon(1e-3));
  // Only the size has changed.
  const Tensor ratio = before / after;
  CHECK(ops::max(ratio).item() == Approx(ops::min(ratio).item()).epsilon(1e-4));
}

TEST_CASE("SpectralNormalization is saved, and takes convolutions and embeddings") {
  const test::TemporaryFolder folder;
  Sequential model(
      {Input({6, 2}),
       layers::SpectralNormalization({.layer = layers::Conv1D({.filters = 3, .kernel_size = 2})}),
       layers::Flatten(), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = waves({8, 6, 2});
  model.fit(x, ops::ones({8, 1}), {.epochs = 2, .verbose = Verbose::silent});
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
  for (size_t i = 0; i < model.get_weights().size(); ++i)
    CHECK(identical(loaded->get_weights()[i], model.get_weights()[i]));
  layers::SpectralNormalization table(
      {.layer = layers::Embedding({.input_dim = 4, .output_dim = 2})});
  CHECK(table(Tensor::from({1, 3}, {1, 2}), {.training = true}).shape() == Shape{1, 2, 2});
}

TEST_CASE("SpectralNormalization says what is wrong") {
  CHECK(has(error_of([] {
              layers::SpectralNormalization(
                  {.layer = layers::Dense({.units = 1}), .power_iterations = 0});
            }),
            "power_iterations"));
  layers::SpectralNormalization none({.layer = layers::Flatten()});
  CHECK_THROWS_AS(none(ops::ones({2, 3})), ValueError);
}

}  // namespace embedding_and_wrapper_contract_test
