// The contract of the layers for texts: StringLookup and TextVectorization.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace text_contract_test {

using namespace cornu;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

using Strings = std::vector<std::string>;

const PredictOptions quiet{.verbose = Verbose::silent};

Tensor texts(const Strings& values) {
  return Tensor::strings(values, {static_cast<int64_t>(values.size())});
}

Tensor column(const Strings& values) {
  return Tensor::strings(values, {static_cast<int64_t>(values.size()), 1});
}

std::shared_ptr<Model> through_file(const AnyLayer& layer) {
  Sequential model({Input({.shape = {1}, .dtype = DType::string}), layer});
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  return load_model((folder / "m.keras").string());
}

}  // namespace

TEST_CASE("StringLookup numbers words, and back") {
  layers::StringLookup there({.vocabulary = {"a", "b", "c"}});
  layers::StringLookup back({.vocabulary = {"a", "b", "c"}, .invert = true});
  const Tensor y = there(texts({"b", "z", "a", "c"}));
  CHECK(y.dtype() == DType::int64);
  CHECK(equals(y, {2, 0, 1, 3}));
  CHECK(back(y).to_strings() == Strings{"b", "[UNK]", "a", "c"});
  CHECK(there->get_vocabulary() == Strings{"[UNK]", "a", "b", "c"});
  CHECK(there->get_vocabulary(false) == Strings{"a", "b", "c"});
  test::remade<Layer>(*there);
}

TEST_CASE("StringLookup with a mask token and several unknown ones") {
  layers::StringLookup layer({.num_oov_indices = 2, .mask_token = "", .vocabulary = {"a", "b"}});
  CHECK(equals(layer(texts({"", "a", "b"})), {0, 3, 4}));
  for (double v : layer(texts({"x", "y", "z"})).to_vector<double>()) CHECK((v == 1 || v == 2));
  layers::StringLookup strict({.num_oov_indices = 0, .vocabulary = {"a"}});
  CHECK(has(error_of([&] { strict(texts({"zebra"})); }), "zebra"));
}

TEST_CASE("StringLookup encodes what it has looked up") {
  const Tensor x = Tensor::strings({"a", "b", "b", "z", "a", "a"}, {2, 3});
  layers::StringLookup hot({.vocabulary = {"a", "b"}, .output_mode = "multi_hot"});
  CHECK(equals(hot(x), {0, 1, 1, 1, 1, 0}));
  layers::StringLookup count({.vocabulary = {"a", "b"}, .output_mode = "count"});
  CHECK(equals(count(x), {0, 1, 2, 1, 2, 0}));
  layers::StringLookup weighted({.vocabulary = {"a", "b"},
                                 .idf_weights = std::vector<double>{0.5, 2},
                                 .output_mode = "tf_idf"});
  CHECK(equals(weighted(x), {0, 0.5, 4, 1.25, 1, 0}));  // unknown words weigh the mean
  layers::StringLookup padded({.max_tokens = 5,
                               .vocabulary = {"a", "b"},
                               .output_mode = "count",
                               .pad_to_max_tokens = true});
  CHECK(padded(x).shape() == Shape{2, 5});
}

TEST_CASE(
    "StringLookup learns words by frequency, then backwards by name, and keeps them in files") {
  layers::StringLookup layer({.max_tokens = 4});
  layer->adapt(texts({"pear", "fig", "pear", "apple", "fig", "pear", "date"}));
  CHECK(layer->get_vocabulary(false) == Strings{"pear", "fig", "date"});
  const auto loaded = through_file(layer);
  CHECK(equals(loaded->predict(column({"fig", "apple", "pear"}), quiet).tensor(), {2, 0, 1}));
}

TEST_CASE("TextVectorization standardizes, splits and numbers words") {
  layers::TextVectorization layer({.vocabulary = {"the", "cat", "sat"}});
  const Tensor y = layer(texts({"The cat SAT!", "a cat."}));
  CHECK(y.dtype() == DType::int64);
  CHECK(y.shape() == Shape{2, 3});
  CHECK(equals(y, {2, 3, 4, 1, 3, 0}));
  CHECK(layer->get_vocabulary() == Strings{"", "[UNK]", "the", "cat", "sat"});
  test::remade<Layer>(*layer);
  CHECK(equals(layer(column({"The cat SAT!", "a cat."})), {2, 3, 4, 1, 3, 0}));
}

TEST_CASE("TextVectorization cuts and pads to output_sequence_length") {
  layers::TextVectorization layer({.output_sequence_length = 2, .vocabulary = {"a", "b"}});
  CHECK(equals(layer(texts({"a b a", "b", ""})), {2, 3, 3, 0, 0, 0}));
}

