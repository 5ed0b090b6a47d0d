// Preprocessing: numbers and images made ready for models.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/image/auto_contrast.h>
#include <cornu/layers/image/center_crop.h>
#include <cornu/layers/image/equalization.h>
#include <cornu/layers/image/random_brightness.h>
#include <cornu/layers/image/random_contrast.h>
#include <cornu/layers/image/random_flip.h>
#include <cornu/layers/image/random_grayscale.h>
#include <cornu/layers/image/random_invert.h>
#include <cornu/layers/image/resizing.h>
#include <cornu/layers/tabular/category_encoding.h>
#include <cornu/layers/tabular/discretization.h>
#include <cornu/layers/tabular/normalization.h>

#include "../catch.h"

using namespace cornu;
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

TEST_CASE("data of mean 0 keep their mask") {
  const layers::Normalization layer({.axis = {}, .mean = 0.5, .variance = 4.0});
  Tensor x = ops::ones({2, 3, 1});
  x.set_mask(ops::ones({2, 3}, DType::boolean));
  CHECK(layer(x).mask());
}

TEST_CASE("images are cut and resized") {
  const Tensor x = ops::ones({2, 9, 11, 3});
  CHECK(layers::CenterCrop({.height = 5, .width = 7})(x).shape() == Shape{2, 5, 7, 3});
  CHECK(layers::CenterCrop({.height = 15, .width = 10})(x).shape() == Shape{2, 15, 10, 3});
  CHECK(layers::Resizing({.height = 4, .width = 20})(x).shape() == Shape{2, 4, 20, 3});
  CHECK(layers::Resizing({.height = 4, .width = 20})
            .shared()
            ->compute_output_shape({-1, 9, 11, 3})[1] == 4);
}

TEST_CASE("images change at random in training only") {
  const Tensor x = ops::reshape(ops::arange(0, 96, 1, DType::float32), {2, 4, 4, 3});
  const Call training{.training = true}, inference{.training = false};
  const auto check = [&](auto layer) {
    CHECK(layer(x, training).shape() == x.shape());
    CHECK(ops::all_close(layer(x, inference), x));
  };
  check(layers::RandomFlip({.seed = 1}));
  check(layers::RandomBrightness({.factor = std::vector<double>{0.2}, .seed = 1}));
  check(layers::RandomContrast({.factor = std::vector<double>{0.2}, .seed = 1}));
  check(layers::RandomGrayscale({.seed = 1}));
  check(layers::RandomInvert({.seed = 1}));
  check(layers::Equalization());
  const Tensor brighter =
      layers::RandomBrightness({.factor = std::vector<double>{0.5, 0.5}, .seed = 1})(x, training);
  CHECK(brighter.to_vector<float>()[0] == 127.5f);
  const Tensor negative = layers::RandomInvert({.factor = {1, 1}, .seed = 1})(x, training);
  CHECK(negative.to_vector<float>()[0] == 255);
  CHECK_THROWS_AS(layers::RandomFlip({.mode = "sideways"}), ValueError);
}

TEST_CASE("contrast is stretched") {
  const Tensor x = Tensor::from({10.0f, 20.0f, 30.0f, 60.0f}, {1, 2, 2, 1});
  CHECK(layers::AutoContrast()(x).to_vector<float>() == Floats{0, 51, 102, 255});
  const Tensor flat = ops::full({1, 2, 2, 1}, 7.0);
  CHECK(ops::all_close(layers::AutoContrast()(flat), flat));
}
