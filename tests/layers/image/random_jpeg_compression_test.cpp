// RandomJpegCompression: pixels as they come back from a JPEG file.
#include <cornu/cornu.h>
#include <cornu/framework/io/images/jpeg.h>

#include <algorithm>
#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"

namespace random_jpeg_compression_test {

using namespace cornu;

namespace {

constexpr int64_t height = 29, width = 37;

Tensor bytes_image(int64_t channels) {
  std::vector<uint8_t> values;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c)
        values.push_back(static_cast<uint8_t>(
            127 + 120 * std::sin(0.5 * static_cast<double>(x) + static_cast<double>(c)) *
                      std::cos(0.4 * static_cast<double>(y))));
  return Tensor::from(values, {height, width, channels});
}

Tensor through_jpeg(const Tensor& image, int quality) {
  const auto values = image.to_vector<uint8_t>();
  const io::Image pixels{height, width, image.shape()[2], values};
  const std::string file = io::encode_jpeg(pixels, {.quality = quality});
  const io::Image back = io::decode_jpeg(std::as_bytes(std::span(file)), "test");
  return Tensor::from(back.pixels, image.shape());
}

layers::RandomJpegCompression always(int64_t least, int64_t largest,
                                     std::vector<double> value_range = {0, 255}) {
  return layers::RandomJpegCompression({.factor = std::vector<double>{1, 1},
                                        .quality = {least, largest},
                                        .value_range = value_range});
}

double largest_difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const auto x = ops::cast(a, DType::float64).to_vector<double>(),
             y = ops::cast(b, DType::float64).to_vector<double>();
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

}  // namespace

TEST_CASE("Images are those of JPEG files of the drawn quality") {
  for (const int64_t channels : {1, 3}) {
    const Tensor image = bytes_image(channels), expected = through_jpeg(image, 20);
    CHECK(largest_difference(image, expected) > 5);
    const data::Sample bytes = data::augment({always(20, 20)})({.image = image}, {});
    CHECK(bytes.image.dtype() == DType::uint8);
    CHECK(largest_difference(bytes.image, expected) == 0);
    const Tensor floats = ops::cast(image, DType::float32);
    CHECK(largest_difference(data::augment({always(20, 20)})({.image = floats}, {}).image,
                             expected) == 0);
    // Values of [-1, 1] go through the same levels.
    const Tensor scaled = floats / 127.5 - 1.0;
    const Tensor back = data::augment({always(20, 20, {-1, 1})})({.image = scaled}, {}).image;
    CHECK(largest_difference((back + 1.0) * 127.5, expected) < 1e-4);
    // A batch of one.
    CHECK(largest_difference(always(20, 20)(floats, {.training = true}), expected) == 0);
    CHECK(largest_difference(always(20, 20)(floats, {.training = false}), floats) == 0);
  }
}

TEST_CASE("Every quality of the range is drawn, and nothing but the image changes") {
  const Tensor image = bytes_image(3);
  std::vector<Tensor> expected;
  for (int quality = 40; quality <= 43; ++quality) expected.push_back(through_jpeg(image, quality));
  std::vector<int> seen(expected.size(), 0);
  const data::Augment augment = data::augment({always(40, 43)});
  const Tensor points = Tensor::from({3.0f, 4.0f}, {1, 2});
  for (int64_t i = 0; i < 80; ++i) {
    const data::Sample sample =
        augment({.image = image, .points = points, .label = Tensor(2)}, {.seed = 3, .index = i});
    CHECK(largest_difference(sample.points, points) == 0);
    CHECK(sample.label.item() == 2);
    int matches = 0;
    for (size_t q = 0; q < expected.size(); ++q)
      if (largest_difference(sample.image, expected[q]) == 0) ++seen[q], ++matches;
    CHECK(matches >= 1);
  }
  for (const int count : seen) CHECK(count > 5);
}

TEST_CASE("Values beyond the range, and no numbers, become levels") {
  const float nan = std::nanf("");
  const Tensor odd = Tensor::from(
      std::vector<float>{nan, -1e30f, 1e30f, 300, -5, 128, 0, 255, nan, 1, 2, 3}, {2, 2, 3});
  const Tensor levels =
      Tensor::from(std::vector<float>{0, 0, 255, 255, 0, 128, 0, 255, 0, 1, 2, 3}, {2, 2, 3});
  const data::Augment augment = data::augment({always(90, 90)});
  CHECK(largest_difference(augment({.image = odd}, {}).image,
                           augment({.image = levels}, {}).image) == 0);
}

TEST_CASE("What cannot be compressed is said") {
  CHECK(test::error_of([] { always(0, 50); }).find("from 1 to 100") != std::string::npos);
  CHECK(test::error_of([] { always(60, 50); }).find("(60, 50)") != std::string::npos);
  CHECK_THROWS_AS(layers::RandomJpegCompression({.quality = {50}}), ValueError);
  CHECK_THROWS_AS(layers::RandomJpegCompression({.factor = 2.0}), ValueError);
  const data::Augment augment = data::augment({always(50, 50)});
  CHECK(test::error_of([&] { augment({.image = bytes_image(4)}, {}); }).find("1 or 3 channels") !=
        std::string::npos);
}

}  // namespace random_jpeg_compression_test