TEST_CASE("TextVectorization keeps case and marks where it is told to") {
  layers::TextVectorization as_is({.standardize = std::nullopt, .vocabulary = {"Cat!"}});
  CHECK(equals(as_is(texts({"Cat! cat!"})), {2, 1}));
  layers::TextVectorization lower({.standardize = "lower", .vocabulary = {"cat!"}});
  CHECK(equals(lower(texts({"CAT! cat"})), {2, 1}));
  layers::TextVectorization letters({.split = "character", .vocabulary = {"a", "b"}});
  CHECK(equals(letters(texts({"ab b"})), {2, 3, 1, 3}));
}

TEST_CASE("TextVectorization makes n-grams") {
  layers::TextVectorization pairs({.ngrams = 2, .vocabulary = {"a", "b", "a b", "b a"}});
  CHECK(equals(pairs(texts({"a b a"})), {2, 3, 2, 4, 5}));
}

TEST_CASE("TextVectorization encodes texts over the vocabulary") {
  const Tensor x = texts({"a b b", "z a"});
  layers::TextVectorization hot({.output_mode = "multi_hot", .vocabulary = {"a", "b"}});
  CHECK(equals(hot(x), {0, 1, 1, 1, 1, 0}));
  layers::TextVectorization count({.output_mode = "count", .vocabulary = {"a", "b"}});
  CHECK(equals(count(x), {0, 1, 2, 1, 1, 0}));
}

TEST_CASE("TextVectorization learns its vocabulary and weights, and keeps them in files") {
  layers::TextVectorization layer({.max_tokens = 5, .output_mode = "tf_idf"});
  const Tensor data = texts({"fig pear", "fig fig date", "pear fig"});
  layer->adapt(data);
  CHECK(layer->get_vocabulary(false) == Strings{"fig", "pear", "date"});
  const Tensor y = layer(texts({"fig fig date"}));
  // log(1 + documents / (1 + documents with the word))
  const double fig = std::log(1 + 3.0 / 4), date = std::log(1 + 3.0 / 2);
  CHECK(y.shape() == Shape{1, 4});
  CHECK(equals(y, {0, 2 * fig, 0, date}, 1e-4));
  const auto loaded = through_file(layer);
  CHECK(identical(loaded->predict(column({"fig fig date"}), quiet).tensor(), y));
}

TEST_CASE("TextVectorization learns from the files of a folder") {
  const test::TemporaryFolder folder;
  test::spill(folder / "one.txt", "fig pear");
  test::spill(folder / "two.txt", "fig fig date");
  test::spill(folder / "three.txt", "pear fig");
  layers::TextVectorization layer({.max_tokens = 5});
  layer->adapt(utils::text_dataset_from_directory(folder.path(),
                                                  {.label_mode = std::nullopt, .batch_size = 2}));
  CHECK(layer->get_vocabulary(false) == Strings{"fig", "pear", "date"});
}

TEST_CASE("texts go through a whole model from strings to a class") {
  random::set_seed(1);
  layers::TextVectorization words({.output_sequence_length = 4});
  words->adapt(texts({"good film", "bad film", "very good", "very bad"}));
  Sequential model({Input({.shape = {1}, .dtype = DType::string}), words,
                    layers::Embedding({.input_dim = words->vocabulary_size(), .output_dim = 4}),
                    layers::GlobalAveragePooling1D(),
                    layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile(
      {.optimizer = optimizers::Adam({.learning_rate = 0.1}), .loss = "binary_crossentropy"});
  const Tensor x = column({"good film", "bad film", "very good", "very bad"});
  const Tensor y = Tensor::from({1.0f, 0.0f, 1.0f, 0.0f}, {4, 1});
  const auto history =
      model.fit(x, y, {.epochs = 40, .verbose = Verbose::silent, .shuffle = false});
  CHECK(history["loss"].back() < 0.2 * history["loss"].front());
  const auto scores = model.predict(column({"good", "bad"}), quiet).tensor().to_vector<double>();
  CHECK(scores[0] > 0.5);
  CHECK(scores[1] < 0.5);
}

TEST_CASE("text layers say which option is wrong") {
  CHECK(has(error_of([] { layers::TextVectorization({.output_mode = "hot"}); }), "hot"));
  CHECK(has(error_of([] { layers::TextVectorization({.standardize = "upper"}); }), "upper"));
  CHECK(has(error_of([] {
              layers::StringLookup({.max_tokens = 1, .vocabulary = {"a", "b"}});
            }),
            "max_tokens"));
  CHECK_THROWS_AS(layers::StringLookup({.vocabulary = {"a", "a"}}), ValueError);
  CHECK_THROWS_AS(layers::TextVectorization({.output_mode = "count", .output_sequence_length = 3}),
                  ValueError);
}

}  // namespace text_contract_test
