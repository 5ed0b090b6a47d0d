// The contract of the layers that mix images, or choose from other layers.
#include <cornu/cornu.h>

#include <algorithm>
#include <cmath>

#include "../../catch.h"
#include "image_check.h"

namespace image_mixing_contract_test {

using namespace cornu;
using layers::Numbers;
using test::check_image_layer;
using test::equals;
using test::error_of;
using test::has;
using test::photos;

namespace {

const Call training{.training = true};

// Image i is i everywhere, and its label is the i-th unit vector.
Nest numbered(int64_t n) {
  const Tensor i = ops::cast(ops::arange(n), DType::float32);
  return Nest::dict({{"images", ops::broadcast_to(ops::reshape(i, {n, 1, 1, 1}), {n, 6, 8, 3})},
                     {"labels", ops::eye(n)}});
}

}  // namespace

TEST_CASE("MixUp keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::MixUp({.alpha = 0.8, .data_format = format, .seed = seed}).shared();
      },
      {.single = false});
}

TEST_CASE("CutMix keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::CutMix({.seed = seed, .data_format = format}).shared();
      },
      {.single = false});
}

TEST_CASE("RandAugment keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandAugment({.seed = seed, .data_format = format}).shared();
      },
      {.either_layout = false, .compiled_margin = 2e-2});
}

TEST_CASE("AugMix stays in the range, and changes nothing outside of training") {
  const Tensor x = photos();
  layers::AugMix layer({.seed = 3});
  CHECK(test::identical(layer(x, {.training = false}), x));
  for (int i = 0; i < 4; ++i) {
    const Tensor y = layer(x, training);
    CHECK(y.shape() == x.shape());
    CHECK(ops::min(y).item() >= 0);
    CHECK(ops::max(y).item() <= 255);
  }
  CHECK(layer(photos(1)[0], training).shape() == Shape{6, 8, 3});
  test::remade<Layer>(*layer);
  CHECK(has(error_of([] { layers::AugMix({.chain_depth = 0}); }), "chain_depth"));
}

TEST_CASE("MixUp mixes labels in the shares in which it mixes images") {
  layers::MixUp mix({.alpha = 1.0, .seed = 5});
  const Nest y = mix(numbered(5), training);
  const Tensor labels = y["labels"].tensor(), images = y["images"].tensor();
  const Tensor numbers = ops::arange(5, DType::float32);
  for (int64_t i = 0; i < 5; ++i) {
    INFO("image " << i);
    CHECK(ops::sum(labels[i]).item() == Approx(1));
    // All pixels of an image are the mean of the numbers by the labels.
    const double expected = ops::sum(labels[i] * numbers).item();
    CHECK(ops::min(images[i]).item() == Approx(expected).margin(1e-5));
    CHECK(ops::max(images[i]).item() == Approx(expected).margin(1e-5));
  }
}

TEST_CASE("CutMix mixes labels by the areas of the images") {
  const double by_whole_pixels = 1.0 / 6 + 1.0 / 8;  // a row and a column of the rectangle
  layers::CutMix mix({.seed = 11});
  const Nest y = mix(numbered(6), training);
  const Tensor labels = y["labels"].tensor(), images = y["images"].tensor();
  for (int64_t i = 0; i < 6; ++i) {
    INFO("image " << i);
    const auto share = labels[i].to_vector<double>();
    const auto pixels = images[i].to_vector<double>();
    for (int64_t from = 0; from < 6; ++from) {
      const double area =
          static_cast<double>(std::count(pixels.begin(), pixels.end(), static_cast<double>(from))) /
          static_cast<double>(pixels.size());
      CHECK(area == Approx(share[static_cast<size_t>(from)]).margin(by_whole_pixels));
    }
  }
}

TEST_CASE("a Pipeline is its layers one after the other") {
  const auto flip = [] { return layers::RandomFlip({.seed = 1}); };
  const auto brightness = [] { return layers::RandomBrightness({.factor = 0.3, .seed = 2}); };
  layers::Pipeline pipeline({.layers = {flip(), brightness()}});
  const Tensor x = photos();
  CHECK(test::identical(pipeline(x, training), brightness()(flip()(x, training), training)));
  CHECK(test::identical(pipeline(x, {.training = false}), x));
  const auto copy = test::remade<Layer>(*pipeline);
  layers::Pipeline fresh({.layers = {flip(), brightness()}});
  CHECK(test::identical((*copy)(x, training), fresh(x, training)));
  CHECK_THROWS_AS(layers::Pipeline({.layers = {}}), ValueError);
}

TEST_CASE("a Pipeline in a model is saved with its layers and runs compiled") {
  const auto make = [] {
    return layers::Pipeline({.layers = {layers::Resizing({.height = 3, .width = 4}),
                                        layers::Rescaling({.scale = 1.0 / 255})}});
  };
  Sequential model({Input({6, 8, 3}), make(), layers::Flatten(), layers::Dense({.units = 2})});
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const Tensor x = photos(4);
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(test::identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
  CHECK(model.predict(x, quiet).tensor().shape() == Shape{4, 2});
}

TEST_CASE("augmentation before a model changes what fit sees, not what predict sees") {
  const auto make = [](bool augmented) {
    auto model = std::make_shared<Sequential>();
    model->add(Input({6, 8, 3}));
    if (augmented) model->add(layers::RandomBrightness({.factor = 0.9, .seed = 4}));
    model->add(layers::Rescaling({.scale = 1.0 / 255}));
    model->add(layers::Flatten());
    model->add(layers::Dense({.units = 1, .kernel_initializer = "zeros"}));
    model->compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"});
    return model;
  };
  const auto plain = make(false), augmented = make(true);
  const Tensor x = photos(8), y = ops::ones({8, 1});
  const FitOptions once{.verbose = Verbose::silent, .shuffle = false};
  plain->fit(x, y, once);
  augmented->fit(x, y, once);
  CHECK(!test::identical(plain->get_weights()[0], augmented->get_weights()[0]));
  augmented->set_weights(plain->get_weights());
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(test::difference(augmented->predict(x, quiet).tensor(), plain->predict(x, quiet).tensor()) <
        1e-6);
}

TEST_CASE("mixing layers say which option is wrong") {
  CHECK(has(error_of([] { layers::CutMix({.factor = 1.5}); }), "1.5"));
  CHECK(has(error_of([] { layers::RandAugment({.factor = 2.0}); }), "factor"));
  CHECK(has(error_of([] { layers::AugMix({.factor = -0.5}); }), "factor"));
}

}  // namespace image_mixing_contract_test
