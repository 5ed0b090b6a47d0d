// Folders of sound at another sampling rate, as Keras gives them.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/backend/log.h>
#include <cornu/framework/data/folders/folder_datasets.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../../../paths.h"
#include "../../../support/temporary.h"

namespace audio_resampling_test {

using namespace cornu;
using test::contains;

namespace {

nlohmann::json goldens() {
  std::ifstream file(test::source_path("tests/data/resampled_audio.json"));
  return nlohmann::json::parse(file);
}

void write(const std::filesystem::path& path, const nlohmann::json& file) {
  io::Audio audio{0, file["channels"], file["rate"], {}};
  for (const int sample : file["samples"])
    audio.samples.push_back(static_cast<float>(sample) / 32768.0f);
  audio.frames = std::ssize(audio.samples) / audio.channels;
  test::spill(path, io::encode_audio(audio));
}

std::vector<Tensor> elements_of(const utils::FolderDataset& dataset) {
  std::vector<Tensor> all;
  for (const Batch& one : dataset) all.push_back(one.x.tensor());
  return all;
}

}  // namespace

TEST_CASE("Files of other sampling rates become what Keras makes of them") {
  for (const auto& golden : goldens()["cases"]) {
    INFO(golden["options"].dump());
    test::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "a");
    size_t number = 0;
    for (const auto& file : golden["files"])
      write(folder / "a" / (std::to_string(number++) + ".wav"), file);
    utils::AudioFolderOptions options{.batch_size = {}, .shuffle = false, .verbose = false};
    options.sampling_rate = golden["options"]["sampling_rate"].get<int64_t>();
    if (golden["options"].contains("output_sequence_length")) {
      options.output_sequence_length = golden["options"]["output_sequence_length"].get<int64_t>();
      options.batch_size = static_cast<int64_t>(number);
    }
    const auto elements = elements_of(utils::audio_dataset_from_directory(folder.path(), options));
    REQUIRE(elements.size() == golden["results"].size());
    for (size_t i = 0; i < elements.size(); ++i) {
      const auto shape = golden["results"][i]["shape"].get<std::vector<int64_t>>();
      REQUIRE(elements[i].shape() == Shape(shape));
      const auto expected = golden["results"][i]["x"].get<std::vector<float>>();
      const auto values = elements[i].to_vector<float>();
      float largest = 0;
      for (size_t k = 0; k < values.size(); ++k)
        largest = std::max(largest, std::abs(values[k] - expected[k]));
      CHECK(largest <= 1e-6f);
    }
  }
}

TEST_CASE("Resampled sounds of other lengths are padded in batches") {
  test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  for (const int64_t rate : {4000, 8000, 16000})
    test::spill(folder / "a" / (std::to_string(rate) + ".wav"),
                io::encode_audio({100, 1, rate, std::vector<float>(100, 0.25f)}));
  utils::AudioFolderOptions options{.sampling_rate = 8000, .shuffle = false, .verbose = false};
  for (const int64_t workers : {0, 2}) {
    options.workers = workers;
    const auto batches = elements_of(utils::audio_dataset_from_directory(folder.path(), options));
    REQUIRE(batches.size() == 1);
    CHECK(batches[0].shape() == Shape{3, 200, 1});  // of 16000, 4000 and 8000, by name
  }
  // With a length the rates show in the shapes: the error names both files.
  options.output_sequence_length = 80;
  const auto fixed = utils::audio_dataset_from_directory(folder.path(), options);
  CHECK_THROWS_WITH(elements_of(fixed),
                    contains("x of row 1 (element 1 of 'from', from '") && contains("4000.wav'") &&
                        contains("(160, 1), that of row 0 (element 0 of 'from', from '") &&
                        contains("16000.wav'"));
}

TEST_CASE("Files that claim rates of their own cannot take all memory") {
  test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  const auto with_rate = [&](int64_t rate) {
    test::spill(folder / "a" / "0.wav",
                io::encode_audio({1000, 1, rate, std::vector<float>(1000, 0.5f)}));
  };
  const auto error = [&](const utils::AudioFolderOptions& options) {
    try {
      elements_of(utils::audio_dataset_from_directory(folder.path(), options));
    } catch (const data::DataError& caught) {
      return std::string(caught.what());
    }
    return std::string();
  };
  with_rate(100);
  CHECK_THAT(error({.sampling_rate = 16000, .verbose = false, .limits = {.samples = 100'000}}),
             contains("0.wav' would become 160000 samples") && contains("'limits.samples'"));
  with_rate(1);
  CHECK_THAT(error({.sampling_rate = 16000, .verbose = false}),
             contains("0.wav'") && contains("differ by less than 1000 times"));
  show_warnings(false);
  utils::AudioFolderOptions skipping{.sampling_rate = 16000, .verbose = false};
  skipping.on_error = data::OnError::skip;
  CHECK(elements_of(utils::audio_dataset_from_directory(folder.path(), skipping)).empty());
  show_warnings(true);
}

}  // namespace audio_resampling_test
