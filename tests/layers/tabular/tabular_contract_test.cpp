// The contract of the layers for columns of numbers: Normalization, Discretization,
// CategoryEncoding, Hashing, HashedCrossing, IntegerLookup.
#include <cornu/cornu.h>

#include <cmath>
#include <set>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace tabular_contract_test {

using namespace cornu;
using test::check_layer;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};

Tensor ints(const std::vector<int64_t>& values, const Shape& shape) {
  return Tensor::from(values, shape);
}

// The layer behind an Input of this shape and dtype, through a file.
std::shared_ptr<Model> through_file(const AnyLayer& layer, const Shape& sample, DType dtype) {
  Sequential model({Input({.shape = sample, .dtype = dtype}), layer});
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  return load_model((folder / "m.keras").string());
}

}  // namespace

TEST_CASE("Normalization keeps a layer's contract") {
  check_layer<layers::Normalization>({.mean = 0.5, .variance = 4.0},
                                     {.input = {2, 3}, .output = {2, 3}});
  check_layer<layers::Normalization>({.mean = 0.5, .variance = 4.0, .invert = true},
                                     {.input = {2, 3, 2}, .output = {2, 3, 2}});
}

TEST_CASE("Normalization learns mean and variance, and gives them back") {
  const Tensor data = Tensor::from({1.0f, 10.0f, 3.0f, 30.0f, 5.0f, 50.0f, 7.0f, 30.0f}, {4, 2});
  layers::Normalization layer;
  layer->adapt(data);
  CHECK(equals(layer->mean.value(), {4, 30}));
  CHECK(equals(layer->variance.value(), {5, 200}));
  const Tensor y = layer(data);
  CHECK(equals(ops::mean(y, 0), {0, 0}));
  CHECK(equals(ops::var(y, 0), {1, 1}));
  CHECK(layer->weights().size() == 3);
  const auto loaded = through_file(layer, {2}, DType::float32);
  CHECK(identical(loaded->predict(data, quiet).tensor(), y));
}

TEST_CASE("Normalization learns the same from batches as from all at once") {
  const Tensor data =
      Tensor::from({1.0f, 10.0f, 3.0f, 30.0f, 5.0f, 50.0f, 7.0f, 30.0f, 9.0f, 9.0f}, {5, 2});
  layers::Normalization whole, parts;
  whole->adapt(data);
  TensorDataset batches(data, {}, {}, {.batch_size = 2});
  parts->adapt(batches);
  CHECK(test::difference(parts->mean.value(), whole->mean.value()) < 1e-6);
  CHECK(test::difference(parts->variance.value(), whole->variance.value()) < 1e-5);
  layers::Normalization piped;
  piped->adapt(data::from(data).batch(2));
  CHECK(identical(piped->mean.value(), parts->mean.value()));
  piped->adapt(data::from(data).repeat().batch(5), 1);
  CHECK(test::difference(piped->mean.value(), whole->mean.value()) < 1e-6);
  CHECK(has(error_of([&] { piped->adapt(data::from(data).repeat().batch(2)); }), "by steps"));
  const auto inputs = [](const Batch& b) { return b.x.tensor(); };
  piped->adapt(data::from(data, data).batch(2).map(inputs));
  CHECK(identical(piped->mean.value(), parts->mean.value()));
  piped->adapt(data::from(data).batch(2).map([](const Batch& b) { return b.x; }), 1);
  CHECK(equals(piped->mean.value(), {2, 20}));
  layers::Normalization pooled({.axis = std::nullopt});
  pooled->adapt(data);
  CHECK(pooled->mean.value().size() == 1);
}

TEST_CASE("invert undoes a Normalization") {
  const Tensor x = Tensor::from({1.0f, -2.0f, 0.5f, 4.0f}, {2, 2});
  layers::Normalization there({.mean = 1.5, .variance = 0.25}),
      back({.mean = 1.5, .variance = 0.25, .invert = true});
  CHECK(test::difference(back(there(x)), x) < 1e-6);
}

