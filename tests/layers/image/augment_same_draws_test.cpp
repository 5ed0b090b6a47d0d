// Samples get the numbers that the layers give batches for the same draws, where a factor cannot be
// pinned: the test draws what `augment` draws, and gives it to the layer's transformation of
// batches, which other tests compare with Keras's.
#include <cornu/cornu.h>
#include <cornu/layers/image/sample_changes.h>

#include <algorithm>
#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"

namespace augment_same_draws_test {

using namespace cornu;

namespace {

constexpr int64_t height = 22, width = 31;

// Noise, so that a wrong place shows, in whole gray levels.
Tensor noise_image() {
  data::Random random = data::Place{.seed = 21}.random();
  std::vector<float> values(static_cast<size_t>(height * width * 3));
  for (float& v : values) v = static_cast<float>(random.below(256));
  return Tensor::from(values, {height, width, 3});
}

// Waves, for changes that are computed in other orders of rounding, where a tiny step must not
// tell.
Tensor smooth_image() {
  std::vector<float> values;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < 3; ++c)
        values.push_back(static_cast<float>(std::nearbyint(
            127 + 90 * std::sin(0.31 * static_cast<double>(x) + static_cast<double>(c)) *
                      std::cos(0.27 * static_cast<double>(y)))));
  return Tensor::from(values, {height, width, 3});
}

double largest_difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const auto x = ops::cast(a, DType::float64).to_vector<double>(),
             y = ops::cast(b, DType::float64).to_vector<double>();
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

using Batched = std::function<layers::Transformation(data::Random&)>;

// The layer on a sample at many places, against its transformation of a batch by the same draws.
template <class L>
void check_same(const L& layer, const Tensor& image, const Batched& drawn, double tolerance,
                double of_bytes = 0.55) {
  const data::Augment augment = data::augment({layer});
  const Tensor batch = ops::expand_dims(image, {0});
  double moved = 0;
  for (int64_t i = 0; i < 25; ++i) {
    const data::Place place{.seed = 4, .epoch = 1, .index = i};
    data::Random random = place.random(0);
    const layers::Transformation transformation = drawn(random);
    const Tensor expected = layer->transform_images(batch, transformation, true)[0];
    INFO("draw " << i);
    CHECK(largest_difference(augment({.image = image}, place).image, expected) <= tolerance);
    const Tensor bytes = augment({.image = ops::cast(image, DType::uint8)}, place).image;
    CHECK(bytes.dtype() == DType::uint8);
    CHECK(largest_difference(bytes, ops::clip(expected, 0, 255)) <= of_bytes);
    moved = std::max(moved, largest_difference(expected, image));
  }
  CHECK(moved > 5);
}

Tensor of(double value, const Shape& shape) {
  return Tensor::from(
      std::vector<float>(static_cast<size_t>(shape.numel()), static_cast<float>(value)), shape);
}

}  // namespace

TEST_CASE("A sample's contrast is that of a batch with the same factor") {
  check_same(
      layers::RandomContrast({.factor = std::vector<double>{0.6, 0.6}}), noise_image(),
      [](data::Random& random) {
        return layers::Transformation{
            .values = {{"contrast_factor", of(random.uniform(0.4, 1.6), {1, 1, 1, 1})}}};
      },
      1e-3);
}

TEST_CASE("A sample is solarized as a batch with the same numbers") {
  check_same(
      layers::Solarization({.addition_factor = 0.3, .threshold_factor = {0.2, 0.9}}), noise_image(),
      [](data::Random& random) {
        const double addition = random.uniform(0, 0.3 * 255),
                     threshold = random.uniform(0.2, 0.9 * 255);
        return layers::Transformation{.values = {{"additions", of(addition, {1, 1, 1, 1})},
                                                 {"thresholds", of(threshold, {1, 1, 1, 1})}}};
      },
      1e-3);
}

TEST_CASE("A sample is sheared as a batch with the same factors") {
  const std::string fill = GENERATE("reflect", "nearest", "wrap", "constant");
  const std::string interpolation = GENERATE("nearest", "bilinear");
  INFO(fill << ", " << interpolation);
  // A place on the edge between two pixels may fall to either of them by rounding.
  check_same(
      layers::RandomShear({.x_factor = 0.4,
                           .y_factor = 0.3,
                           .interpolation = interpolation,
                           .fill_mode = fill,
                           .fill_value = 11}),
      interpolation == "nearest" ? noise_image() : smooth_image(),
      [](data::Random& random) {
        const double sign = random.happens(0.5) ? -1 : 1;
        const double y = sign * random.uniform(-0.3, 0.3), x = sign * random.uniform(-0.4, 0.4);
        return layers::Transformation{
            .values = {{"shear_factor",
                        Tensor::from({static_cast<float>(x), static_cast<float>(y)}, {1, 2})}},
            .input_shape = {1, height, width, 3}};
      },
      0.02);
}

