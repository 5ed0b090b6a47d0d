// decode_crop: crops of image files as normalized floats.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/images/decode_crop.h>
#include <cornu/framework/io/images/bmp.h>

#include <algorithm>
#include <cmath>

#include "../../../support/reader_goldens.h"
#include "../../../support/temporary.h"

namespace decode_crop_test {

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
        // Shares are rounded to 2^-14: half of that of the largest difference, for the least std.
        constexpr double bound = 1.0 / 32768 / 0.5 + 1e-6;
        CHECK(worst(crop_of(jpeg, crop, target), reference(seen, crop, target)) < bound);
        CHECK(worst(crop_of(bmp, crop, target), reference(image, crop, target)) < bound);
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

TEST_CASE("Decoded pixels give what their file gives, bit for bit") {
  const data::CropTarget target{
      .height = 15, .width = 22, .mean = {0.1f, 0.2f, 0.3f}, .std = {0.5f, 1.0f, 2.0f}};
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{61, 83}, {33, 190}, {16, 23}}) {
    const io::Image image = photograph(height, width);
    const std::string bmp = io::encode_bmp(image);
    // With a fourth byte, which means nothing.
    std::vector<uint8_t> wide;
    for (size_t i = 0; i < image.pixels.size(); i += 3)
      wide.insert(wide.end(), {image.pixels[i], image.pixels[i + 1], image.pixels[i + 2],
                               static_cast<uint8_t>(i * 7)});
    for (const data::Crop& crop :
         {data::Crop{{0, 0, height, width}, false}, data::Crop{{1, 2, height - 1, width - 3}, true},
          data::Crop{{height - 5, width - 7, 5, 7}, true}}) {
      CAPTURE(height, width, crop.region.top, crop.region.height);
      const auto choose = [&](int64_t h, int64_t w) {
        CHECK((h == height && w == width));
        return crop;
      };
      std::vector<float> three(15 * 22 * 3), four(three.size());
      data::crop_pixels({image.pixels.data(), height, width, 3}, "f", choose, target, three.data());
      data::crop_pixels({wide.data(), height, width, 4}, "f", choose, target, four.data());
      CHECK(three == crop_of(bmp, crop, target));
      CHECK(three == four);
    }
  }
}

namespace {

// Means over squares of so many pixels, those at the ends over what there is of them.
io::Image reduced(const io::Image& image, int64_t reduction) {
  const auto up = [&](int64_t size) { return (size + reduction - 1) / reduction; };
  io::Image small{up(image.height), up(image.width), 3};
  for (int64_t y = 0; y < small.height; ++y)
    for (int64_t x = 0; x < small.width; ++x)
      for (int64_t c = 0; c < 3; ++c) {
        int64_t sum = 0, count = 0;
        for (int64_t v = y * reduction; v < std::min((y + 1) * reduction, image.height); ++v)
          for (int64_t u = x * reduction; u < std::min((x + 1) * reduction, image.width); ++u) {
            sum += image.pixels[static_cast<size_t>((v * image.width + u) * 3 + c)];
            ++count;
          }
        small.pixels.push_back(static_cast<uint8_t>((sum + count / 2) / count));
      }
  return small;
}

}  // namespace

TEST_CASE("Large crops of pixels are means over squares first") {
  // Sizes whose last squares are whole, and such of which only a part is there.
  for (const int64_t reduction : {2, 4, 8})
    for (const int64_t more : {0, 1, 3}) {
      const int64_t height = 9 * reduction + std::min(more, reduction - 1),
                    width = 11 * reduction + std::min(more, reduction - 1);
      const data::CropTarget target{.height = 9, .width = 10};
      const io::Image image = photograph(height, width), small = reduced(image, reduction);
      std::vector<float> found(9 * 10 * 3), expected(found.size());
      CAPTURE(reduction, more);
      for (const bool flip : {false, true}) {
        data::crop_pixels(
            {image.pixels.data(), height, width}, "f",
            [&](int64_t, int64_t) {
              return data::Crop{{0, 0, height, width}, flip};
            },
            target, found.data());
        // The same part of the small image, if it ends with a whole square.
        if (height % reduction != 0 || width % reduction != 0) {
          for (const float value : found) CHECK((value >= 0 && value <= 1));
          continue;
        }
        data::crop_pixels(
            {small.pixels.data(), small.height, small.width}, "f",
            [&](int64_t, int64_t) {
              return data::Crop{{0, 0, small.height, small.width}, flip};
            },
            target, expected.data());
        CHECK(found == expected);
      }
    }
}

TEST_CASE("center_crop is the largest part of the target's ratio") {
  const data::Crop wide = data::center_crop(100, 300, {.height = 50, .width = 75});
  CHECK((wide.region.height == 100 && wide.region.width == 150));
  CHECK((wide.region.top == 0 && wide.region.left == 75 && !wide.flip));
  const data::Crop high = data::center_crop(300, 100, {.height = 1, .width = 1});
  CHECK((high.region.height == 100 && high.region.width == 100 && high.region.top == 100));
  const data::Crop thin = data::center_crop(1, 9, {.height = 9, .width = 1});
  CHECK((thin.region.height == 1 && thin.region.width == 1 && thin.region.left == 4));
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
  CHECK_THROWS_AS(data::random_resized_crop(10, 10, c, {.scale = {0.5, 0.2}}), ValueError);
  CHECK_THROWS_WITH(data::random_resized_crop(10, 10, c, {.ratio = {0, 1}}),
                    contains("found (0.08, 1) and (0, 1)"));
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
  float values[3];
  const uint8_t gray[4] = {};
  const auto whole = [](int64_t h, int64_t w) { return data::Crop{{0, 0, h, w}}; };
  CHECK_THROWS_WITH(data::crop_pixels({gray, 2, 2, 1}, "g.bmp", whole, {}, values),
                    contains("found 1 in 'g.bmp'"));
  CHECK_THROWS_WITH(data::crop_pixels(
                        {gray, 1, 1, 3}, "g.bmp",
                        [](int64_t, int64_t) {
                          return data::Crop{{0, 0, 1, 2}};
                        },
                        {}, values),
                    contains("1 x 1 pixels of 'g.bmp'"));
  CHECK_THROWS_AS(data::crop_pixels({gray, 1, 1, 3}, "g", whole, {.width = 0}, values), ValueError);
}

}  // namespace decode_crop_test
