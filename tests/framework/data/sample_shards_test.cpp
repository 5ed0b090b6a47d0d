// Samples in shards: all of a sample comes back, by a pipeline, in any order.
#include <catch.h>
#include <cornu/framework/data/sample_shards.h>
#include <cornu/framework/io/images/png.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>

#include "../../support/contract.h"
#include "../../support/temporary.h"
#include "../saving/python.h"

namespace sample_shards_test {

using namespace cornu;
using namespace cornu::data;
using test::contains;
using test::identical;

namespace {

Sample sample_of(int64_t i) {
  Sample s{.image = ops::full({3 + i % 2, 4, 3}, Tensor(static_cast<int32_t>(i)))};
  s.image = ops::cast(s.image, DType::uint8);
  s.points = Tensor::from({1.0f, static_cast<float>(i)}, {1, 2});
  s.boxes = Tensor::from({0.0f, 0.0f, 2.0f, 2.0f}, {1, 4});
  s.box_format = "xywh";
  s.label = Tensor(i);
  s.more["heat"] = {ops::full({3, 4}, 0.5f), Follow::linear};
  s.more["id"] = {Tensor(7 * i), Follow::unchanged};
  s.source = "photo" + std::to_string(i) + ".png";
  return s;
}

}  // namespace

TEST_CASE("All of a sample comes back from shards") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "s.shards";
  SampleWriter writer(path, {.shard_bytes = 4096, .classes = {"a", "b"}});
  for (int64_t i = 0; i < 30; ++i) writer.add(sample_of(i));
  writer.finish();
  CHECK(writer.size() == 30);
  CHECK(shard_classes(path) == std::vector<std::string>{"a", "b"});
  const Pipeline<Sample> samples = from_shards(path);
  CHECK(samples.size() == 30);
  int64_t i = 0;
  for (const Sample& s : samples) {
    const Sample expected = sample_of(i++);
    CHECK(identical(s.image, expected.image));
    CHECK(identical(s.points, expected.points));
    CHECK(identical(s.boxes, expected.boxes));
    CHECK(identical(s.label, expected.label));
    CHECK(s.box_format == "xywh");
    CHECK(s.source == expected.source);
    CHECK_FALSE(s.mask);
    REQUIRE(s.more.size() == 2);
    CHECK(s.more.at("heat").follow == Follow::linear);
    CHECK(identical(s.more.at("heat").value, expected.more.at("heat").value));
    CHECK(s.more.at("id").follow == Follow::unchanged);
  }
  CHECK(i == 30);
}

TEST_CASE("NumPy reads shards with the class that the page shows") {
  const std::string python = test::python_for("check_shards.py", "NumPy");
  if (python.empty()) return;
  const test::TemporaryFolder folder;
  SampleWriter writer(folder / "s", {.shard_bytes = 700, .classes = {"a", "b"}});
  for (int64_t i = 0; i < 5; ++i)
    writer.add({.image = ops::cast(ops::full({2, 3 + i, 3}, static_cast<double>(i)), DType::uint8),
                .points = ops::full({i, 2}, 0.5),
                .label = Tensor(10 * i)});
  writer.finish();
  REQUIRE(test::run_script(
              python, "check_shards.py",
              test::quote(test::source_path("docs/shards.md")) + " " + test::quote(folder / "s"),
              folder / "log") == 0);
  std::string expected = "5 a,b\n";
  for (int64_t i = 0; i < 5; ++i)
    expected += "image:uint8:2x" + std::to_string(3 + i) + "x3:" + std::to_string(i * 6 * (3 + i)) +
                " label:int32::" + std::to_string(10 * i) + " points:float32:" + std::to_string(i) +
                "x2:" + std::to_string(i) + "\n";
  CHECK(test::slurp(folder / "log") == expected);
}

TEST_CASE("Shards are shuffled by number, by any number of workers alike") {
  const test::TemporaryFolder folder;
  SampleWriter writer(folder / "s");
  for (int64_t i = 0; i < 40; ++i) writer.add(sample_of(i));
  writer.finish();
  const auto order = [&](int64_t workers) {
    std::vector<int64_t> labels;
    const auto shuffled =
        from_shards(folder / "s").shuffle().map([](Sample s) { return s; }, {.workers = workers});
    for (const Sample& s : shuffled) labels.push_back(static_cast<int64_t>(s.label.item()));
    return labels;
  };
  const std::vector<int64_t> once = order(0);
  CHECK(once.size() == 40);
  CHECK_FALSE(std::is_sorted(once.begin(), once.end()));
  CHECK(order(3) == once);
}

TEST_CASE("Files of images are kept as they are, and decoded when they are read") {
  const test::TemporaryFolder folder;
  const std::vector<uint8_t> pixels = {10, 20, 30, 40, 50, 60};
  const std::string file = io::encode_png(pixels, 1, 2, 3);
  SampleWriter writer(folder / "s");
  writer.add({.label = Tensor(4), .source = "a.png"}, test::bytes_of(file));
  writer.add({.label = Tensor(5), .source = "b.png"}, test::bytes_of(file.substr(0, 20)));
  writer.finish();
  const Pipeline<Sample> samples = from_shards(folder / "s");
  std::vector<Sample> read;
  CHECK_THROWS_WITH(
      [&] {
        for (const Sample& s : samples) read.push_back(s);
      }(),
      contains("b.png"));
  REQUIRE(read.size() == 1);
  CHECK(read[0].label.item() == 4);
  CHECK(identical(read[0].image, Tensor::from(pixels, {1, 2, 3})));
}