TEST_CASE("A sample is seen in the perspective of a batch with the same corners") {
  const std::string interpolation = GENERATE("nearest", "bilinear");
  INFO(interpolation);
  check_same(
      layers::RandomPerspective({.factor = 1.0, .scale = 0.5, .interpolation = interpolation}),
      interpolation == "nearest" ? noise_image() : smooth_image(),
      [](data::Random& random) {
        const double probability = random.uniform(0, 1);
        const bool applied = random.happens(probability);
        std::vector<float> start, end;
        for (size_t i = 0; i < 4 && applied; ++i)
          for (size_t axis = 0; axis < 2; ++axis) {
            const bool far = axis == 0 ? i % 2 == 1 : i >= 2;
            const double side = far ? static_cast<double>((axis == 0 ? width : height) - 1) : 0;
            start.push_back(static_cast<float>(side));
            end.push_back(static_cast<float>(side * (1 + random.uniform(-0.5, 0.5) * 0.5)));
          }
        if (!applied) start = end = {0, 0, width - 1, 0, 0, height - 1, width - 1, height - 1};
        return layers::Transformation{
            .values = {{"apply_perspective",
                        ops::cast(Tensor(std::vector<uint8_t>{applied}), DType::boolean)},
                       {"start_points", Tensor::from(start, {1, 4, 2})},
                       {"end_points", Tensor::from(end, {1, 4, 2})}},
            .input_shape = {1, height, width, 3}};
      },
      0.05);
}

TEST_CASE("A rectangle of a sample is erased as that of a batch with the same draws") {
  const double value = GENERATE(0.0, 77.0);
  check_same(
      layers::RandomErasing({.factor = 1.0, .scale = {0.1, 0.5}, .fill_value = value}),
      noise_image(),
      [&](data::Random& random) {
        const double probability = random.uniform(0, 1);
        const bool applied = random.happens(probability);
        std::vector<bool> mask(static_cast<size_t>(height * width), false);
        if (applied) {
          const double across = std::sqrt(random.uniform(0.1, 0.5)),
                       down = std::sqrt(random.uniform(0.1, 0.5));
          const auto along = [&](int64_t side, double share) {
            const double length = share * static_cast<double>(side);
            const double start = random.uniform() * (static_cast<double>(side) - length);
            return std::pair(start, start + length);
          };
          const auto [left, right] = along(width, across);
          const auto [top, bottom] = along(height, down);
          for (int64_t y = 0; y < height; ++y)
            for (int64_t x = 0; x < width; ++x) {
              const auto px = static_cast<double>(x), py = static_cast<double>(y);
              mask[static_cast<size_t>(y * width + x)] =
                  px >= left && px < right && py >= top && py < bottom;
            }
        }
        std::vector<uint8_t> bytes(mask.begin(), mask.end());
        return layers::Transformation{
            .values = {{"apply_erasing",
                        ops::cast(Tensor(std::vector<uint8_t>{applied}), DType::boolean)},
                       {"batch_masks",
                        ops::cast(Tensor::from(bytes, {1, height, width, 1}), DType::boolean)},
                       {"fill_value", Tensor(value)}},
            .input_shape = {1, height, width, 3}};
      },
      0, 0);
}

TEST_CASE("A sample is distorted by a field as a batch is, for the same noise") {
  // The noise itself has other keys in batches: both smooth it by the same bell, so the test takes
  // the field that a sample gets and lets ops::map_coordinates take the pixels.
  const std::string fill = GENERATE("reflect", "nearest", "wrap", "constant", "mirror");
  const bool linear = GENERATE(true, false);
  INFO(fill << (linear ? ", bilinear" : ", nearest"));
  constexpr double scale = 0.8;
  const double alpha = 0.1 * scale * width, sigma = 0.05 * scale * height;
  const layers::RandomElasticTransform layer({.factor = std::vector<double>{1, 1},
                                              .scale = std::vector<double>{scale, scale},
                                              .interpolation = linear ? "bilinear" : "nearest",
                                              .fill_mode = fill,
                                              .fill_value = 5});
  const Tensor image = linear ? smooth_image() : noise_image();
  for (int64_t i = 0; i < 10; ++i) {
    const data::Place place{.seed = 4, .index = i};
    data::Random random = place.random(0);
    random.happens(random.uniform(1, 1));
    random.uniform(scale, scale);
    const std::vector<float> field =
        layers::smooth_field(height, width, alpha, sigma, random.key());
    std::vector<float> rows, columns;
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        const size_t at = static_cast<size_t>(2 * (y * width + x));
        columns.push_back(static_cast<float>(x) + field[at]);
        rows.push_back(static_cast<float>(y) + field[at + 1]);
      }
    const Tensor places = ops::stack(
        {Tensor::from(rows, {height, width}), Tensor::from(columns, {height, width})}, 0);
    std::vector<Tensor> channels;
    for (const Tensor& channel : ops::split(image, 3, -1))
      channels.push_back(
          ops::map_coordinates(ops::squeeze(channel, -1), places, linear ? 1 : 0, fill, 5));
    const Tensor expected = ops::clip(ops::stack(channels, -1), 0, 255);
    CHECK(largest_difference(data::augment({layer})({.image = image}, place).image, expected) <=
          0.02);
    CHECK(largest_difference(expected, image) > 5);
  }
}

}  // namespace augment_same_draws_test
