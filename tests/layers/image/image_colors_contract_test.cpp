// The contract of the layers that change the colors of images, and their formulas.
#include <cornu/cornu.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../../catch.h"
#include "image_check.h"

namespace image_colors_contract_test {

using namespace cornu;
using layers::Numbers;
using test::check_image_layer;
using test::equals;
using test::error_of;
using test::has;
using test::photos;

namespace {

// Factors whose range is one point: nothing is left to chance.
Numbers just(double f) { return std::vector<double>{f, f}; }

std::vector<int64_t> bits(int64_t least, int64_t most) { return {least, most}; }

Tensor pixel(double r, double g, double b) { return Tensor::from({r, g, b}, {1, 1, 1, 3}); }

}  // namespace

TEST_CASE("RandomBrightness keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomBrightness({.factor = 0.4, .seed = seed, .data_format = format}).shared();
  });
}

TEST_CASE("RandomContrast keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomContrast({.factor = 0.6, .seed = seed, .data_format = format})
            .shared();
      },
      {.either_layout = false});
}

TEST_CASE("RandomSaturation keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomSaturation(
                   {.factor = Numbers{0.1, 0.9}, .data_format = format, .seed = seed})
            .shared();
      },
      {.either_layout = false, .low = 0, .high = 0});
}

TEST_CASE("RandomHue keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomHue({.factor = 0.5, .data_format = format, .seed = seed}).shared();
      },
      {.either_layout = false, .compiled_margin = 1e-3});
}

TEST_CASE("RandomInvert keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomInvert({.factor = 0.5, .seed = seed, .data_format = format}).shared();
  });
}

TEST_CASE("RandomGrayscale keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomGrayscale({.factor = 0.5, .data_format = format, .seed = seed}).shared();
  });
}

TEST_CASE("RandomPosterization keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomPosterization({.factor = bits(1, 8), .data_format = format, .seed = seed})
        .shared();
  });
}

TEST_CASE("RandomSharpness keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomSharpness({.factor = 0.8, .data_format = format, .seed = seed}).shared();
  });
}

TEST_CASE("RandomColorDegeneration keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomColorDegeneration({.factor = 0.8, .data_format = format, .seed = seed})
        .shared();
  });
}

TEST_CASE("RandomColorJitter keeps the contract of layers on images") {
  check_image_layer(
      [](int64_t seed, const std::string& format) {
        return layers::RandomColorJitter({.brightness_factor = 0.3,
                                          .contrast_factor = 0.3,
                                          .saturation_factor = 0.3,
                                          .hue_factor = 0.3,
                                          .seed = seed,
                                          .data_format = format})
            .shared();
      },
      {.either_layout = false, .compiled_margin = 1e-3});
}

TEST_CASE("RandomGaussianBlur keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::RandomGaussianBlur(
               {.kernel_size = 3, .sigma = 0.9, .data_format = format, .seed = seed})
        .shared();
  });
}

TEST_CASE("Solarization keeps the contract of layers on images") {
  check_image_layer([](int64_t seed, const std::string& format) {
    return layers::Solarization({.addition_factor = 0.5,
                                 .threshold_factor = 0.5,
                                 .seed = seed,
                                 .data_format = format})
        .shared();
  });
}

TEST_CASE("layers that follow from the image's own colors keep the contract") {
  check_image_layer(
      [](int64_t, const std::string& format) {
        return layers::AutoContrast({.data_format = format}).shared();
      },
      {.draws = false, .only_in_training = false, .either_layout = false});
  check_image_layer(
      [](int64_t, const std::string& format) {
        return layers::Equalization({.data_format = format}).shared();
      },
      {.draws = false});
  check_image_layer(
      [](int64_t, const std::string& format) {
        return layers::ContrastLimitedAdaptiveHistogramEqualization(
                   {.tile_grid_size = {2, 2}, .data_format = format})
            .shared();
      },
      {.draws = false, .only_in_training = false});
}

