// pad_sequences, to_categorical, normalize, split_dataset and windows of series, beside Keras's.
#include <catch.h>
#include <cornu/framework/data/sequences.h>
#include <cornu/framework/data/split_dataset.h>

#include <numeric>

#include "../../support/reader_goldens.h"
#include "../../support/temporary.h"

namespace sequences_test {

using namespace cornu;
using test::contains;

namespace {

// Rows of a tensor of rank 2.
std::vector<std::vector<double>> rows(const Tensor& x) {
  const std::vector<double> values = x.to_vector<double>();
  std::vector<std::vector<double>> result;
  for (int64_t i = 0; i < x.shape(0); ++i)
    result.emplace_back(values.begin() + i * x.shape(1), values.begin() + (i + 1) * x.shape(1));
  return result;
}

Tensor counting(int64_t n) {
  std::vector<int64_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), int64_t{0});
  return Tensor::from(values, {n});
}

utils::SplitSize size_of_json(const nlohmann::json& options, const char* key) {
  if (!options.contains(key)) return std::nullopt;
  if (options[key].is_number_integer()) return options[key].get<int64_t>();
  return options[key].get<double>();
}

}  // namespace

TEST_CASE("pad_sequences") {
  const std::vector<std::vector<int64_t>> sequences = {{1}, {2, 3, 4}, {}, {5, 6, 7, 8, 9}};
  for (const auto& golden : test::reader_goldens()["padded"]) {
    const auto& o = golden["options"];
    utils::PadOptions options;
    if (o.contains("maxlen")) options.maxlen = o["maxlen"].get<int64_t>();
    const std::string dtype = o.value("dtype", "int32");
    options.dtype = dtype == "float32" ? DType::float32
                    : dtype == "int64" ? DType::int64
                                       : DType::int32;
    options.padding = o.value("padding", "pre");
    options.truncating = o.value("truncating", "pre");
    options.value = o.value("value", 0.0);
    const Tensor padded = utils::pad_sequences(sequences, options);
    CAPTURE(o.dump());
    CHECK(padded.dtype() == options.dtype);
    CHECK(rows(padded) == golden["y"].get<std::vector<std::vector<double>>>());
  }
  const Tensor a = Tensor::from({1, 2, 3, 4}, {2, 2}), b = Tensor::from({5, 6}, {1, 2});
  const Tensor padded = utils::pad_sequences({a, b});
  CHECK(padded.shape() == Shape{2, 2, 2});
  CHECK(padded.to_vector<int>() == std::vector<int>{1, 2, 3, 4, 0, 0, 5, 6});
  CHECK_THROWS_WITH(utils::pad_sequences({a, Tensor::from({1}, {1})}), contains("sequence 1"));
  CHECK_THROWS_WITH(utils::pad_sequences(sequences, {.padding = "front"}), contains("'padding'"));
  CHECK_THROWS_WITH(utils::pad_sequences(sequences, {.maxlen = -1}), contains("'maxlen'"));
  CHECK(utils::pad_sequences(std::vector<Tensor>()).shape() == Shape{0, 0});
}

TEST_CASE("to_categorical and normalize") {
  const Tensor y = utils::to_categorical(Tensor::from({0, 2, 1}, {3, 1}));
  CHECK(y.shape() == Shape{3, 3});
  CHECK(y.to_vector<float>() == std::vector<float>{1, 0, 0, 0, 0, 1, 0, 1, 0});
  CHECK(utils::to_categorical(Tensor::from({1, 0}, {2}), 4).shape() == Shape{2, 4});
  CHECK(utils::to_categorical(Tensor::from({1, 0}, {2}), {.num_classes = 3}).shape() ==
        Shape{2, 3});
  const Tensor braces = utils::to_categorical({0, 2}, 3);
  CHECK(braces.shape() == Shape{2, 3});
  CHECK(braces.to_vector<float>() == std::vector<float>{1, 0, 0, 0, 0, 1});
  CHECK(utils::to_categorical({0, 2, 1}).shape() == Shape{3, 3});
  CHECK(utils::to_categorical({0, 1}, {.num_classes = 5}).shape() == Shape{2, 5});
  CHECK_THROWS_WITH(utils::to_categorical(Tensor::from({1, 4}, {2}), 4), contains("class 4"));
  CHECK_THROWS_WITH(utils::to_categorical(Tensor::from({-1}, {1})), contains("class -1"));
  const Tensor x = utils::normalize(Tensor::from({3.0f, 4.0f, 0.0f, 0.0f}, {2, 2}));
  const std::vector<float> values = x.to_vector<float>();
  CHECK(values[0] == Approx(0.6));
  CHECK(values[1] == Approx(0.8));
  CHECK(values[2] == 0);
  CHECK(utils::normalize(Tensor::from({3.0f, 1.0f}, {2, 1}), 0, 1).to_vector<float>()[0] ==
        Approx(0.75));
}

