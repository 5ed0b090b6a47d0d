// Pipelines of folders: images, texts, sound; windows of a series.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/folders/folder_datasets.h>
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/data/timeseries_dataset.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>
#include <sstream>

#include "../../../support/reader_goldens.h"
#include "../../../support/temporary.h"

namespace folder_datasets_test {

using namespace cornu;
using test::contains;

namespace {

// Images of one gray level: of class a 0, 1, ..., of class b 100, 101, ...
void make_images(const test::TemporaryFolder& folder, int count) {
  for (int c = 0; c < 2; ++c) {
    const auto own = folder / (c == 0 ? "a" : "b");
    std::filesystem::create_directories(own);
    for (int i = 0; i < count; ++i)
      utils::save_img(
          own / (std::to_string(i) + ".png"),
          Tensor::from(std::vector<float>(48, static_cast<float>(100 * c + i)), {4, 4, 3}),
          {.scale = false});
  }
}

// The first value of each sample, and the labels.
std::vector<std::pair<double, double>> samples_of(const data::Pipeline<Batch>& pipeline,
                                                  int64_t epoch = 0) {
  std::vector<std::pair<double, double>> samples;
  for (const Batch& batch : pipeline.epoch(epoch)) {
    const Tensor& x = batch.x.tensor();
    const std::vector<double> values = x.to_vector<double>(),
                              labels = batch.y.tensor().to_vector<double>();
    const size_t step = values.size() / static_cast<size_t>(x.shape(0));
    for (size_t i = 0; i < labels.size(); ++i) samples.emplace_back(values[i * step], labels[i]);
  }
  return samples;
}

utils::ImageFolderOptions options_of(const nlohmann::json& golden) {
  utils::ImageFolderOptions options;
  options.image_size = {golden["size"][0], golden["size"][1]};
  const auto& o = golden["options"];
  options.interpolation = o.value("interpolation", "bilinear");
  options.color_mode = o.value("color_mode", "rgb");
  options.data_format = o.value("data_format", "channels_last");
  options.crop_to_aspect_ratio = o.value("crop_to_aspect_ratio", false);
  options.pad_to_aspect_ratio = o.value("pad_to_aspect_ratio", false);
  return options;
}

}  // namespace

TEST_CASE("images of folders have Keras's values") {
  test::TemporaryFolder folder;
  for (const auto& golden : test::reader_goldens()["dataset_images"]) {
    test::spill(folder / "image", test::from_hex(golden["file"]));
    const Tensor x = utils::load_dataset_image((folder / "image").string(), options_of(golden));
    CAPTURE(golden["name"].get<std::string>(), golden["options"].dump(), golden["size"].dump());
    const auto sizes = golden["shape"].get<std::vector<int64_t>>();
    CHECK(x.shape() == Shape{sizes[0], sizes[1], sizes[2]});
    const auto expected = golden["x"].get<std::vector<double>>();
    const std::vector<double> values = x.to_vector<double>();
    REQUIRE(values.size() == expected.size());
    double worst = 0;
    for (size_t i = 0; i < values.size(); ++i)
      worst = std::max(worst, std::abs(values[i] - expected[i]));
    // TensorFlow has another table of weights for cubic kernels.
    const bool loose = golden["options"].value("interpolation", "") == "bicubic";
    CHECK(worst < (loose ? 1.1 : 0.02));
  }
}

TEST_CASE("batches of images") {
  test::TemporaryFolder folder;
  make_images(folder, 7);
  utils::ImageFolderOptions options{.batch_size = 4, .image_size = {3, 5}, .shuffle = false};
  const auto sorted = utils::image_dataset_from_directory(folder.path(), options);
  CHECK(sorted.size() == 4);
  CHECK(sorted.class_names == std::vector<std::string>{"a", "b"});
  CHECK(sorted.file_paths.size() == 14);
  for (const Batch& batch : sorted) {
    CHECK(batch.x.tensor().shape().slice(1, 4) == Shape{3, 5, 3});
    CHECK(batch.x.tensor().dtype() == DType::float32);
    CHECK(batch.y.tensor().dtype() == DType::int32);
  }
  const auto in_order = samples_of(sorted);
  REQUIRE(in_order.size() == 14);
  for (size_t i = 0; i < 14; ++i)
    CHECK(in_order[i] == std::pair<double, double>((i < 7 ? 0 : 100) + i % 7, i < 7 ? 0 : 1));

  options.shuffle = true;
  options.seed = 3;
  const auto one = utils::image_dataset_from_directory(folder.path(), options);
  options.workers = 2;
  const auto two = utils::image_dataset_from_directory(folder.path(), options);
  CHECK(samples_of(one) == samples_of(two));
  CHECK(samples_of(one, 0) != samples_of(one, 1));
  for (const auto& [level, label] : samples_of(one)) CHECK(label == (level < 50 ? 0 : 1));

  options.validation_split = 0.25;
  std::set<double> seen;
  for (const char* subset : {"training", "validation"}) {
    options.subset = subset;
    for (const auto& sample :
         samples_of(utils::image_dataset_from_directory(folder.path(), options)))
      CHECK(seen.insert(sample.first).second);
  }
  CHECK(seen.size() == 14);
}

TEST_CASE("labels and single samples of folders") {
  test::TemporaryFolder folder;
  make_images(folder, 2);
  utils::ImageFolderOptions options{.label_mode = "categorical", .image_size = {2, 2}};
  for (const Batch& batch : utils::image_dataset_from_directory(folder.path(), options))
    CHECK(batch.y.tensor().shape() == Shape{4, 2});
  options.label_mode = "binary";
  for (const Batch& batch : utils::image_dataset_from_directory(folder.path(), options))
    CHECK(batch.y.tensor().shape() == Shape{4, 1});
  options.label_mode = std::nullopt;
  for (const Batch& batch : utils::image_dataset_from_directory(folder.path(), options))
    CHECK(batch.y.empty());
  options.label_mode = "int";
  options.batch_size = std::nullopt;
  for (const Batch& sample : utils::image_dataset_from_directory(folder.path(), options)) {
    CHECK(sample.x.tensor().shape() == Shape{2, 2, 3});
    CHECK(sample.y.tensor().shape() == Shape{});
  }
}

TEST_CASE("damaged files in folders") {
  test::TemporaryFolder folder;
  make_images(folder, 3);
  test::spill(folder / "b" / "1.png", "no image");
  utils::ImageFolderOptions options{.image_size = {2, 2}, .shuffle = false};
  const auto strict = utils::image_dataset_from_directory(folder.path(), options);
  CHECK_THROWS_WITH(samples_of(strict), contains("1.png") && contains("read image"));
  options.on_error = data::OnError::skip;
  CHECK(samples_of(utils::image_dataset_from_directory(folder.path(), options)).size() == 5);
  options.color_mode = "gray";
  CHECK_THROWS_WITH(utils::image_dataset_from_directory(folder.path(), options),
                    contains("'color_mode'"));
  CHECK_THROWS_WITH(
      utils::image_dataset_from_directory(folder.path(), {.interpolation = "bilinaer"}),
      contains("bilinear"));
  CHECK_THROWS_AS(utils::image_dataset_from_directory(
                      folder.path(), {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}),
                  ValueError);
}

TEST_CASE("batches of texts") {
  test::TemporaryFolder folder;
  for (const char* name : {"good", "bad"}) std::filesystem::create_directories(folder / name);
  test::spill(folder / "good" / "1.txt", "fine film");
  test::spill(folder / "bad" / "1.txt", "dull");
  test::spill(folder / "bad" / "2.txt", "");
  for (const Batch& batch :
       utils::text_dataset_from_directory(folder.path(), {.max_length = 6, .shuffle = false})) {
    CHECK(batch.x.tensor().to_strings() == std::vector<std::string>{"dull", "", "fine f"});
    CHECK(batch.y.tensor().to_vector<int>() == std::vector<int>{0, 0, 1});
  }
}

TEST_CASE("texts have a limit, and those that cannot be read may be left out") {
  test::TemporaryFolder folder;
  for (const char* name : {"a", "b"}) std::filesystem::create_directories(folder / name);
  test::spill(folder / "a" / "1.txt", "short");
  test::spill(folder / "a" / "2.txt", std::string(2000, 'x'));
  test::spill(folder / "b" / "1.txt", "also short");
  utils::TextFolderOptions options{.shuffle = false, .limits = {.bytes = 1000}};
  const auto texts = [&] {
    std::vector<std::string> all;
    for (const Batch& batch : utils::text_dataset_from_directory(folder.path(), options))
      for (const std::string& text : batch.x.tensor().to_strings()) all.push_back(text);
    return all;
  };
  CHECK_THROWS_WITH(texts(), contains("2.txt") && contains("2000 bytes") &&
                                 contains("'limits.bytes'") && contains("read text"));
  options.on_error = data::OnError::skip;
  CHECK(texts() == std::vector<std::string>{"short", "also short"});
  options.limits.bytes = 0;
  CHECK(texts().size() == 3);
}

TEST_CASE("errors of folders name the file in any order") {
  test::TemporaryFolder folder;
  make_images(folder, 3);
  test::spill(folder / "b" / "1.png", "no image");
  const auto files = utils::image_dataset_from_directory(
      folder.path(), {.image_size = {2, 2}, .seed = 3, .verbose = false});
  CHECK_THROWS_WITH(samples_of(files, 1),
                    contains("of epoch 1 (element 2 of 'from', from '") && contains("1.png')"));
}

TEST_CASE("batches of sound") {
  test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  for (const int64_t frames : {3, 5}) {
    const io::Audio audio{frames, 2, 8000,
                          std::vector<float>(static_cast<size_t>(2 * frames), 0.5f)};
    test::spill(folder / "a" / (std::to_string(frames) + ".wav"), io::encode_audio(audio));
  }
  for (const Batch& batch :
       utils::audio_dataset_from_directory(folder.path(), {.shuffle = false})) {
    CHECK(batch.x.tensor().shape() == Shape{2, 5, 2});
    const std::vector<float> values = batch.x.tensor().to_vector<float>();
    CHECK(values[5] == 0.5f);
    CHECK(values[6] == 0);
  }
  for (const Batch& batch : utils::audio_dataset_from_directory(
           folder.path(), {.output_sequence_length = 4, .shuffle = false}))
    CHECK(batch.x.tensor().shape() == Shape{2, 4, 2});
  for (const Batch& batch :
       utils::audio_dataset_from_directory(folder.path(), {.sampling_rate = 8000}))
    CHECK(batch.x.tensor().shape() == Shape{2, 5, 2});
  CHECK_THROWS_WITH(utils::audio_dataset_from_directory(folder.path(), {.sampling_rate = 0}),
                    contains("'sampling_rate'"));
}

TEST_CASE("batches of windows") {
  std::vector<int64_t> steps(40);
  for (size_t i = 0; i < 40; ++i) steps[i] = static_cast<int64_t>(i);
  const Tensor series = Tensor::from(steps, {40});
  for (int64_t& step : steps) step *= 10;
  const Tensor tens = Tensor::from(steps, {40});
  for (const auto& golden : test::reader_goldens()["series"]) {
    const auto& o = golden["options"];
    utils::TimeseriesOptions options;
    options.sequence_stride = o.value("sequence_stride", int64_t{1});
    options.sampling_rate = o.value("sampling_rate", int64_t{1});
    if (o.contains("start_index")) options.start_index = o["start_index"].get<int64_t>();
    if (o.contains("end_index")) options.end_index = o["end_index"].get<int64_t>();
    options.batch_size = o.value("batch_size", int64_t{128});
    const auto windows = utils::timeseries_dataset_from_array(
        series, golden["targets"].get<bool>() ? tens : Tensor(), o["sequence_length"], options);
    size_t i = 0;
    for (const Batch& batch : windows) {
      std::vector<int64_t> expected;
      for (const auto& row : golden["x"][i])
        for (const int64_t v : row) expected.push_back(v);
      CHECK(batch.x.tensor().to_vector<int64_t>() == expected);
      if (golden["targets"].get<bool>())
        CHECK(batch.y.tensor().to_vector<int64_t>() == golden["y"][i].get<std::vector<int64_t>>());
      ++i;
    }
    CHECK(i == golden["x"].size());
  }
  CHECK_THROWS_AS(utils::timeseries_dataset_from_array(series, nullptr, 50), ValueError);
  const auto threes = utils::timeseries_dataset_from_array(series, std::nullopt, 4,
                                                           {.sequence_stride = 4, .batch_size = 3});
  CHECK(threes.size() == 4);
  CHECK(threes.begin()->x.tensor().shape() == Shape{3, 4});
  CHECK(threes.begin()->y.empty());
  const auto single =
      utils::timeseries_dataset_from_array(series, tens, 4, {.batch_size = std::nullopt});
  CHECK(single.size() == 37);
  CHECK(single.begin()->x.tensor().to_vector<int>() == std::vector<int>{0, 1, 2, 3});
  CHECK(single.begin()->y.tensor().shape() == Shape{});
  CHECK(single.batch(5).begin()->x.tensor().shape() == Shape{5, 4});
}

TEST_CASE("what was found in a folder is printed as in Keras") {
  const test::TemporaryFolder folder;
  make_images(folder, 10);
  const auto printed = [&](const utils::ImageFolderOptions& options) {
    std::ostringstream text;
    std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
    utils::image_dataset_from_directory(folder.path(), options);
    std::cout.rdbuf(before);
    return text.str();
  };
  CHECK(printed({}) == "Found 20 files belonging to 2 classes.\n");
  CHECK(printed({.label_mode = std::nullopt}) == "Found 20 files.\n");
  CHECK(printed({.seed = 3, .validation_split = 0.3, .subset = "validation"}) ==
        "Found 20 files belonging to 2 classes.\nUsing 6 files for validation.\n");
  CHECK(printed({.verbose = false}).empty());
  config::disable_interactive_logging();
  CHECK(printed({}).empty());
  config::enable_interactive_logging();
}

TEST_CASE("both subsets are those of two calls, of one listing") {
  const test::TemporaryFolder folder;
  make_images(folder, 10);
  utils::ImageFolderOptions options{
      .batch_size = 4, .image_size = {4, 4}, .seed = 3, .validation_split = 0.3};
  const auto [training, validation] = utils::image_datasets_from_directory(folder.path(), options);
  options.subset = "training";
  const auto alone = utils::image_dataset_from_directory(folder.path(), options);
  options.subset = "validation";
  const auto other = utils::image_dataset_from_directory(folder.path(), options);
  CHECK(training.file_paths == alone.file_paths);
  CHECK(validation.file_paths == other.file_paths);
  CHECK((training.file_paths.size() == 14 && validation.file_paths.size() == 6));
  CHECK(training.class_names == std::vector<std::string>{"a", "b"});
  CHECK(samples_of(training, 1) == samples_of(alone, 1));
  // As in Keras, the order of the validation's files stays.
  CHECK(samples_of(training, 1) != samples_of(training, 2));
  CHECK(samples_of(validation, 1) == samples_of(validation, 2));
  options.subset = "both";
  CHECK_THROWS_WITH(utils::audio_dataset_from_directory(
                        folder.path(), {.seed = 3, .validation_split = 0.3, .subset = "both"}),
                    contains("Call audio_datasets_from_directory"));
  CHECK_THROWS_WITH(utils::image_dataset_from_directory(folder.path(), options),
                    contains("image_datasets_from_directory"));
  CHECK_NOTHROW(utils::image_datasets_from_directory(folder.path(), options));
  options.validation_split = std::nullopt;
  CHECK_THROWS_WITH(utils::image_datasets_from_directory(folder.path(), options),
                    contains("validation_split"));
  options.validation_split = 0.3;
  options.seed = std::nullopt;
  CHECK_THROWS_WITH(utils::image_datasets_from_directory(folder.path(), options), contains("seed"));
  std::filesystem::create_directories(folder / "t" / "x");
  for (int i = 0; i < 4; ++i)
    test::spill(folder / "t" / "x" / (std::to_string(i) + ".txt"), std::to_string(i));
  const auto texts = utils::text_datasets_from_directory(
      folder / "t", {.shuffle = false, .validation_split = 0.5});
  CHECK((texts.training.file_paths.size() == 2 && texts.validation.file_paths.size() == 2));
  CHECK_THROWS_AS(utils::audio_datasets_from_directory(folder / "t",
                                                       {.shuffle = false, .validation_split = 0.5}),
                  ValueError);
}

}  // namespace folder_datasets_test
