// load_img, save_img, img_to_array and array_to_img, beside Keras's.
#include <catch.h>
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/data/images/resample.h>

#include <algorithm>
#include <cstring>

#include "../../../support/reader_goldens.h"
#include "../../../support/temporary.h"

namespace load_img_test {

using namespace cornu;
using test::contains;

namespace {

utils::LoadImgOptions options_of(const nlohmann::json& way) {
  utils::LoadImgOptions options;
  options.color_mode = way["color_mode"];
  if (way.contains("target_size")) {
    options.target_size = {way["target_size"][0], way["target_size"][1]};
    options.interpolation = way["interpolation"];
    options.keep_aspect_ratio = way["keep_aspect_ratio"];
  }
  return options;
}

}  // namespace

TEST_CASE("load_img gives Keras's gray levels") {
  test::TemporaryFolder folder;
  for (const auto& golden : test::reader_goldens()["images"]) {
    const std::string name = golden["name"];
    // Names say nothing.
    test::spill(folder / "image.txt", test::from_hex(golden["file"]));
    for (const auto& way : golden["loaded"]) {
      const utils::Image image = utils::load_img(folder / "image.txt", options_of(way));
      const std::string expected = test::from_hex(way["pixels"]);
      CAPTURE(name, way["color_mode"].get<std::string>(), way.value("interpolation", ""),
              way.value("target_size", std::vector<int>()));
      CHECK(image.height == way["shape"][0]);
      CHECK(image.width == way["shape"][1]);
      int worst = 0;
      if (way["bytes"] == 2) {
        REQUIRE(image.wide.size() * 2 == expected.size());
        CHECK(std::memcmp(image.wide.data(), expected.data(), expected.size()) == 0);
      } else {
        REQUIRE(image.pixels.size() == expected.size());
        for (size_t i = 0; i < expected.size(); ++i)
          worst = std::max(worst, std::abs(image.pixels[i] - static_cast<uint8_t>(expected[i])));
      }
      CHECK(worst == 0);
    }
  }
}

TEST_CASE("images as arrays and back") {
  for (const auto& golden : test::reader_goldens()["arrays"]) {
    const auto sizes = golden["shape"].get<std::vector<int64_t>>();
    const Shape shape{sizes[0], sizes[1], sizes[2]};
    const Tensor x = Tensor::from(golden["x"].get<std::vector<float>>(), shape);
    const utils::Image image = utils::array_to_img(x, "channels_last", golden["scale"]);
    CHECK(utils::img_to_array(image).to_vector<int>() == golden["y"].get<std::vector<int>>());
    CHECK(utils::img_to_array(image).shape() == shape);
  }
  const utils::Image image{1, 2, 3, {1, 2, 3, 4, 5, 6}};
  const Tensor first = utils::img_to_array(image, "channels_first", DType::uint8);
  CHECK(first.shape() == Shape{3, 1, 2});
  CHECK(first.to_vector<int>() == std::vector<int>{1, 4, 2, 5, 3, 6});
  CHECK(utils::array_to_img(first, "channels_first", false).pixels == image.pixels);
  const Tensor named =
      utils::img_to_array(image, {.data_format = "channels_first", .dtype = "uint8"});
  CHECK(named.dtype() == DType::uint8);
  CHECK(named.to_vector<int>() == first.to_vector<int>());
  CHECK(utils::img_to_array(image, {.dtype = "float64"}).dtype() == DType::float64);
  CHECK(utils::array_to_img(named, {.data_format = "channels_first", .scale = false}).pixels ==
        image.pixels);
  CHECK_THROWS_WITH(utils::img_to_array(image, "last"), contains("'last'"));
  CHECK_THROWS_WITH(utils::array_to_img(Tensor::from({1.0f}, {1})), contains("(1,)"));
  CHECK_THROWS_WITH(utils::array_to_img(Tensor::from({1.0f, 2.0f}, {1, 1, 2})),
                    contains("found 2"));
  CHECK_THROWS_WITH(
      utils::array_to_img(Tensor::from({70000.0f}, {1, 1, 1}), "channels_last", false),
      contains("16 bits"));
}

TEST_CASE("save_img writes what load_img reads") {
  test::TemporaryFolder folder;
  const Tensor x = Tensor::from({0.0f, 100.0f, 200.0f, 255.0f, 7.0f, 9.0f}, {1, 2, 3});
  for (const char* name : {"a.png", "a.bmp", "A.PNG"}) {
    utils::save_img(folder / name, x, {.scale = false});
    CHECK(utils::img_to_array(utils::load_img(folder / name)).to_vector<int>() ==
          x.to_vector<int>());
  }
  utils::save_img(folder / "noname", x, {.file_format = "jpg", .quality = 95});
  CHECK(utils::load_img(folder / "noname").width == 2);
  const Tensor clear = Tensor::from(std::vector<float>(16, 200.0f), {2, 2, 4});
  utils::save_img(folder / "clear.jpeg", clear, {.scale = false});
  CHECK(utils::load_img(folder / "clear.jpeg").channels == 3);
  CHECK_THROWS_WITH(utils::save_img(folder / "a.webp", x), contains("'webp'"));
  CHECK_THROWS_AS(utils::save_img(folder / "no" / "a.png", x), FileError);
}

TEST_CASE("what load_img refuses") {
  test::TemporaryFolder folder;
  test::spill(folder / "a.png", test::golden_image_file("rgb.png"));
  CHECK_THROWS_WITH(utils::load_img(folder / "a.png", {.color_mode = "gray"}),
                    contains("'grayscale'"));
  CHECK_THROWS_WITH(
      utils::load_img(folder / "a.png", {.target_size = {{4, 4}}, .interpolation = "bilinaer"}),
      contains("bilinear"));
  CHECK_THROWS_AS(utils::load_img(folder / "a.png", {.target_size = {{0, 4}}}), ValueError);
  CHECK(utils::load_img(folder / "a.png", {.target_size = {17, 23}}).width == 23);
  CHECK(utils::load_img(folder / "a.png", {.target_size = std::nullopt}).height > 0);
  CHECK_THROWS_WITH(utils::load_img(folder / "a.png", {.target_size = {17, 23, 3}}),
                    contains("found 3 numbers"));
  CHECK_THROWS_AS(utils::load_img(folder / "b.png"), FileError);
  CHECK_THROWS_WITH(utils::load_img(folder / "a.png", {.limits = {.pixels = 10}}),
                    contains("a.png"));
  const io::Image image{2, 2, 1, {1, 2, 3, 4}};
  CHECK_THROWS_AS(data::resample(image, 2, 2, "box", {0, 0, 3, 2}), ValueError);
}

}  // namespace load_img_test
