// PNG and BMP files of every kind of pixels, made byte by byte, beside what Keras's load_img makes
// of them: tests/data/image_files.json, by tools/goldens/image_file_goldens.py.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/io/images/image.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paths.h"
#include "support/reader_goldens.h"
#include "support/temporary.h"

namespace image_formats_test {

using namespace cornu;

namespace {

const nlohmann::json& goldens() {
  static const auto file =
      nlohmann::json::parse(std::ifstream(test::source_path("tests/data/image_files.json")));
  return file;
}

}  // namespace

TEST_CASE("PNG and BMP files of all kinds have the pixels that Keras finds") {
  const test::TemporaryFolder folder;
  for (const auto& golden : goldens()) {
    test::spill(folder / "image", test::from_hex(golden["file"]));
    for (const auto& [mode, expected] : golden["loaded"].items()) {
      INFO(golden["name"].get<std::string>() << " as " << mode);
      utils::Image image;
      REQUIRE_NOTHROW(image = utils::load_img(folder / "image", {.color_mode = mode}));
      CHECK(image.height == expected["shape"][0]);
      CHECK(image.width == expected["shape"][1]);
      const auto pixels = expected["pixels"].get<std::vector<int>>();
      std::vector<int> found(image.pixels.begin(), image.pixels.end());
      if (image.is_wide()) found.assign(image.wide.begin(), image.wide.end());
      CHECK(found == pixels);
    }
  }
}

TEST_CASE("Headers of PNG and BMP files say what is decoded") {
  for (const auto& golden : goldens()) {
    INFO(golden["name"].get<std::string>());
    const std::string file = test::from_hex(golden["file"]);
    const auto bytes = test::bytes_of(file);
    const io::ImageInfo info = io::read_image_info(bytes, "x");
    const io::Image image = io::decode_image(bytes, "x");
    CHECK(info.height == 5);
    CHECK(info.width == 7);
    CHECK(image.height == 5);
    CHECK(image.width == 7);
    CHECK(image.channels == info.channels);
    CHECK(image.pixels.size() == image.size());
    for (const int channels : {1, 2, 3, 4}) {
      const io::Image other = io::decode_image(bytes, "x", {.channels = channels});
      CHECK(other.channels == channels);
      CHECK(other.pixels.size() == static_cast<size_t>(35 * channels));
    }
  }
}

TEST_CASE("PNG and BMP files that are cut short are errors, wherever that is") {
  for (const auto& golden : goldens()) {
    INFO(golden["name"].get<std::string>());
    const std::string file = test::from_hex(golden["file"]);
    // What follows the pixels of a PNG file is not needed; rows of BMP files end in padding.
    for (size_t size = 0; size + 24 < file.size(); size += 1 + size / 8)
      CHECK_THROWS_AS(io::decode_image(test::bytes_of(file.substr(0, size)), "x"), FileError);
  }
}

}  // namespace image_formats_test