TEST_CASE("Discretization counts the boundaries that do not exceed a number") {
  layers::Discretization layer({.bin_boundaries = std::vector<double>{0, 1, 2}});
  const Tensor x = Tensor::from({-1.0f, 0.0f, 0.5f, 1.0f, 1.99f, 2.0f, 70.0f}, {7});
  const Tensor y = layer(x);
  CHECK(y.dtype() == DType::int32);
  CHECK(equals(y, {0, 1, 1, 2, 2, 3, 3}));
  layers::Discretization hot(
      {.bin_boundaries = std::vector<double>{0, 1}, .output_mode = "one_hot"});
  CHECK(equals(hot(Tensor::from({-1.0f, 0.5f}, {2, 1})), {1, 0, 0, 0, 1, 0}));
  test::remade<Layer>(*layer);
  const auto loaded = through_file(layer, {1}, DType::float32);
  CHECK(equals(loaded->predict(ops::reshape(x, {7, 1}), quiet).tensor(), {0, 1, 1, 2, 2, 3, 3}));
}

TEST_CASE("Discretization finds boundaries that cut data into equal parts") {
  layers::Discretization layer({.num_bins = 4});
  const Tensor data = ops::reshape(ops::arange(0, 1000, 1, DType::float32), {1000, 1});
  Adaptable& learner = *layer;
  learner.adapt(data);
  REQUIRE(layer->bin_boundaries().size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(layer->bin_boundaries()[static_cast<size_t>(i)] == Approx(250 * (i + 1)).margin(20));
  const auto loaded = through_file(layer, {1}, DType::float32);
  CHECK(identical(loaded->predict(data, quiet).tensor(), layer(data)));
}

TEST_CASE("CategoryEncoding in each mode") {
  const Tensor x = ints({0, 2, 2, 1, 1, 1}, {2, 3});
  CHECK(equals(layers::CategoryEncoding({.num_tokens = 4})(x), {1, 0, 1, 0, 0, 1, 0, 0}));
  layers::CategoryEncoding count({.num_tokens = 4, .output_mode = "count"});
  CHECK(equals(count(x), {1, 0, 2, 0, 0, 3, 0, 0}));
  const Tensor weights = Tensor::from({0.5f, 2.0f, 1.0f, 1.0f, 1.0f, 3.0f}, {2, 3});
  CHECK(equals(count(x, {.extra = {{"count_weights", weights}}}), {0.5, 0, 3, 0, 0, 5, 0, 0}));
  layers::CategoryEncoding hot({.num_tokens = 3, .output_mode = "one_hot"});
  CHECK(equals(hot(ints({2, 0}, {2, 1})), {0, 0, 1, 1, 0, 0}));
  CHECK(hot.shared()->compute_output_shape({Shape::unknown, 1}) == Shape{Shape::unknown, 3});
  test::remade<Layer>(*hot);
  const auto loaded = through_file(count, {3}, DType::int64);
  CHECK(equals(loaded->predict(x, quiet).tensor(), {1, 0, 2, 0, 0, 3, 0, 0}));
}

TEST_CASE("CategoryEncoding explains options that do not fit") {
  CHECK(
      has(error_of([] { layers::CategoryEncoding({.num_tokens = 3, .output_mode = "many_hot"}); }),
          "many_hot"));
  CHECK(has(error_of([] { layers::CategoryEncoding({.num_tokens = 0}); }), "num_tokens"));
}

TEST_CASE("Hashing is the same each time, in its range, and another with a salt") {
  layers::Hashing layer({.num_bins = 5});
  std::vector<int64_t> all(100);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  const Tensor x = ints(all, {100, 1});
  const Tensor y = layer(x);
  CHECK(identical(y, layers::Hashing({.num_bins = 5})(x)));
  std::set<int64_t> bins;
  for (int64_t b : y.to_vector<int64_t>()) bins.insert(b);
  CHECK(bins == std::set<int64_t>{0, 1, 2, 3, 4});
  layers::Hashing salted({.num_bins = 5, .salt = std::vector<int64_t>{7}});
  CHECK(!identical(salted(x), y));
  test::remade<Layer>(*salted);
  const auto loaded = through_file(salted, {1}, DType::int64);
  CHECK(identical(ops::cast(loaded->predict(x, quiet).tensor(), DType::int64),
                  ops::cast(salted(x), DType::int64)));
}

TEST_CASE("Hashing keeps bin 0 for the mask value") {
  layers::Hashing layer({.num_bins = 3, .mask_value = 0});
  for (int64_t b : layer(ints({1, 2, 3, 4, 5, 6, 7, 8}, {8})).to_vector<int64_t>()) CHECK(b > 0);
  CHECK(layer(ints({0}, {1})).item() == 0);
  layers::Hashing hot({.num_bins = 4, .output_mode = "multi_hot"});
  const Tensor y = hot(ints({3, 3}, {1, 2}));
  CHECK(y.shape() == Shape{1, 4});
  CHECK(ops::sum(y).item() == 1);
}

TEST_CASE("HashedCrossing tells pairs apart, not orders of batches") {
  layers::HashedCrossing layer({.num_bins = 1000});
  const Tensor a = ints({1, 2, 1, 2}, {4, 1}), b = ints({1, 1, 2, 2}, {4, 1});
  const auto y = layer(Nest{a, b}).tensor().to_vector<int64_t>();
  CHECK(std::set<int64_t>(y.begin(), y.end()).size() == 4);
  const auto one = layer(Nest{ints({2}, {1, 1}), ints({1}, {1, 1})}).tensor().to_vector<int64_t>();
  CHECK(one[0] == y[1]);
  layers::HashedCrossing hot({.num_bins = 5, .output_mode = "one_hot"});
  const Tensor encoded = hot(Nest{a, b}).tensor();
  CHECK(encoded.shape() == Shape{4, 5});
  CHECK(equals(ops::sum(encoded, -1), {1, 1, 1, 1}));
  test::remade<Layer>(*hot);
  CHECK_THROWS_AS(layer(Nest{a}), Error);
}

TEST_CASE("IntegerLookup numbers a vocabulary, and back") {
  layers::IntegerLookup there({.vocabulary = {12, 36, 1138}});
  layers::IntegerLookup back({.vocabulary = {12, 36, 1138}, .invert = true});
  const Tensor x = ints({12, 1138, 42, 36}, {2, 2});
  CHECK(equals(there(x), {1, 3, 0, 2}));
  CHECK(equals(back(there(x)), {12, 1138, -1, 36}));
  CHECK(there->vocabulary_size() == 4);
  layers::IntegerLookup masked({.num_oov_indices = 2, .mask_token = 0, .vocabulary = {12, 36}});
  CHECK(equals(masked(ints({0, 12, 36}, {3})), {0, 3, 4}));
  layers::IntegerLookup strict({.num_oov_indices = 0, .vocabulary = {12, 36}});
  CHECK(has(error_of([&] { strict(ints({12, 77}, {2})); }), "77"));
}

TEST_CASE("IntegerLookup learns the most frequent numbers, and keeps them in files") {
  layers::IntegerLookup layer({.max_tokens = 3});
  layer->adapt(ints({5, 9, 5, 7, 5, 9}, {6}));
  CHECK(layer->get_vocabulary(false) == std::vector<int64_t>{5, 9});
  const auto loaded = through_file(layer, {2}, DType::int64);
  CHECK(equals(loaded->predict(ints({9, 7, 5, 5}, {2, 2}), quiet).tensor(), {2, 0, 1, 1}));
  layers::IntegerLookup counts({.vocabulary = {5, 9}, .output_mode = "count"});
  CHECK(equals(counts(ints({9, 9, 7, 5}, {2, 2})), {0, 0, 2, 1, 1, 0}));
}

TEST_CASE("layers with a vocabulary as an option cannot learn another") {
  layers::IntegerLookup layer({.vocabulary = {1}});
  CHECK_THROWS_AS(layer->adapt(ints({5}, {1})), StateError);
  CHECK_THROWS_AS(layers::IntegerLookup({.vocabulary = {1, 1}}), ValueError);
  layers::Normalization given({.mean = 0.0, .variance = 1.0});
  CHECK_THROWS_AS(given->adapt(ops::ones({2, 2})), StateError);
}

}  // namespace tabular_contract_test
