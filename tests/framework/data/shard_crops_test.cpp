// Crops from shards: batches of floats from pixels and from files, by number, by any number of
// workers.
#include <catch.h>
#include <cornu/framework/data/shard_crops.h>
#include <cornu/framework/io/images/jpeg.h>
#include <cornu/framework/io/images/png.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/random/draws.h>

#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace shard_crops_test {

using namespace cornu;
using namespace cornu::data;
using test::contains;
using test::error_of;
using test::identical;

namespace {

Tensor picture(int64_t i) {
  return ops::cast(random::uniform({20 + i, 31, 3}, 0, 256, static_cast<int>(i)), DType::uint8);
}

io::Image image_of(const Tensor& pixels) {
  const auto bytes = pixels.values<uint8_t>();
  return {pixels.shape()[0], pixels.shape()[1], 3, {bytes.begin(), bytes.end()}};
}

// Twelve samples, every third of them a file's bytes.
std::string packed(const test::TemporaryFolder& folder) {
  SampleWriter writer(folder / "s", {.shard_bytes = 4096});
  for (int64_t i = 0; i < 12; ++i) {
    Sample sample{.label = Tensor(i), .weight = Tensor(0.5f)};
    if (i % 3 == 0) {
      const std::string png = io::encode_png(image_of(picture(i)));
      writer.add(sample, std::as_bytes(std::span(png)));
    } else {
      sample.image = picture(i);
      writer.add(sample);
    }
  }
  writer.finish();
  return folder / "s";
}

constexpr int64_t side = 16;
const CropTarget target{.height = side, .width = side, .mean = {0.5f, 0.5f, 0.5f}};

}  // namespace

TEST_CASE("Batches of crops are what crop_pixels makes of each image") {
  const test::TemporaryFolder folder;
  const auto part = [](int64_t h, int64_t w) { return Crop{{h / 4, 3, h / 2, w - 5}, h % 2 == 0}; };
  const auto crops = crops_from_shards(
      packed(folder),
      {.target = target, .draw = [&](int64_t h, int64_t w, Random&) { return part(h, w); }});
  REQUIRE(crops.size() == 12);
  int64_t i = 0;
  for (const Batch& batch : crops.batch(5)) {
    const int64_t count = batch.x.tensor().shape()[0];
    CHECK(batch.x.tensor().shape() == Shape{count, side, side, 3});
    CHECK(batch.sample_weight.tensor().to_vector<float>() ==
          std::vector<float>(static_cast<size_t>(count), 0.5f));
    const std::vector<float> values = batch.x.tensor().to_vector<float>();
    for (int64_t k = 0; k < count; ++k, ++i) {
      CHECK(batch.y.tensor().to_vector<int64_t>()[static_cast<size_t>(k)] == i);
      const io::Image image = image_of(picture(i));
      std::vector<float> expected(side * side * 3);
      crop_pixels({image.pixels.data(), image.height, image.width}, "expected", part, target,
                  expected.data());
      const auto begin = values.begin() + k * side * side * 3;
      CHECK(std::vector<float>(begin, begin + side * side * 3) == expected);
    }
  }
  CHECK(i == 12);
}

TEST_CASE("Random crops are drawn anew in each epoch, and follow from the seed") {
  const test::TemporaryFolder folder;
  const auto crops =
      crops_from_shards(packed(folder), {.target = target, .crop = {.scale = {0.2, 1}}}).batch(12);
  const auto epoch = [](const Pipeline<Batch>& batches, int64_t number) {
    return batches.open(number)->next()->x.tensor();
  };
  CHECK(identical(epoch(crops, 1), epoch(crops, 1)));
  CHECK_FALSE(identical(epoch(crops, 1), epoch(crops, 0)));
  CHECK_FALSE(identical(epoch(crops, 1), epoch(crops.with({.seed = 7}), 1)));
}

TEST_CASE("Workers and orders do not change a crop") {
  const test::TemporaryFolder folder;
  const std::string path = packed(folder);
  const auto crops = crops_from_shards(path, {.target = target});
  const auto all = [](const Pipeline<Batch>& pipeline) {
    std::vector<Batch> batches;
    for (const Batch& batch : pipeline.epoch(2)) batches.push_back(batch);
    return batches;
  };
  const auto one = all(crops.shuffle().batch(4)),
             two = all(crops.shuffle().batch(4).prefetch(2, {.workers = 2}));
  REQUIRE((one.size() == 3 && two.size() == 3));
  for (size_t i = 0; i < 3; ++i) {
    CHECK(identical(one[i].x.tensor(), two[i].x.tensor()));
    CHECK(identical(one[i].y.tensor(), two[i].y.tensor()));
  }
}

TEST_CASE("Crops of one's own, and channels first") {
  const test::TemporaryFolder folder;
  CropTarget planes = target;
  planes.channels_first = true;
  const auto crops = crops_from_shards(
      packed(folder), {.target = planes, .draw = [](int64_t h, int64_t w, Random&) {
                         return center_crop(h, w, target);
                       }});
  for (const Batch& batch : crops.batch(12)) {
    CHECK(batch.x.tensor().shape() == Shape{12, 3, side, side});
    const io::Image image = image_of(picture(1));
    std::vector<float> expected(side * side * 3);
    crop_pixels(
        {image.pixels.data(), image.height, image.width}, "expected",
        [](int64_t h, int64_t w) { return center_crop(h, w, target); }, planes, expected.data());
    CHECK(batch.x.tensor()[1].to_vector<float>() == expected);
  }
}

