// What docs/data_files.md shows: folders, single images, crops, arrays, and the data sets of Keras.
#include <cornu/cornu.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace cornu;

namespace {

// Pictures of filled disks and of rings.
void draw(const std::filesystem::path& folder) {
  for (const std::string name : {"disk", "ring"}) {
    std::filesystem::create_directories(folder / name);
    for (int i = 0; i < 12; ++i) {
      std::vector<float> pixels;
      for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 40; ++x) {
          const int distance = (x - 20) * (x - 20) + (y - 20) * (y - 20);
          const bool inside = distance < 100 + 15 * i && (name == "disk" || distance > 50);
          for (int c = 0; c < 3; ++c) pixels.push_back(inside ? 220.0f : 30.0f);
        }
      utils::save_img(folder / name / (std::to_string(i) + ".png"),
                      Tensor::from(pixels, {40, 40, 3}), {.scale = false});
    }
  }
}

}  // namespace

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "cornu-docs-data" / "images";
  draw(folder);

  Sequential model({
      Input({32, 32, 3}),
      layers::Rescaling({.scale = 1.0 / 255}),
      layers::Flatten(),
      layers::Dense({.units = 2, .activation = "softmax"}),
  });
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});

  auto train = utils::image_dataset_from_directory(folder, {.image_size = {32, 32},
                                                            .seed = 1,
                                                            .validation_split = 0.25,
                                                            .subset = "training",
                                                            .workers = 2});
  auto validation = utils::image_dataset_from_directory(
      folder,
      {.image_size = {32, 32}, .seed = 1, .validation_split = 0.25, .subset = "validation"});
  model.fit(train, {.epochs = 3, .validation_data = {validation}});

  utils::Image image = utils::load_img(folder / "ring" / "0.png",
                                       {.target_size = {{20, 30}}, .interpolation = "bicubic"});
  Tensor x = utils::img_to_array(image);
  utils::save_img(folder.parent_path() / "copy.jpg", x);

  std::ifstream file(folder / "ring" / "0.png", std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(content));
  data::Random random = data::Place{.seed = 0, .epoch = 0, .index = 0}.random();
  std::vector<float> slot(224 * 224 * 3);
  data::decode_crop(
      bytes, "ring/0.png",
      [&](int64_t height, int64_t width) {
        return data::random_resized_crop(height, width, random);
      },
      {.mean = {0.485f, 0.456f, 0.406f}, .std = {0.229f, 0.224f, 0.225f}}, slot.data());

  Tensor padded =
      utils::pad_sequences(std::vector<std::vector<int64_t>>{{1}, {2, 3}}, {.padding = "post"});
  Tensor labels = utils::to_categorical(Tensor::from({0, 2, 1}, {3}));
  const Tensor x_all = random::uniform({10, 3}, 0, 1, 1), y_all = random::uniform({10}, 0, 1, 2);
  auto [left, right] =
      utils::split_dataset({x_all, y_all}, {.left_size = 0.8, .shuffle = true, .seed = 1});
  const Tensor series = random::uniform({100}, 0, 1, 3);
  auto windows = utils::timeseries_dataset_from_array(series, series, 10, {.sampling_rate = 2});
  std::cout << "padded " << padded.shape().str() << ", labels " << labels.shape().str() << ", left "
            << left.list()[0].tensor().shape().str() << ", batches of windows " << windows.size()
            << "\n";

  try {
    auto [train_reviews, test_reviews] =
        datasets::imdb::load_data({.num_words = 10000, .maxlen = 200});
    Tensor reviews = utils::pad_sequences(train_reviews.x, {.maxlen = 200});
    std::cout << "reviews " << reviews.shape().str() << "\n";
  } catch (const FileError& e) {
    std::cout << e.what() << "\n";
  }
}
