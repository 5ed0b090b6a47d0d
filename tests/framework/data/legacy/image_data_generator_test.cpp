// ImageDataGenerator beside Keras's: tests/data/image_data_generator.json, written by
// tools/goldens/image_data_generator_goldens.py.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/data/legacy/image_iterators.h>
#include <cornu/framework/ops/ops.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../../../paths.h"
#include "../../../support/contract.h"
#include "../../../support/temporary.h"
#include "difference.h"

namespace image_data_generator_test {

using namespace cornu;
using namespace cornu::preprocessing::image;
using nlohmann::json;
using test::difference;

namespace {

constexpr int64_t height = 5, width = 7;

const json& goldens() {
  static const json file =
      json::parse(std::ifstream(test::source_path("tests/data/image_data_generator.json")));
  return file;
}

// The pictures of the script.
Tensor pictures(int64_t count, int64_t channels = 3) {
  std::vector<float> values(static_cast<size_t>(count * height * width * channels));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 256);
  return Tensor::from(values, {count, height, width, channels});
}

TransformParameters parameters_of(const json& change) {
  TransformParameters p;
  p.theta = change.value("theta", 0.0);
  p.tx = change.value("tx", 0.0);
  p.ty = change.value("ty", 0.0);
  p.shear = change.value("shear", 0.0);
  p.zx = change.value("zx", 1.0);
  p.zy = change.value("zy", 1.0);
  return p;
}

ImageDataGeneratorOptions options_of(const std::string& name) {
  if (name == "all")
    return {.rotation_range = 40,
            .width_shift_range = 0.3,
            .height_shift_range = {-2, 1, 3},
            .brightness_range = {0.5, 1.5},
            .shear_range = 10,
            .zoom_range = 0.3,
            .channel_shift_range = 20,
            .fill_mode = "reflect",
            .horizontal_flip = true,
            .vertical_flip = true,
            .rescale = 1.0 / 255};
  if (name == "pixels")
    return {.width_shift_range = 3,
            .height_shift_range = 2.5,
            .zoom_range = {0.5, 0.9},
            .fill_mode = "constant",
            .cval = 4};
  if (name == "samplewise")
    return {
        .samplewise_center = true, .samplewise_std_normalization = true, .horizontal_flip = true};
  if (name == "featurewise")
    return {.featurewise_center = true, .featurewise_std_normalization = true, .rescale = 0.5};
  if (name == "split") return {.rotation_range = 10, .validation_split = 0.4};
  if (name == "next") return {.rotation_range = 30};
  return {};
}

// Batches of some epochs, as fit asks for them.
std::vector<Batch> batches(Dataset& data, int64_t epochs) {
  std::vector<Batch> found;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    data.on_epoch_begin(epoch);
    for (int64_t i = 0; i < data.size(); ++i) found.push_back(data.batch(i));
    data.on_epoch_end(epoch);
  }
  return found;
}

}  // namespace

TEST_CASE("Affine changes have SciPy's numbers") {
  const Tensor x = pictures(1)[0];
  for (const json& c : goldens()["affine"]) {
    INFO(c["change"].dump() << " " << c["mode"] << " order " << c["order"]);
    AffineOptions options{.fill_mode = c["mode"], .cval = 9, .order = c["order"]};
    const Tensor y = apply_affine_transform(x, parameters_of(c["change"]), options);
    CHECK(difference(y, c["values"]) < 1e-4);
    options.data_format = "channels_first";
    const Tensor planes =
        apply_affine_transform(ops::transpose(x, {{2, 0, 1}}), parameters_of(c["change"]), options);
    CHECK(test::identical(ops::transpose(planes, {{1, 2, 0}}), y));
  }
  CHECK_THROWS_AS(apply_affine_transform(pictures(1), {}), ShapeError);
  CHECK_THROWS_AS(apply_affine_transform(x, {.theta = 1}, {.order = 3}), UnsupportedError);
  CHECK_THROWS_AS(apply_affine_transform(x, {.theta = 1}, {.fill_mode = "mirrored"}), ValueError);
  CHECK_THROWS_WITH(ImageDataGenerator({.fill_mode = "mirrored"}), test::contains("fill_mode"));
}

