// Image files as elements, and decode_crop as a stage.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/folders/image_files.h>
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/io/images/jpeg.h>

#include <cmath>
#include <cstring>

#include "../../../support/temporary.h"

namespace image_files_test {

using namespace cornu;
using test::contains;

namespace {

constexpr int64_t count = 6;

std::string jpeg_of(int64_t number) {
  io::Image image{40 + number, 60, 3};
  for (int64_t i = 0; i < static_cast<int64_t>(image.size()); ++i)
    image.pixels.push_back(
        static_cast<uint8_t>(127 + 100 * std::sin(0.02 * static_cast<double>(i)) *
                                       std::cos(static_cast<double>(number))));
  return io::encode_jpeg(image, {.quality = 90});
}

// Files 0 to 5, of two classes.
void make_files(const test::TemporaryFolder& folder) {
  for (int64_t i = 0; i < count; ++i) {
    const auto own = folder / (i % 2 == 0 ? "even" : "odd");
    std::filesystem::create_directories(own);
    test::spill(own / (std::to_string(i) + ".jpg"), jpeg_of(i));
  }
}

std::vector<float> values_of(const Tensor& x) { return x.to_vector<float>(); }

}  // namespace

TEST_CASE("The files of a folder are elements with their classes") {
  const test::TemporaryFolder folder;
  make_files(folder);
  const auto files = data::image_files(folder.path());
  REQUIRE(files.size() == count);
  for (size_t i = 0; i < files.size(); ++i) {
    CHECK(files[i].label == (i < 3 ? 0 : 1));
    CHECK(files[i].source.ends_with(std::to_string(i < 3 ? 2 * i : 2 * i - 5) + ".jpg"));
  }
  const auto part = data::image_files(
      folder.path(), {.shuffle = false, .validation_split = 0.5, .subset = "validation"});
  CHECK(part.size() == 3);
  CHECK_THROWS_AS(data::image_files(folder / "none"), FileError);
}

TEST_CASE("decode_crop as a stage gives what decode_crop of the bytes gives") {
  const test::TemporaryFolder folder;
  make_files(folder);
  const data::DecodeCropOptions options{
      .target = {.height = 16, .width = 20, .mean = {0.5f, 0.4f, 0.3f}, .std = {0.2f, 0.3f, 0.4f}}};
  const auto files = data::image_files(folder.path());
  const auto pipeline = [&](int64_t workers) {
    return data::from(files)
        .map(data::decode_crop(options), {.workers = workers, .name = "decode", .seed = 9})
        .batch(4);
  };
  std::vector<std::vector<float>> epochs;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<float> all, expected;
    std::vector<int32_t> labels;
    for (const Batch& batch : pipeline(2).epoch(epoch)) {
      CHECK(batch.x.tensor().shape().slice(1) == Shape{16, 20, 3});
      CHECK(batch.y.tensor().dtype() == DType::int32);
      const auto x = values_of(batch.x.tensor());
      all.insert(all.end(), x.begin(), x.end());
      for (const int32_t label : batch.y.tensor().to_vector<int32_t>()) labels.push_back(label);
    }
    CHECK(labels == std::vector<int32_t>{0, 0, 0, 1, 1, 1});
    std::vector<float> slot(16 * 20 * 3);
    for (size_t i = 0; i < files.size(); ++i) {
      data::Random random =
          data::Place{.seed = 9, .epoch = epoch, .index = static_cast<int64_t>(i)}.random();
      const std::string bytes = test::slurp(files[i].source);
      data::decode_crop(
          test::bytes_of(bytes), "f",
          [&](int64_t h, int64_t w) { return data::random_resized_crop(h, w, random); },
          options.target, slot.data());
      expected.insert(expected.end(), slot.begin(), slot.end());
    }
    CHECK(all == expected);
    epochs.push_back(all);
  }
  CHECK(epochs[0] != epochs[1]);
}

TEST_CASE("Without draws decode_crop takes the middle") {
  const std::string bytes = jpeg_of(0);  // 40 x 60
  const auto middle = [&](double share, bool first) {
    const data::DecodeCrop decode =
        data::decode_crop({.target = {.height = 10, .width = 10, .channels_first = first},
                           .random = std::nullopt,
                           .middle = share});
    return decode.image_of(test::bytes_of(bytes), "f", {.epoch = 3});
  };
  const auto expected = [&](const data::Region& region, bool first) {
    std::vector<float> slot(300);
    data::decode_crop(
        test::bytes_of(bytes), "f",
        [&](int64_t, int64_t) {
          return data::Crop{region, false};
        },
        {.height = 10, .width = 10, .channels_first = first}, slot.data());
    return slot;
  };
  CHECK(values_of(middle(1, false)) == expected({0, 10, 40, 40}, false));
  CHECK(values_of(middle(0.5, false)) == expected({10, 20, 20, 20}, false));
  CHECK(middle(1, true).shape() == Shape{3, 10, 10});
  CHECK(values_of(middle(1, true)) == expected({0, 10, 40, 40}, true));
}

TEST_CASE("decode_crop names the file that it cannot read") {
  const test::TemporaryFolder folder;
  make_files(folder);
  test::spill(folder / "odd" / "3.jpg", "no image");
  const auto samples = data::from(data::image_files(folder.path()))
                           .map(data::decode_crop(), {.workers = 2, .name = "decode"});
  const auto run = [&] {
    for (const Batch& batch : samples.batch(2)) static_cast<void>(batch);
  };
  CHECK_THROWS_WITH(run(), contains("Stage 'decode', element 4") && contains("3.jpg"));
  CHECK_THROWS_WITH(data::decode_crop({.middle = 0}), contains("'middle'"));
  CHECK_THROWS_AS(data::decode_crop({.target = {.height = 0}}), ValueError);
  CHECK_THROWS_AS(data::decode_crop()(data::ImageFile{(folder / "none.jpg").string()}, {}),
                  FileError);
}

}  // namespace image_files_test
