// CategoryEncoding, Discretization and Normalization.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/data/dataset.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/tabular/category_encoding.h>
#include <cornu/layers/tabular/discretization.h>
#include <cornu/layers/tabular/normalization.h>

#include "../../catch.h"

namespace encoding_test {

using namespace cornu;
using namespace cornu::layers;
using Floats = std::vector<float>;

TEST_CASE("categories are encoded") {
  const Tensor x = Tensor::from({0, 2, 2, 1}, {2, 2});
  CHECK(layers::CategoryEncoding({.num_tokens = 3})(x).to_vector<float>() ==
        Floats{1, 0, 1, 0, 1, 1});
  layers::CategoryEncoding count({.num_tokens = 3, .output_mode = "count"});
  CHECK(count(Tensor::from({2, 2, 0}, {1, 3})).to_vector<float>() == Floats{1, 0, 2});
  const Tensor weights = Tensor::from({0.5f, 1.0f, 2.0f}, {1, 3});
  const Tensor weighted =
      count(Tensor::from({2, 2, 0}, {1, 3}), Call{.extra = {{"count_weights", weights}}});
  CHECK(weighted.to_vector<float>() == Floats{2, 0, 1.5f});
  CHECK_THROWS_AS(layers::CategoryEncoding({.num_tokens = 3, .output_mode = "coutn"}), ValueError);
}

TEST_CASE("encoded categories have the dtype of the weights") {
  const layers::CategoryEncoding half(
      {.num_tokens = 3, .output_mode = "one_hot", .dtype = DTypePolicy("mixed_float16")});
  CHECK(half(Tensor::from({1}, {1})).dtype() == DType::float32);
}

TEST_CASE("numbers fall into bins") {
  const Tensor x = Tensor::from({-1.0f, 0.0f, 0.5f, 7.0f}, {4});
  layers::Discretization given({.bin_boundaries = std::vector<double>{0, 1}});
  CHECK(given(x).to_vector<int32_t>() == std::vector<int32_t>{0, 1, 1, 2});
  layers::Discretization found({.num_bins = 4});
  CHECK_THROWS_AS(found(x), StateError);
  std::vector<float> data;
  for (int i = 1; i <= 100; ++i) data.push_back(static_cast<float>(i));
  found->adapt(Tensor(data));
  CHECK(found->bin_boundaries() == std::vector<double>{25, 50, 75});
  CHECK_THROWS_AS(given->adapt(x), StateError);
}

TEST_CASE("data get mean 0 and variance 1") {
  const Tensor x = Tensor::from({1.0f, 10.0f, 3.0f, 30.0f}, {2, 2});
  layers::Normalization adapted;
  adapted->adapt(x);
  CHECK(adapted->mean.value().to_vector<float>() == Floats{2, 20});
  CHECK(adapted(x).to_vector<float>() == Floats{-1, -1, 1, 1});
  layers::Normalization given({.mean = 2.0, .variance = 4.0, .invert = true});
  CHECK(given(Tensor::from({1.0f, -1.0f}, {1, 2})).to_vector<float>() == Floats{4, 0});
  CHECK_THROWS_AS(layers::Normalization({.mean = 2.0}), ValueError);
}

TEST_CASE("statistics known beforehand are numbers or nested lists in braces") {
  const Tensor x = Tensor::from({1.0f, 10.0f, 3.0f, 30.0f}, {2, 2});
  const layers::Normalization columns({.mean = {1., 2.}, .variance = {4., 1.}});
  CHECK(columns(x).to_vector<float>() == Floats{0, 8, 1, 28});
  CHECK(layers::Normalization::from_config(columns->get_config())(x).to_vector<float>() ==
        Floats{0, 8, 1, 28});
  const layers::Normalization each(
      {.axis = {1, 2}, .mean = {{1, 2}, {3, 4}}, .variance = {{1, 4}, {16, 9}}});
  CHECK(each(ops::ones({1, 2, 2})).to_vector<float>() == Floats{0, -0.5, -0.5, -1});
  const layers::Normalization one({.mean = {1.}, .variance = {4.}});
  CHECK(one(x).to_vector<float>() == Floats{0, 4.5, 1, 14.5});
  layers::Normalization adapted;
  adapted->adapt({{1, 10}, {3, 30}});
  CHECK(adapted->mean.value().to_vector<float>() == Floats{2, 20});
}

TEST_CASE("data of mean 0 keep their mask") {
  const layers::Normalization layer({.axis = {}, .mean = 0.5, .variance = 4.0});
  Tensor x = ops::ones({2, 3, 1});
  x.set_mask(ops::ones({2, 3}, DType::boolean));
  CHECK(layer(x).mask());
}

TEST_CASE("Normalization and Discretization learn from datasets") {
  TensorDataset rows(Tensor::from<float>({1, 2, 3, 4, 5, 9}, {3, 2}), {}, {}, {.batch_size = 2});
  Normalization normal;
  normal->adapt(rows);
  CHECK(normal->mean.value().to_vector<float>() == std::vector<float>{3, 5});
  CHECK(normal->variance.value().to_vector<double>()[1] == Approx(8.666666984558105));
  std::vector<float> squares;
  for (int i = 0; i < 20; ++i) squares.push_back(static_cast<float>(i * i));
  TensorDataset numbers(Tensor(squares), {}, {}, {.batch_size = 7});
  Discretization bins({.num_bins = 3, .epsilon = 0.1});
  bins->adapt(numbers);
  CHECK(bins->bin_boundaries()[0] == Approx(33.57142639160156));
  CHECK(bins->bin_boundaries()[1] == Approx(153.22860717773438));
}

}  // namespace encoding_test