TEST_CASE("brightness adds a fraction of the range and stays in it") {
  layers::RandomBrightness brighter({.factor = just(0.5)});
  CHECK(equals(brighter(pixel(10, 200, 0), {.training = true}), {137.5, 255, 127.5}));
  layers::RandomBrightness unit({.factor = just(-0.25), .value_range = {0, 1}});
  CHECK(equals(unit(pixel(0.5, 0.1, 1), {.training = true}), {0.25, 0, 0.75}));
}

TEST_CASE("inverting takes values from the top of the range") {
  layers::RandomInvert always({.factor = just(1)});
  CHECK(equals(always(pixel(10, 200, 0), {.training = true}), {245, 55, 255}));
  layers::RandomInvert never({.factor = just(0)});
  CHECK(equals(never(pixel(10, 200, 0), {.training = true}), {10, 200, 0}));
}

TEST_CASE("gray images have the luminance of ITU-R 601 in every channel") {
  layers::RandomGrayscale always({.factor = 1});
  const double y = 0.2989 * 10 + 0.587 * 200 + 0.114 * 40;
  CHECK(equals(always(pixel(10, 200, 40), {.training = true}), {y, y, y}, 1e-3));
  layers::RandomGrayscale never({.factor = 0});
  CHECK(equals(never(pixel(10, 200, 40), {.training = true}), {10, 200, 40}));
}

TEST_CASE("posterization keeps the first bits") {
  for (int64_t kept = 1; kept <= 7; ++kept) {
    INFO("bits " << kept);
    layers::RandomPosterization layer({.factor = bits(kept, kept)});
    const int mask = 0xFF & ~((1 << (8 - kept)) - 1);
    CHECK(equals(layer(pixel(201, 77, 255), {.training = true}),
                 {double(201 & mask), double(77 & mask), double(255 & mask)}));
  }
}

TEST_CASE("solarization inverts what is not below the threshold, after an addition") {
  const auto zero = just(0);
  layers::Solarization all({.addition_factor = zero, .threshold_factor = zero});
  CHECK(equals(all(pixel(10, 200, 100), {.training = true}), {245, 55, 155}));
  layers::Solarization unit(
      {.addition_factor = zero, .threshold_factor = zero, .value_range = {0, 1}});
  CHECK(equals(unit(pixel(0.25, 1, 0), {.training = true}), {0.75, 0, 1}));
  // Below any threshold that may be drawn, or above all: one of the two.
  layers::Solarization some({.threshold_factor = 0.5, .seed = 3});
  for (int i = 0; i < 10; ++i) {
    const auto y = some(pixel(0, 200, 60), {.training = true}).to_vector<double>();
    CHECK(y[1] == Approx(55));
    CHECK((y[2] == Approx(60) || y[2] == Approx(195)));
  }
}

TEST_CASE("auto contrast stretches each channel of each image over the range") {
  const Tensor x = photos();
  const Tensor y = layers::AutoContrast()(x);
  const auto lowest = ops::min(y, {1, 2}).to_vector<double>();
  const auto highest = ops::max(y, {1, 2}).to_vector<double>();
  for (double v : lowest) CHECK(v == Approx(0).margin(1e-3));
  for (double v : highest) CHECK(v == Approx(255));
  const Tensor flat = ops::full({1, 2, 2, 3}, 77.0);
  CHECK(test::difference(layers::AutoContrast()(flat), flat) < 1e-6);
}

TEST_CASE("equalization keeps order and spreads values") {
  const Tensor x =
      Tensor::from({10.0f, 10.0f, 20.0f, 20.0f, 30.0f, 30.0f, 40.0f, 40.0f}, {1, 2, 4, 1});
  const auto y = layers::Equalization()(x, {.training = true}).to_vector<double>();
  CHECK(std::is_sorted(y.begin(), y.end()));
  CHECK(y.front() == Approx(0).margin(1e-3));
  CHECK(y.back() == Approx(255));
  CHECK(std::set<double>(y.begin(), y.end()).size() == 4);
}