TEST_CASE("What cannot be cropped says so") {
  const test::TemporaryFolder folder;
  const auto first_of = [&](const char* name, const Sample& sample) {
    SampleWriter writer(folder / name);
    writer.add(sample);
    writer.finish();
    return error_of([&] {
      for (const Batch& batch : crops_from_shards(folder / name).batch(1)) static_cast<void>(batch);
    });
  };
  CHECK_THAT(first_of("boxes", {.image = picture(1),
                                .boxes = Tensor::from({0.0f, 0.0f, 1.0f, 1.0f}, {1, 4})}),
             contains("from_shards"));
  CHECK_THAT(first_of("none", {.label = Tensor(1), .source = "a.png"}),
             contains("'a.png' has no image"));
  CHECK_THAT(first_of("floats", {.image = ops::cast(picture(1), DType::float32)}),
             contains("uint8"));
  CHECK_THROWS_AS(crops_from_shards(folder / "missing"), FileError);
}

namespace {

// Ten images, of which number 3 is a file that is cut off.
std::string with_damage(const test::TemporaryFolder& folder) {
  SampleWriter writer(folder / "damaged");
  for (int64_t i = 0; i < 10; ++i) {
    std::string png = io::encode_png(image_of(picture(i)));
    if (i == 3) png.resize(png.size() / 2);
    writer.add({.label = Tensor(i), .source = "photo" + std::to_string(i) + ".png"},
               std::as_bytes(std::span(png)));
  }
  writer.finish();
  return folder / "damaged";
}

std::vector<Batch> all_of(const Pipeline<Batch>& batches, int64_t epoch = 0) {
  std::vector<Batch> all;
  for (const Batch& batch : batches.epoch(epoch)) all.push_back(batch);
  return all;
}

}  // namespace

TEST_CASE("An error of a crop is that of its sample, not of its batch") {
  const test::TemporaryFolder folder;
  const std::string path = with_damage(folder);
  const auto check = [&](const Pipeline<Batch>& batches) {
    for (int64_t epoch = 0; epoch < 2; ++epoch) try {
        all_of(batches, epoch);
        FAIL("no error");
      } catch (const DataError& error) {
        CHECK(error.stage() == "shards");
        CHECK(error.index() == 3);
        CHECK(error.epoch() == epoch);
        CHECK_THAT(error.what(), contains("element 3 of epoch " + std::to_string(epoch) +
                                          " (from 'photo3.png')"));
        CHECK_THROWS_AS(std::rethrow_exception(error.cause()), FileError);
      }
  };
  check(crops_from_shards(path, {.target = target}).batch(4));
  check(crops_from_shards(path, {.target = target}).shuffle().batch(4).prefetch(2));
  check(crops_from_shards(path, {.target = target, .workers = 2}).batch(4));
}

TEST_CASE("Crops whose labels do not fit into one batch are named with their files") {
  const test::TemporaryFolder folder;
  SampleWriter writer(folder / "labels");
  for (int64_t i = 0; i < 8; ++i)
    writer.add({.image = picture(i),
                .label = i == 6 ? ops::ones({3}) : ops::ones({2}),
                .source = "photo" + std::to_string(i) + ".png"});
  writer.finish();
  const auto crops = crops_from_shards(folder / "labels", {.target = target});
  const std::string error = error_of([&] { all_of(crops.batch(4)); });
  CHECK_THAT(error, contains("element 1 of epoch 0: y of row 2 (element 6 of 'range', from "
                             "'photo6.png') is float32 (3,), that of row 0 (element 4 of 'range', "
                             "from 'photo4.png') is float32 (2,)"));
}

TEST_CASE("Crops that cannot be made are left out when that is asked for") {
  const test::TemporaryFolder folder;
  const std::string path = with_damage(folder);
  for (const int64_t workers : {0, 2}) {
    const auto crops =
        crops_from_shards(path, {.target = target, .workers = workers, .on_error = OnError::skip});
    const auto batches = all_of(crops.batch(3));
    REQUIRE(batches.size() == 3);
    std::vector<int64_t> labels;
    for (const Batch& batch : batches)
      for (const int64_t label : batch.y.tensor().to_vector<int64_t>()) labels.push_back(label);
    CHECK(labels == std::vector<int64_t>{0, 1, 2, 4, 5, 6, 7, 8, 9});
  }
  CropTarget small = target;
  small.limits.pixels = 31 * 24;
  const auto few = crops_from_shards(path, {.target = small, .on_error = OnError::skip});
  CHECK(all_of(few.batch(10)).at(0).y.tensor().to_vector<int64_t>() ==
        std::vector<int64_t>{0, 1, 2, 4});
}

TEST_CASE("Crops that are made before their batch are the same") {
  const test::TemporaryFolder folder;
  const std::string path = packed(folder);
  const auto later = all_of(crops_from_shards(path, {.target = target}).batch(12), 1),
             before =
                 all_of(crops_from_shards(path, {.target = target, .workers = 3}).batch(12), 1);
  CHECK(identical(later[0].x.tensor(), before[0].x.tensor()));
  // In every order of the records each has the same crop.
  const auto ordered = [&](int64_t seed) {
    return all_of(
        crops_from_shards(path, {.target = target, .workers = 2, .shuffle = true, .seed = seed})
            .batch(12),
        1)[0];
  };
  const Batch one = ordered(5), two = ordered(6);
  const auto first = one.y.tensor().to_vector<int64_t>(),
             second = two.y.tensor().to_vector<int64_t>();
  CHECK(first != second);
  for (size_t k = 0; k < first.size(); ++k) {
    const auto at = std::find(second.begin(), second.end(), first[k]) - second.begin();
    CHECK(identical(one.x.tensor()[static_cast<int64_t>(k)], two.x.tensor()[at]));
  }
}

}  // namespace shard_crops_test
