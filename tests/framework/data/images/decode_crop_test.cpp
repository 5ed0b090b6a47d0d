// decode_crop: crops of image files as normalized floats.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/images/decode_crop.h>
#include <cornu/framework/io/images/bmp.h>

#include <algorithm>
#include <cmath>

#include "../../../support/reader_goldens.h"
#include "../../../support/temporary.h"

using namespace cornu;
using test::bytes_of;
using test::contains;

namespace {

io::Image photograph(int64_t height, int64_t width) {
  io::Image image{height, width, 3};
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (const double phase : {0.0, 1.0, 2.0})
        image.pixels.push_back(
            static_cast<uint8_t>(128 + 100 * std::sin(phase + static_cast<double>(x) / 9) *
                                           std::cos(static_cast<double>(y) / 7)));
  return image;
}

// What decode_crop says it computes, pixel by pixel in doubles.
std::vector<double> reference(const io::Image& image, const data::Crop& crop,
                              const data::CropTarget& target) {
  const auto& [top, left, height, width] = crop.region;
  const auto level = [&](double y, double x, int64_t c) {
    y = std::clamp(y, static_cast<double>(top), static_cast<double>(top + height - 1));
    x = std::clamp(x, static_cast<double>(left), static_cast<double>(left + width - 1));
    const auto v = static_cast<int64_t>(y), u = static_cast<int64_t>(x);
    const double wy = y - static_cast<double>(v), wx = x - static_cast<double>(u);
    const auto at = [&](int64_t r, int64_t s) {
      r = std::min(r, top + height - 1), s = std::min(s, left + width - 1);
      return static_cast<double>(image.pixels[static_cast<size_t>((r * image.width + s) * 3 + c)]);
    };
    return (at(v, u) * (1 - wx) + at(v, u + 1) * wx) * (1 - wy) +
           (at(v + 1, u) * (1 - wx) + at(v + 1, u + 1) * wx) * wy;
  };
  std::vector<double> values(static_cast<size_t>(target.height * target.width * 3));
  for (int64_t y = 0; y < target.height; ++y)
    for (int64_t x = 0; x < target.width; ++x)
      for (int64_t c = 0; c < 3; ++c) {
        const auto place = [](int64_t i, int64_t size, int64_t count, int64_t first) {
          return static_cast<double>(first) +
                 (static_cast<double>(i) + 0.5) * static_cast<double>(size) /
                     static_cast<double>(count) -
                 0.5;
        };
        const int64_t from = crop.flip ? target.width - 1 - x : x;
        const double v =
            level(place(y, height, target.height, top), place(from, width, target.width, left), c);
        const auto k = static_cast<size_t>(c);
        const int64_t index = target.channels_first ? (c * target.height + y) * target.width + x
                                                    : (y * target.width + x) * 3 + c;
        values[static_cast<size_t>(index)] =
            (v / 255 - static_cast<double>(target.mean[k])) / static_cast<double>(target.std[k]);
      }
  return values;
}

double worst(const std::vector<float>& values, const std::vector<double>& expected) {
  double most = 0;
  for (size_t i = 0; i < values.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(values[i]) - expected[i]));
  return most;
}

std::vector<float> crop_of(const std::string& file, const data::Crop& crop,
                           const data::CropTarget& target) {
  // What lies behind the slot is somebody else's.
  std::vector<float> values(static_cast<size_t>(target.height * target.width * 3) + 1, 77.0f);
  data::decode_crop(
      bytes_of(file), "f", [&](int64_t, int64_t) { return crop; }, target, values.data());
  CHECK(values.back() == 77.0f);
  values.pop_back();
  return values;
}

}  // namespace