TEST_CASE("Changes of color have Pillow's numbers") {
  const Tensor x = pictures(1)[0], wide = x * 2.0 - 100.0;
  for (const json& c : goldens()["colors"]) {
    INFO(c["kind"] << " " << c["by"]);
    const double by = c["by"];
    const Tensor y = c["kind"] == "channel"
                         ? apply_channel_shift(wide, by)
                         : apply_brightness_shift(c["given"] == "wide" ? wide : x, by, c["scale"]);
    CHECK(difference(y, c["values"]) < 1e-3);
  }
}

TEST_CASE("flow gives Keras's batches for the same seed") {
  const Tensor x = pictures(5);
  for (const json& c : goldens()["flows"]) {
    const std::string name = c["generator"];
    INFO(name << " " << c["subset"]);
    ImageDataGenerator generator(options_of(name));
    if (name == "featurewise") generator.fit(x);
    std::optional<std::string> subset;
    if (!c["subset"].is_null()) subset = c["subset"].get<std::string>();
    const bool by_next = name == "next";
    const Tensor y = Tensor::from(std::vector<int32_t>{0, 1, 0, 1, 0}, {5});
    NumpyArrayIterator flow =
        generator.flow(x, y, {.batch_size = 2, .seed = by_next ? 5 : 11, .subset = subset});
    std::vector<Batch> found;
    if (by_next)
      for (int i = 0; i < 7; ++i) found.push_back(flow.next());
    else
      found = batches(flow, 2);
    REQUIRE(found.size() == c["values"].size());
    for (size_t i = 0; i < found.size(); ++i) {
      CHECK(difference(found[i].x.tensor(), c["values"][i]) < 2e-3);
      CHECK(difference(found[i].y.tensor(), c["labels"][i]) == 0);
    }
  }
}

TEST_CASE("fit finds Keras's statistics") {
  const Tensor x = pictures(5);
  const json& cases = goldens()["fitted"];
  ImageDataGenerator deviations({.featurewise_std_normalization = true});
  deviations.fit(x);
  CHECK(difference(deviations.mean(), cases[0]["mean"]) < 1e-3);
  CHECK(difference(deviations.std(), cases[0]["std"]) < 1e-3);
  ImageDataGenerator augmented({.featurewise_center = true, .rotation_range = 30});
  augmented.fit(x, {.augment = true, .rounds = 2, .seed = 3});
  CHECK(difference(augmented.mean(), cases[1]["mean"]) < 1e-3);
  ImageDataGenerator whitened({.zca_whitening = true, .zca_epsilon = 0.1});
  const Tensor small = pictures(5, 1)[{Slice{}, Slice{0, 3}, Slice{0, 2}}];
  whitened.fit(small);
  CHECK(difference(whitened.standardize(small), cases[2]["values"]) < 1e-3);
  CHECK_THROWS_AS(whitened.fit(x[0]), ShapeError);
}

TEST_CASE("flow_from_directory lists and reads what Keras does") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> names = {"cats/a.png", "cats/deeper/b.png", "cats/c.png",
                                          "dogs/d.png", "dogs/e.png",        "dogs/notes.txt"};
  const Tensor x = pictures(6);
  for (size_t i = 0; i < names.size(); ++i) {
    std::filesystem::create_directories((folder / names[i]).parent_path());
    if (names[i].ends_with(".txt"))
      test::spill(folder / names[i], "");
    else
      utils::save_img(folder / names[i], x[static_cast<int64_t>(i)], {.scale = false});
  }
  ImageDataGenerator generator({.horizontal_flip = true, .validation_split = 0.5});
  for (const json& c : goldens()["folder"]) {
    INFO(c["mode"] << " " << c["subset"]);
    FlowFromDirectoryOptions options{
        .target_size = {4, 6}, .batch_size = 3, .seed = 2, .interpolation = "bilinear"};
    options.class_mode = {};
    if (!c["mode"].is_null()) options.class_mode = c["mode"].get<std::string>();
    if (!c["subset"].is_null()) options.subset = c["subset"].get<std::string>();
    DirectoryIterator flow = generator.flow_from_directory(folder.path(), options);
    CHECK(flow.filenames == c["filenames"].get<std::vector<std::string>>());
    CHECK(flow.classes == c["classes"].get<std::vector<int32_t>>());
    CHECK(flow.class_indices == std::map<std::string, int64_t>{{"cats", 0}, {"dogs", 1}});
    const std::vector<Batch> found = batches(flow, 1);
    REQUIRE(found.size() == c["values"].size());
    for (size_t i = 0; i < found.size(); ++i) {
      CHECK(difference(found[i].x.tensor(), c["values"][i]) < 1e-3);
      if (options.class_mode) CHECK(difference(found[i].y.tensor(), c["targets"][i]) < 1e-3);
    }
  }
  CHECK_THROWS_AS(generator.flow_from_directory(folder / "birds"), FileError);
  CHECK_THROWS_AS(generator.flow_from_directory(folder.path(), {.class_mode = "binaries"}),
                  ValueError);
  CHECK_THROWS_AS(generator.flow_from_directory(folder.path(), {.color_mode = "rbg"}), ValueError);
}