TEST_CASE("Samples become batches by what they have") {
  Sample s{.image = ops::zeros({2, 2, 3}), .label = Tensor(1), .weight = Tensor(0.5f)};
  Batch batch = as_batch(s);
  CHECK(batch.y.is_tensor());
  CHECK_FALSE(batch.sample_weight.empty());
  s.points = ops::zeros({3, 2});
  batch = as_batch(s);
  REQUIRE(batch.y.is_dict());
  CHECK(batch.y["points"].tensor().shape() == Shape{3, 2});
  CHECK(batch.y["label"].tensor().item() == 1);
  const auto batches = from(std::vector<Sample>(5, s)).batch(2);
  int64_t count = 0;
  for (const Batch& b : batches) {
    CHECK(b.x.tensor().shape(0) == (count == 2 ? 1 : 2));
    CHECK(b.y["points"].tensor().rank() == 3);
    ++count;
  }
  CHECK(count == 3);
  CHECK(as_batch({.image = ops::zeros({2, 2, 3})}).y.empty());
}

namespace {

// Eight files of images of which two are cut off, and one is larger than the others.
std::string with_damage(const test::TemporaryFolder& folder) {
  SampleWriter writer(folder / "s");
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t side = i == 6 ? 20 : 4;
    const std::vector<uint8_t> pixels(static_cast<size_t>(side * side * 3),
                                      static_cast<uint8_t>(i));
    std::string file = io::encode_png(pixels, side, side, 3);
    if (i == 2 || i == 5) file.resize(file.size() / 2);
    writer.add({.label = Tensor(i), .source = "photo" + std::to_string(i) + ".png"},
               test::bytes_of(file));
  }
  writer.finish();
  return folder / "s";
}

std::vector<int64_t> labels_of(const Pipeline<Sample>& samples, int64_t epoch = 0) {
  std::vector<int64_t> labels;
  for (const Sample& s : samples.epoch(epoch))
    labels.push_back(static_cast<int64_t>(s.label.item()));
  return labels;
}

}  // namespace

TEST_CASE("Samples of shards that cannot be read are left out when that is asked for") {
  const test::TemporaryFolder folder;
  const std::string path = with_damage(folder);
  for (const int64_t workers : {0, 2}) {
    INFO("workers " << workers);
    const FromShardsOptions skipping{.workers = workers, .on_error = OnError::skip};
    const auto samples = from_shards(path, skipping);
    CHECK(labels_of(samples) == std::vector<int64_t>{0, 1, 3, 4, 6, 7});
    CHECK(samples.size() == Dataset::unknown);
    CHECK(samples.runtime()->records().back().skipped == 2);
    CHECK_THROWS_AS(samples.shuffle(), ValueError);
    FromShardsOptions shuffled = skipping;
    shuffled.shuffle = true;
    auto first = labels_of(from_shards(path, shuffled), 0),
         second = labels_of(from_shards(path, shuffled), 1);
    CHECK(first != second);
    std::sort(first.begin(), first.end());
    CHECK(first == std::vector<int64_t>{0, 1, 3, 4, 6, 7});
    CHECK_THROWS_WITH(labels_of(from_shards(path, {.workers = workers})),
                      contains("Stage 'shards', element 2 of epoch 0 (from 'photo2.png')"));
  }
  CHECK_THROWS_AS(from_shards(path, {.workers = -1}), ValueError);
}

TEST_CASE("Errors of shards name a record by its number, wherever it comes in the epoch") {
  const test::TemporaryFolder folder;
  const std::string path = with_damage(folder);
  for (int64_t epoch = 0; epoch < 4; ++epoch) try {
      labels_of(from_shards(path).shuffle(), epoch);
      FAIL("no error");
    } catch (const DataError& error) {
      CHECK((error.index() == 2 || error.index() == 5));
      CHECK(error.epoch() == epoch);
      CHECK_THAT(error.what(), contains("photo" + std::to_string(error.index()) + ".png"));
      CHECK_THROWS_AS(std::rethrow_exception(error.cause()), FileError);
    }
}

TEST_CASE("Images in shards may ask for no more than the limits") {
  const test::TemporaryFolder folder;
  const std::string path = with_damage(folder);
  const FromShardsOptions small{.on_error = OnError::skip, .limits = {.pixels = 100}};
  CHECK(labels_of(from_shards(path, small)) == std::vector<int64_t>{0, 1, 3, 4, 7});
  const FromShardsOptions short_files{.on_error = OnError::skip, .limits = {.bytes = 10}};
  CHECK(labels_of(from_shards(path, short_files)).empty());
  SampleWriter writer(folder / "pixels");
  writer.add({.image = ops::zeros({11, 10, 3}, DType::uint8), .source = "large.png"});
  writer.finish();
  CHECK_THROWS_WITH(labels_of(from_shards(folder / "pixels", {.limits = {.pixels = 100}})),
                    contains("large.png") && contains("limits.pixels"));
}

}  // namespace sample_shards_test