TEST_CASE("split_dataset gives Keras's parts") {
  for (const auto& golden : test::reader_goldens()["split"]) {
    const auto& o = golden["options"];
    utils::SplitOptions options;
    options.left_size = size_of_json(o, "left_size");
    options.right_size = size_of_json(o, "right_size");
    options.shuffle = o.value("shuffle", false);
    if (o.contains("seed")) options.seed = o["seed"].get<int64_t>();
    const auto [left, right] = utils::split_dataset(counting(11), options);
    CAPTURE(o.dump());
    CHECK(left.tensor().to_vector<int64_t>() == golden["left"].get<std::vector<int64_t>>());
    CHECK(right.tensor().to_vector<int64_t>() == golden["right"].get<std::vector<int64_t>>());
  }
  const auto [left, right] =
      utils::split_dataset({counting(4), counting(4)}, {.left_size = int64_t{1}});
  CHECK(right.list()[1].tensor().to_vector<int>() == std::vector<int>{1, 2, 3});
  // Of a vector of any type.
  struct Named {
    int64_t number;
  };
  const auto [named, others] = utils::split_dataset(std::vector<Named>{{1}, {2}, {3}},
                                                    {.left_size = 2, .shuffle = true, .seed = 3});
  CHECK(named.size() == 2);
  CHECK(named[0].number + named[1].number + others[0].number == 6);
  const auto refuse = [](const utils::SplitOptions& options, const std::string& text) {
    CHECK_THROWS_WITH(utils::split_dataset(counting(10), options), contains(text));
  };
  refuse({}, "is needed");
  refuse({.left_size = int64_t{10}}, "'left_size'");
  refuse({.right_size = 1.0}, "'right_size'");
  refuse({.left_size = 0.7, .right_size = 0.5}, "more than 1");
  refuse({.left_size = int64_t{7}, .right_size = int64_t{5}}, "7 and 5");
  refuse({.left_size = 0.01}, "0 and 10");
}

TEST_CASE("split_dataset splits pipelines and datasets") {
  const auto numbers = [](const data::Pipeline<Batch>& part) {
    std::vector<int> all;
    for (const Batch& batch : part)
      for (const int v : batch.x.tensor().to_vector<int>()) all.push_back(v);
    return all;
  };
  const utils::SplitOptions options{.left_size = 0.6, .shuffle = true, .seed = 3};
  const auto [a, b] = utils::split_dataset(counting(11), options);
  const auto expected = a.tensor().to_vector<int>(), rest = b.tensor().to_vector<int>();
  // Orders of later epochs mix nothing, since the parts are those of epoch 0.
  const auto pipeline = data::from(counting(11), counting(11)).batch(4);
  const auto [left, right] = utils::split_dataset(pipeline, options);
  CHECK(numbers(left) == expected);
  CHECK(numbers(right) == rest);
  CHECK(left.size() == 2);
  CHECK(left.begin()->y.tensor().shape() == Shape{4});
  const auto [one, other] = utils::split_dataset(data::from(counting(11)), options);
  CHECK(numbers(one) == expected);
  CHECK(one.size() == 7);
  CHECK(one.begin()->x.tensor().shape() == Shape{});
  CHECK(numbers(other) == rest);
  TensorDataset dataset(counting(11), {}, {}, {.batch_size = 3});
  const auto [first, second] = utils::split_dataset(dataset, options);
  CHECK(numbers(first) == expected);
  CHECK(numbers(second) == rest);
  CHECK(first.size() == 3);
  const auto [low, high] = utils::split_dataset(data::range(5), {.right_size = 2});
  CHECK(low.size() == 3);
  CHECK(*high.begin() == 3);
  CHECK_THROWS_WITH(utils::split_dataset(pipeline.repeat(), options), contains("have no end"));
  CHECK_THROWS_WITH(utils::split_dataset(pipeline.take(0), options), contains("no batches"));
}

TEST_CASE("windows of a series") {
  const Tensor data = counting(40);
  for (const auto& golden : test::reader_goldens()["series"]) {
    const auto& o = golden["options"];
    utils::TimeseriesOptions options;
    options.sequence_stride = o.value("sequence_stride", int64_t{1});
    options.sampling_rate = o.value("sampling_rate", int64_t{1});
    if (o.contains("start_index")) options.start_index = o["start_index"].get<int64_t>();
    if (o.contains("end_index")) options.end_index = o["end_index"].get<int64_t>();
    const int64_t length = o["sequence_length"];
    const auto starts =
        utils::timeseries_starts(40, golden["targets"].get<bool>() ? 40 : -1, length, options);
    std::vector<std::vector<double>> expected;
    for (const auto& batch : golden["x"])
      for (const auto& row : batch) expected.push_back(row.get<std::vector<double>>());
    CAPTURE(o.dump());
    CHECK(rows(utils::timeseries_windows(data, starts, length, options)) == expected);
  }
  CHECK(
      utils::timeseries_windows(Tensor::from(std::vector<float>(12), {4, 3}), {0, 1}, 2).shape() ==
      Shape{2, 2, 3});
  CHECK_THROWS_WITH(utils::timeseries_starts(10, -1, 3, {.sampling_rate = 10}),
                    contains("'sampling_rate'"));
  CHECK_THROWS_WITH(utils::timeseries_starts(10, -1, 3, {.end_index = 10}),
                    contains("'end_index'"));
  CHECK_THROWS_WITH(utils::timeseries_starts(10, -1, 3, {.start_index = 5, .end_index = 4}),
                    contains("'end_index'"));
  CHECK_THROWS_AS(utils::timeseries_starts(10, -1, 0), ValueError);
}

TEST_CASE("pad_sequences takes a dtype by name") {
  CHECK(utils::pad_sequences({{1, 2}, {3}}, {.dtype = "float32"}).spec() ==
        TensorSpec{{2, 2}, DType::float32});
}

}  // namespace sequences_test