TEST_CASE("Batches of an image iterator follow from seed, epoch and number") {
  const Tensor x = pictures(5);
  ImageDataGenerator generator({.rotation_range = 30, .horizontal_flip = true});
  NumpyArrayIterator flow = generator.flow(x, {}, {.batch_size = 2, .seed = 4});
  const std::vector<Batch> in_turn = batches(flow, 3);
  CHECK(generator.flow(x, {.batch_size = 4, .seed = 4}).batch(0).x.shape() ==
        Shape({4, height, width, 3}));
  CHECK_THROWS_AS(ImageDataGenerator({.brightness_range = {0.5}}), ValueError);
  NumpyArrayIterator later = generator.flow(x, {}, {.batch_size = 2, .seed = 9});
  later.set_state(flow.get_state());
  later.on_epoch_begin(2);
  CHECK(test::identical(later.batch(1).x.tensor(), in_turn[7].x.tensor()));
  CHECK(test::identical(later.batch(0).x.tensor(), in_turn[6].x.tensor()));
  CHECK_THROWS_AS(later.batch(3), ValueError);
  CHECK_THROWS_AS(later.set_state({}), ValueError);
}

TEST_CASE("ImageDataGenerator saves what it gives, and passes inputs on") {
  const test::TemporaryFolder folder;
  const Tensor x = pictures(3);
  ImageDataGenerator generator(
      {.preprocessing_function = [](const Tensor& image) { return 255.0 - image; }});
  const Tensor more = Tensor::from({1.0f, 2.0f, 3.0f}, {3});
  NumpyArrayIterator flow = generator.flow(Nest(std::vector<Tensor>{x, more}), more,
                                           {.shuffle = false,
                                            .sample_weight = more,
                                            .save = {.to_dir = folder.path(), .prefix = "seen"}});
  const Batch batch = flow.batch(0);
  CHECK(test::identical(batch.x[0].tensor(), 255.0 - x));
  CHECK(test::identical(batch.x[1].tensor(), more));
  CHECK(test::identical(batch.sample_weight.tensor(), more));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    CHECK(entry.path().filename().string().starts_with("seen_"));
    ++files;
  }
  CHECK(files == 3);
}

TEST_CASE("ImageDataGenerator explains mistakes") {
  CHECK_THROWS_AS(ImageDataGenerator({.data_format = "channels_lost"}), ValueError);
  CHECK_THROWS_AS(ImageDataGenerator({.validation_split = 1.0}), ValueError);
  const ImageDataGenerator generator({.validation_split = 0.5});
  const Tensor x = pictures(4);
  const Tensor sorted = Tensor::from(std::vector<int32_t>{0, 0, 1, 1}, {4});
  CHECK_THROWS_AS(generator.flow(x[0]), ShapeError);
  CHECK_THROWS_AS(generator.flow(x, pictures(3)), ShapeError);
  CHECK_THROWS_AS(generator.flow(x, {}, {.batch_size = 0}), ValueError);
  CHECK_THROWS_AS(generator.flow(x, {}, {.subset = "both"}), ValueError);
  CHECK(test::has(test::error_of([&] { generator.flow(x, sorted, {.subset = "training"}); }),
                  "ignore_class_split"));
  CHECK(generator.flow(x, sorted, {.ignore_class_split = true, .subset = "training"}).samples() ==
        2);
  ImageDataGenerator grows({.preprocessing_function = [](const Tensor& image) {
    return ops::pad(image, {{1, 1}, {0, 0}, {0, 0}});
  }});
  CHECK_THROWS_AS(grows.flow(x).batch(0), ShapeError);
}

}  // namespace image_data_generator_test
