// FeatureSpace.
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/tabular/feature_space.h>
#include <cornu/layers/tabular/hashed_crossing.h>
#include <cornu/layers/tabular/normalization.h>
#include <cornu/layers/text/string_lookup.h>

#include <filesystem>

#include "../../catch.h"

namespace feature_space_test {

using namespace cornu;
using utils::FeatureSpace;

namespace {

Nest table() {
  return {{"age", Tensor::from({20.f, 30.f, 40.f, 50.f}, {4})},
          {"city", Tensor::strings({"Rome", "Oslo", "Rome", "Bern"}, {4})},
          {"rooms", Tensor::from<int32_t>({3, 1, 3, 2}, {4})}};
}

FeatureSpace space_of_table(const std::string& output_mode = "concat") {
  return FeatureSpace({.features = {{"rooms", "integer_categorical"},
                                    {"city", FeatureSpace::string_categorical({.max_tokens = 10})},
                                    {"age", "float_normalized"}},
                       .output_mode = output_mode,
                       .crosses = {{.feature_names = {"rooms", "city"}, .crossing_dim = 8}}});
}

double largest_difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  return ops::max(ops::absolute(a - b)).item();
}

// What its layers make of the table, by hand.
Tensor encoded_by_hand(const FeatureSpace& space) {
  const auto number = [&](const char* name) {
    return (*space->preprocessors.at(name))(ops::expand_dims(table()[name].tensor(), {-1}));
  };
  const Tensor cross =
      layers::HashedCrossing({.num_bins = 8})(Nest{number("rooms"), number("city")}).tensor();
  return ops::concatenate({number("age"), ops::multi_hot(number("city"), 4),
                           ops::multi_hot(number("rooms"), 4), ops::multi_hot(cross, 8)},
                          -1);
}

}  // namespace

TEST_CASE("FeatureSpace joins encoded features and crosses by name") {
  const FeatureSpace space = space_of_table();
  CHECK_THROWS_AS(space(table()), StateError);
  space->adapt(table());
  const Tensor y = space(table()).tensor();
  CHECK(y.shape() == Shape{4, 1 + 4 + 4 + 8});
  CHECK(largest_difference(y, encoded_by_hand(space)) == 0);
  CHECK(std::abs(y[0][0].item() + 1.3416408) < 1e-5);
  // The most frequent word is the first after the one for words that are not there.
  CHECK(y[0][2].item() == 1);
  // Single values, and columns that have an axis of their own.
  const Tensor one =
      space({{"age", Tensor(20.f)}, {"city", Tensor::strings({"Rome"}, {})}, {"rooms", Tensor(3)}})
          .tensor();
  CHECK(one.shape() == Shape{17});
  CHECK(largest_difference(one, y[0]) == 0);
  CHECK(largest_difference(space->predict(table(), {.verbose = Verbose::silent}), y) == 0);
}

TEST_CASE("FeatureSpace gives a dictionary, and learns from a dataset") {
  const FeatureSpace space = space_of_table("dict");
  space->adapt(TensorDataset(table(), {}, {}, {.batch_size = 3}));
  const Nest y = space(table());
  CHECK(y.size() == 4);
  CHECK(y["age"].shape() == Shape{4, 1});
  CHECK(y["city"].shape() == Shape{4, 4});
  CHECK(y["rooms_X_city"].shape() == Shape{4, 8});
  const Tensor joined = ops::concatenate(
      {y["age"].tensor(), y["city"].tensor(), y["rooms"].tensor(), y["rooms_X_city"].tensor()}, -1);
  CHECK(largest_difference(joined, encoded_by_hand(space)) < 1e-6);
}

TEST_CASE("FeatureSpace learns from a pipeline of columns") {
  const FeatureSpace space = space_of_table(), same = space_of_table();
  space->adapt(data::from(table()).batch(3).map([](const Batch& b) { return b.x; }));
  same->adapt(table());
  CHECK(largest_difference(space(table()).tensor(), same(table()).tensor()) < 1e-6);
}