TEST_CASE("a factor of nothing changes nothing") {
  const Tensor x = photos();
  const Call training{.training = true};
  CHECK(test::difference(layers::RandomBrightness({.factor = 0.0})(x, training), x) < 1e-6);
  CHECK(test::difference(layers::RandomGaussianBlur({.factor = 0.0})(x, training), x) < 1e-6);
  CHECK(test::difference(layers::RandomColorJitter()(x, training), x) < 1e-6);
  CHECK(test::difference(layers::RandomHue({.factor = 0.0})(x, training), x) < 1e-4);
}

TEST_CASE("blurring keeps the sum of an image far from its edges") {
  std::vector<float> values(9 * 9, 0);
  values[40] = 100;
  layers::RandomGaussianBlur blur({.factor = just(1), .kernel_size = 3, .sigma = just(1)});
  const Tensor y = blur(Tensor::from(values, {1, 9, 9, 1}), {.training = true});
  CHECK(ops::sum(y).item() == Approx(100).epsilon(1e-4));
  CHECK(ops::max(y).item() < 100);
  // exp(-1/2) beside the middle, exp(-1) at the corners.
  const double middle = y[0][4][4].item(), beside = y[0][4][3].item(), corner = y[0][3][3].item();
  CHECK(beside / middle == Approx(std::exp(-0.5)).epsilon(1e-4));
  CHECK(corner / middle == Approx(std::exp(-1.0)).epsilon(1e-4));
}

TEST_CASE("each image of a batch has a draw of its own") {
  const Tensor same = ops::broadcast_to(photos(1), {16, 6, 8, 3});
  layers::RandomBrightness layer({.factor = 0.5, .seed = 3});
  const Tensor y = layer(same, {.training = true});
  std::set<double> means;
  for (double m : ops::mean(y, {1, 2, 3}).to_vector<double>()) means.insert(m);
  CHECK(means.size() > 8);
}

TEST_CASE("mixed precision computes colors in 16 bits") {
  for (const char* policy : {"mixed_float16", "mixed_bfloat16", "float64"}) {
    INFO(policy);
    layers::RandomBrightness layer({.factor = 0.3, .seed = 1, .dtype = policy});
    const Tensor y = layer(photos(), {.training = true});
    CHECK(y.dtype() == DTypePolicy(policy).compute_dtype());
  }
}

TEST_CASE("color layers say which option is wrong") {
  CHECK(has(error_of([] { layers::RandomBrightness({.factor = 1.5}); }), "1.5"));
  CHECK(has(error_of([] { layers::RandomContrast({.factor = 2.0}); }), "factor"));
  CHECK(has(error_of([] {
              layers::RandomBrightness({.factor = 0.1, .value_range = {0, 1, 2}});
            }),
            "value_range"));
  CHECK_THROWS_AS(layers::RandomGrayscale({.factor = 1.5}), ValueError);
}

TEST_CASE("factors are a number, or bounds in braces") {
  using Bounds = std::vector<double>;
  CHECK(layers::RandomContrast({.factor = {0.1, 0.3}})->config.factor->values() ==
        Bounds{0.1, 0.3});
  CHECK(layers::RandomContrast({.factor = {0.3}})->config.factor->values() ==
        layers::RandomContrast({.factor = 0.3})->config.factor->values());
  CHECK(layers::RandomRotation({.factor = {-0.1, 0.3}})->config.factor->values() ==
        Bounds{-0.1, 0.3});
  const layers::RandomZoom zoom({.height_factor = {-0.2, 0.3}});
  CHECK(zoom->config.height_factor->values() == Bounds{-0.2, 0.3});
  CHECK(*layers::RandomPosterization({.factor = 4})->config.factor == std::vector<int64_t>{1, 4});
  CHECK(*layers::RandomPosterization({.factor = {2, 4}})->config.factor ==
        std::vector<int64_t>{2, 4});
}

}  // namespace image_colors_contract_test
