// Image files: detection, limits, damage, encoding and decoding.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/images/bmp.h>
#include <cornu/framework/io/images/gif.h>
#include <cornu/framework/io/images/jpeg.h>
#include <cornu/framework/io/images/png.h>

#include <algorithm>
#include <random>

#include "../../../support/reader_goldens.h"
#include "../../../support/temporary.h"

namespace images_test {

using namespace cornu;
using test::bytes_of;
using test::contains;

namespace {

io::Image picture(int64_t height, int64_t width, int64_t channels) {
  io::Image image{height, width, channels};
  for (size_t i = 0; i < image.size(); ++i)
    image.pixels.push_back(static_cast<uint8_t>(i * 37 % 251));
  return image;
}

io::Image decoded(const std::string& file, const io::DecodeOptions& options = {}) {
  return io::decode_image(bytes_of(file), "x", options);
}

// Names of files of each kind.
const std::vector<std::string> kinds = {"rgb.png", "palette.png", "wide.png",
                                        "rgb.jpg", "cmyk.jpg",    "progressive.jpg",
                                        "rgb.bmp", "palette.bmp", "rgb.gif"};

}  // namespace

TEST_CASE("PNG and BMP files give back what was written") {
  for (const int64_t channels : {1, 2, 3, 4}) {
    const io::Image image = picture(5, 7, channels);
    const io::Image png = decoded(io::encode_png(image));
    CHECK(png.channels == channels);
    CHECK(png.pixels == image.pixels);
    if (channels == 2) {
      CHECK_THROWS_AS(io::encode_bmp(image), ValueError);
      continue;
    }
    const io::Image bmp = decoded(io::encode_bmp(image), {.channels = static_cast<int>(channels)});
    CHECK(bmp.height == 5);
    CHECK(bmp.width == 7);
    CHECK(bmp.pixels == image.pixels);
  }
  io::Image wide{2, 3, 1};
  wide.wide = {0, 1, 256, 300, 65535, 4097};
  const io::Image back = decoded(io::encode_png(wide), {.keep_16_bits = true});
  CHECK(back.wide == wide.wide);
  CHECK(decoded(io::encode_png(wide)).pixels == std::vector<uint8_t>{0, 0, 1, 1, 255, 16});
}

TEST_CASE("Colored PNG files become gray as Pillow or as TensorFlow has it") {
  io::Image colors{1, 5, 3};
  colors.pixels = {255, 0, 0, 1, 2, 3, 200, 100, 50, 254, 255, 255, 77, 77, 77};
  const std::string png = io::encode_png(colors);
  CHECK(decoded(png, {.channels = 1}).pixels == std::vector<uint8_t>{76, 2, 124, 255, 77});
  CHECK(decoded(png, {.channels = 1, .libpng_gray = true}).pixels ==
        std::vector<uint8_t>{76, 1, 124, 254, 77});
  CHECK(decoded(png, {.channels = 3, .libpng_gray = true}).pixels == colors.pixels);
}

TEST_CASE("JPEG files are near what was written") {
  io::Image image{40, 50, 3};
  for (int64_t y = 0; y < 40; ++y)
    for (int64_t x = 0; x < 50; ++x)
      for (const int64_t v : {4 * x, 5 * y, 255 - 2 * x - 2 * y})
        image.pixels.push_back(static_cast<uint8_t>(v));
  const auto worst = [&](const io::JpegOptions& options) {
    const io::Image back = decoded(io::encode_jpeg(image, options));
    REQUIRE(back.pixels.size() == image.pixels.size());
    int most = 0;
    for (size_t i = 0; i < back.pixels.size(); ++i)
      most = std::max(most, std::abs(back.pixels[i] - image.pixels[i]));
    return most;
  };
  CHECK(worst({.quality = 100, .halve_colors = false}) <= 3);
  CHECK(worst({.quality = 95}) <= 12);
  CHECK(decoded(io::encode_jpeg(picture(8, 9, 1))).channels == 1);
  CHECK_THROWS_WITH(io::encode_jpeg(picture(8, 9, 4)), contains("4 channels"));
  CHECK_THROWS_WITH(io::encode_jpeg(image, {.quality = 0}), contains("'quality'"));
}

TEST_CASE("headers tell sizes without decoding") {
  for (const auto& golden : test::reader_goldens()["images"]) {
    const std::string file = test::from_hex(golden["file"]);
    const io::ImageInfo info = io::read_image_info(bytes_of(file), "x");
    const io::Image image = decoded(file);
    CAPTURE(golden["name"].get<std::string>());
    CHECK(info.height == 13);
    CHECK(info.width == 17);
    CHECK(info.channels == image.channels);
    CHECK(golden["name"].get<std::string>().ends_with(info.format == io::ImageFormat::jpeg  ? "jpg"
                                                      : info.format == io::ImageFormat::png ? "png"
                                                      : info.format == io::ImageFormat::bmp
                                                          ? "bmp"
                                                          : "gif"));
  }
}

TEST_CASE("a part of a JPEG file is that part of the whole") {
  std::mt19937 random(1);
  for (const bool halve_colors : {true, false}) {
    io::Image image{101, 133, 3};
    image.pixels.resize(image.size());
    for (size_t i = 0; i < image.size(); ++i)
      image.pixels[i] = static_cast<uint8_t>((i * i / 7919 + random() % 32) % 256);
    const std::string file = io::encode_jpeg(image, {.quality = 90, .halve_colors = halve_colors});
    const io::Image whole = decoded(file);
    for (int round = 0; round < 60; ++round) {
      const auto draw = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
      io::RegionRequest request;
      request.region.height = 1 + draw(101), request.region.width = 1 + draw(133);
      request.region.top = draw(102 - request.region.height);
      request.region.left = draw(134 - request.region.width);
      io::RegionPixels pixels;
      io::decode_jpeg_region(
          bytes_of(file), "x",
          [](void* context, int64_t, int64_t) { return *static_cast<io::RegionRequest*>(context); },
          &request, pixels);
      const auto& [region, reduction] = request;
      const io::Region& window = pixels.window;
      REQUIRE(window.top <= region.top);
      REQUIRE(window.left <= region.left);
      REQUIRE(window.top + window.height >= region.top + region.height);
      REQUIRE(window.left + window.width >= region.left + region.width);
      int different = 0;
      for (int64_t y = region.top; y < region.top + region.height; ++y)
        for (int64_t x = region.left; x < region.left + region.width; ++x)
          for (int64_t c = 0; c < 3; ++c)
            different += pixels.pixels[static_cast<size_t>(
                             ((y - window.top) * window.width + x - window.left) * 4 + c)] !=
                         whole.pixels[static_cast<size_t>((y * 133 + x) * 3 + c)];
      CAPTURE(round, region.top, region.left, region.height, region.width);
      CHECK(different == 0);
    }
    io::RegionRequest request{{0, 0, 101, 133}, 2};
    io::RegionPixels half;
    const auto fixed = [](void* context, int64_t, int64_t) {
      return *static_cast<io::RegionRequest*>(context);
    };
    io::decode_jpeg_region(bytes_of(file), "x", fixed, &request, half);
    CHECK(half.window.height == 51);
    CHECK(half.window.width == 67);
    for (const io::Region& outside :
         {io::Region{0, 0, 102, 10}, io::Region{-1, 0, 5, 5}, io::Region{0, 0, 0, 5}}) {
      request.region = outside;
      CHECK_THROWS_WITH(io::decode_jpeg_region(bytes_of(file), "f", fixed, &request, half),
                        contains("is not in the 101 x 133 pixels of 'f'"));
    }
  }
}

TEST_CASE("the frames of a GIF file as they are shown") {
  const auto& golden = test::reader_goldens()["animation"];
  const std::string file = test::from_hex(golden["file"]);
  const auto frames = io::decode_gif_frames(bytes_of(file), "x");
  REQUIRE(frames.size() == golden["frames"].size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const std::string expected = test::from_hex(golden["frames"][i]["pixels"]);
    CHECK(frames[i].delay == golden["frames"][i]["delay"]);
    REQUIRE(frames[i].image.pixels.size() == expected.size());
    for (size_t k = 0; k < expected.size(); k += 4) {
      CHECK(static_cast<uint8_t>(expected[k + 3]) == frames[i].image.pixels[k + 3]);
      if (expected[k + 3] != 0)
        CHECK(std::equal(expected.begin() + static_cast<int>(k),
                         expected.begin() + static_cast<int>(k) + 3,
                         frames[i].image.pixels.begin() + static_cast<int>(k),
                         [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; }));
    }
  }
  io::ImageLimits limits;
  limits.frames = 2;
  CHECK_THROWS_WITH(io::decode_gif_frames(bytes_of(file), "x", limits), contains("frames"));
}

TEST_CASE("files are told apart by their content") {
  const std::string png = test::golden_image_file("rgb.png");
  CHECK(io::detect_image_format(bytes_of(png), "photo.jpg") == io::ImageFormat::png);
  CHECK_THROWS_WITH(io::detect_image_format({}, "a.png"), contains("'a.png' is empty"));
  const std::string webp = "RIFF....WEBPVP8 ", page = "<!DOCTYPE html>";
  CHECK_THROWS_WITH(decoded(webp), contains("a WebP image"));
  CHECK_THROWS_WITH(decoded(page), contains("a web page"));
  CHECK_THROWS_AS(decoded(std::string(100, 'x')), FileError);
  CHECK_THROWS_AS(io::read_image("/nowhere/a.png"), FileError);
}

TEST_CASE("limits of images") {
  for (const std::string& name : kinds) {
    const std::string file = test::golden_image_file(name);
    io::DecodeOptions options;
    options.limits.pixels = 13 * 17;
    CHECK(decoded(file, options).height == 13);
    options.limits.pixels -= 1;
    CHECK_THROWS_WITH(decoded(file, options), contains("13 x 17 pixels"));
    options.limits = {.bytes = static_cast<int64_t>(file.size()) - 1};
    CHECK_THROWS_WITH(decoded(file, options), contains("'limits.bytes'"));
  }
  // Headers that declare more pixels than anybody has memory for.
  std::string bomb = test::golden_image_file("rgb.bmp");
  for (const size_t at : {18, 22}) bomb.replace(at, 4, "\xff\xff\xff\x7f", 4);
  CHECK_THROWS_AS(decoded(bomb), FileError);
  io::DecodeOptions unlimited;
  unlimited.limits.pixels = 0;
  CHECK_THROWS_WITH(decoded(bomb, unlimited), contains("ends early"));
}

TEST_CASE("truncated files are errors") {
  for (const std::string& name : kinds) {
    const std::string file = test::golden_image_file(name);
    // A GIF's trailer and a PNG's last chunk may be missing without a pixel missing.
    for (size_t size = 0; size + 40 < file.size(); size += 7) {
      CAPTURE(name, size);
      CHECK_THROWS_AS(decoded(file.substr(0, size)), FileError);
    }
  }
}

TEST_CASE("damaged files are errors or images, and nothing else") {
  std::mt19937 random(3);
  int failures = 0, images = 0;
  for (const std::string& name : kinds) {
    const std::string file = test::golden_image_file(name);
    for (int round = 0; round < 400; ++round) {
      std::string damaged = file;
      for (uint32_t k = 0; k <= random() % 6; ++k)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      if (random() % 4 == 0) damaged.resize(random() % damaged.size());
      io::DecodeOptions options;
      options.channels = static_cast<int>(random() % 5);
      options.limits.pixels = 1 << 20;
      try {
        const io::Image image = decoded(damaged, options);
        CHECK(image.pixels.size() == image.size());
        ++images;
      } catch (const FileError&) {
        ++failures;
      } catch (const UnsupportedError&) {
        ++failures;
      }
      try {
        io::read_image_info(bytes_of(damaged), "x");
        io::decode_gif_frames(bytes_of(damaged), "x", {.pixels = 1 << 20});
      } catch (const Error&) {
      }
    }
  }
  CHECK(failures > 100);
  CHECK(images > 100);
}

}  // namespace images_test