TEST_CASE("crops are resized, mirrored and normalized") {
  const io::Image image = photograph(60, 80);
  const std::string jpeg = io::encode_jpeg(image, {.quality = 92}), bmp = io::encode_bmp(image);
  const io::Image seen = io::decode_image(bytes_of(jpeg), "f");
  for (const bool channels_first : {false, true})
    for (const bool flip : {false, true})
      for (const io::Region& region :
           {io::Region{0, 0, 60, 80}, io::Region{7, 11, 20, 31}, io::Region{59, 79, 1, 1},
            io::Region{13, 0, 47, 3}, io::Region{30, 40, 30, 40}}) {
        const data::CropTarget target{.height = 32,
                                      .width = 41,
                                      .channels_first = channels_first,
                                      .mean = {0.1f, 0.2f, 0.3f},
                                      .std = {0.5f, 1.0f, 2.0f}};
        const data::Crop crop{region, flip};
        CAPTURE(channels_first, flip, region.top, region.left);
        CHECK(worst(crop_of(jpeg, crop, target), reference(seen, crop, target)) < 1e-5);
        CHECK(worst(crop_of(bmp, crop, target), reference(image, crop, target)) < 1e-5);
      }
}

TEST_CASE("large crops are reduced while they are decoded") {
  const io::Image image = photograph(400, 560);
  const std::string jpeg = io::encode_jpeg(image, {.quality = 95}), bmp = io::encode_bmp(image);
  const data::CropTarget target{.height = 24, .width = 30};
  const data::Crop crop{{16, 24, 384, 500}, true};
  const std::vector<float> a = crop_of(jpeg, crop, target), b = crop_of(bmp, crop, target);
  // Means over 8 x 8 pixels by the one's transform and by the other's sums.
  CHECK(worst(a, std::vector<double>(b.begin(), b.end())) < 3.0 / 255);
}

TEST_CASE("random_resized_crop stays in the image and in its ranges") {
  double area = 0;
  int flips = 0;
  constexpr int draws = 2000;
  for (int i = 0; i < draws; ++i) {
    data::Random random = data::Place{5, 1, i}.random();
    const data::Crop crop = data::random_resized_crop(375, 500, random);
    const auto& [top, left, height, width] = crop.region;
    REQUIRE((top >= 0 && left >= 0 && top + height <= 375 && left + width <= 500));
    const double ratio = static_cast<double>(width) / static_cast<double>(height);
    CHECK((ratio > 0.73 && ratio < 1.36));
    area += static_cast<double>(height * width) / (375.0 * 500.0);
    flips += crop.flip;
  }
  // Below the middle of the range: large parts of odd shapes do not fit and are drawn again.
  CHECK(area / draws == Approx(0.43).margin(0.03));
  CHECK(flips / static_cast<double>(draws) == Approx(0.5).margin(0.05));
  area = 0;
  for (int i = 0; i < draws; ++i) {
    data::Random random = data::Place{6, 0, i}.random();
    const auto& [top, left, height, width] =
        data::random_resized_crop(375, 500, random, {.scale = {0.1, 0.3}}).region;
    area += static_cast<double>(height * width) / (375.0 * 500.0);
  }
  CHECK(area / draws == Approx(0.2).margin(0.01));
  data::Random a = data::Place{5, 1, 3}.random(), b = data::Place{5, 1, 3}.random();
  CHECK(data::random_resized_crop(90, 70, a).region.top ==
        data::random_resized_crop(90, 70, b).region.top);
  // No such part fits: the largest one in the middle.
  data::Random c = data::Place{}.random();
  const auto narrow = data::random_resized_crop(10, 1000, c, {.scale = {0.9, 1}}).region;
  CHECK((narrow.height == 10 && narrow.width == 13 && narrow.left == 493));
  CHECK_THROWS_AS(data::random_resized_crop(10, 10, c, {.scale = {0, 1}}), ValueError);
}

TEST_CASE("what decode_crop refuses") {
  const std::string png = test::golden_image_file("rgb.png");
  CHECK_THROWS_WITH(crop_of(png, {{0, 0, 14, 3}}, {.height = 2, .width = 2}),
                    contains("13 x 17 pixels of 'f'"));
  CHECK_THROWS_AS(crop_of("nothing", {}, {}), FileError);
  const std::string jpeg = test::golden_image_file("rgb.jpg");
  CHECK_THROWS_WITH(crop_of(jpeg, {{0, 0, 3, 3}}, {.limits = {.pixels = 5}}), contains("'f'"));
  CHECK_THROWS_AS(crop_of(jpeg.substr(0, 300), {{0, 0, 13, 17}}, {}), FileError);
  CHECK_THROWS_AS(crop_of(jpeg, {{0, 0, 3, 3}}, {.height = 0}), ValueError);
}