TEST_CASE("features need no options") {
  const FeatureSpace space({.features = {{"rooms", FeatureSpace::integer_categorical()},
                                         {"city", FeatureSpace::string_categorical()},
                                         {"age", FeatureSpace::float_rescaled()}},
                            .output_mode = "dict"});
  space->adapt(table());
  const Nest y = space(table());
  CHECK(y["rooms"].shape() == Shape{4, 4});
  CHECK(y["city"].shape() == Shape{4, 4});
  CHECK(y["age"].tensor().to_vector<float>() == std::vector<float>{20, 30, 40, 50});
}

TEST_CASE("FeatureSpace has Keras's kinds of features") {
  const FeatureSpace space(
      {.features = {{"a", "float"},
                    {"b", FeatureSpace::float_rescaled({.scale = 0.5, .offset = 1})},
                    {"c", FeatureSpace::float_discretized(
                              {.num_bins = 3, .bin_boundaries = std::vector<double>{1, 2}})},
                    {"d", "integer_hashed"},
                    {"e", FeatureSpace::string_hashed({.num_bins = 4, .output_mode = "int"})},
                    {"f",
                     FeatureSpace::feature(
                         "float32", layers::Normalization({.mean = 1, .variance = 4}), "float")}},
       .output_mode = "dict"});
  // Nothing is left to learn.
  const Tensor x = Tensor::from({0.f, 1.f, 3.f}, {3});
  const Tensor words = Tensor::strings({"x", "y", "z"}, {3});
  const Nest y = space(
      {{"a", x}, {"b", x}, {"c", x}, {"d", ops::cast(x, DType::int32)}, {"e", words}, {"f", x}});
  CHECK(y["a"].to_vector<float>() == std::vector<float>{0, 1, 3});
  CHECK(y["b"].to_vector<float>() == std::vector<float>{1, 1.5, 2.5});
  CHECK(y["c"].to_vector<float>() == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(y["d"].shape() == Shape{3, 32});
  CHECK(y["e"].dtype() == DType::int64);
  CHECK(y["f"].to_vector<float>() == std::vector<float>{-0.5, 0, 1});
}

TEST_CASE("FeatureSpace is part of a model, and is saved with it and by itself") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string whole = (folder / "cornu_feature_space_model.keras").string(),
                    alone = (folder / "cornu_feature_space.keras").string();
  const FeatureSpace space = space_of_table();
  space->adapt(table());
  Functional model(space->get_inputs(),
                   layers::Dense({.units = 1})(space->get_encoded_features().tensor()));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(table(), ops::ones({4, 1}), {.verbose = Verbose::silent});
  const Tensor y = model.predict(table(), {.verbose = Verbose::silent});
  model.save(whole);
  const auto again = load_model(whole);
  CHECK(largest_difference(again->predict(table(), {.verbose = Verbose::silent}), y) < 1e-6);
  space->save(alone);
  const auto loaded = load_model<utils::FeatureSpaceModel>(alone);
  CHECK(largest_difference((*loaded)(table()).tensor(), space(table()).tensor()) == 0);
  std::filesystem::remove(whole);
  std::filesystem::remove(alone);
}

TEST_CASE("FeatureSpace says what does not fit") {
  CHECK_THROWS_AS(FeatureSpace({.output_mode = "dict"}), ValueError);
  CHECK_THROWS_AS(FeatureSpace({.features = {{"a", "float_normal"}}}), ValueError);
  CHECK_THROWS_AS(FeatureSpace({.features = {{"a", "float"}}, .output_mode = "list"}), ValueError);
  CHECK_THROWS_AS(
      FeatureSpace({.features = {{"a", "float"}}, .crosses = {FeatureSpace::cross({"a", "b"}, 4)}}),
      ValueError);
  const FeatureSpace numbers(
      {.features = {{"a", FeatureSpace::integer_hashed({.num_bins = 4, .output_mode = "int"})}}});
  const Tensor x = ops::ones({2}, DType::int32);
  CHECK_THROWS_AS(numbers({{"a", x}, {"b", x}}), ValueError);
  CHECK_THROWS_AS(numbers(Nest::dict({{"b", x}})), ValueError);
  const FeatureSpace floats(
      {.features = {
           {"a", FeatureSpace::feature("float32", layers::Normalization({.mean = 0, .variance = 1}),
                                       "one_hot")}}});
  CHECK_THROWS_AS(floats(Nest::dict({{"a", ops::ones({2})}})), ValueError);
}

}  // namespace feature_space_test
