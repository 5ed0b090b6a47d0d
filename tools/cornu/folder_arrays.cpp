// Reading folders whole.
#include "folder_arrays.h"

#include <cornu/framework/data/folders/folder_datasets.h>
#include <cornu/framework/io/atomic_file.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t shuffle_seed = 0;
constexpr int64_t most_bytes = int64_t{16} << 30;

utils::FileList files_in(const std::string& folder, const std::vector<std::string>& formats,
                         FileOrder order) {
  utils::FolderOptions options{.shuffle = order == FileOrder::shuffled, .seed = shuffle_seed};
  if (!has_classes(folder)) options.labels = std::nullopt;
  return utils::index_directory(folder, formats, options);
}

Tensor texts_of(const std::vector<std::string>& files) {
  std::vector<std::string> texts;
  for (const std::string& file : files) {
    const std::vector<std::byte> bytes = io::read_file(file, uint64_t{1} << 30);
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return Tensor::strings(texts, {static_cast<int64_t>(texts.size())});
}

// How images fit the model's input (None, height, width, channels).
utils::ImageFolderOptions options_for(const Shape& input, const std::string& folder) {
  const bool fits = input.rank() == 4 && input[1] != Shape::unknown && input[2] != Shape::unknown &&
                    (input[3] == 1 || input[3] == 3 || input[3] == 4);
  if (!fits)
    throw ValueError(fmt::format(
        "'{}' is a folder of images, which a model takes as (samples, height, width, channels) "
        "with 1, 3 or 4 channels and a known size; this one takes {}.",
        folder, input.str()));
  return {.color_mode = input[3] == 1   ? "grayscale"
                        : input[3] == 3 ? "rgb"
                                        : "rgba",
          .image_size = {input[1], input[2]}};
}

Tensor images_of(const std::vector<std::string>& files, const utils::ImageFolderOptions& options,
                 const Shape& input) {
  const Shape shape({static_cast<int64_t>(files.size()), input[1], input[2], input[3]});
  if (shape.numel() * 4 > most_bytes)
    throw ValueError(fmt::format(
        "{} images of {} x {} take {} GB of memory as float32, more than the {} GB that are read "
        "at once. Take smaller ones, or fit a pipeline: docs/data.md.",
        files.size(), input[1], input[2], shape.numel() * 4 >> 30, most_bytes >> 30));
  return Tensor::written(shape, DType::float32, [&](void* to) {
    auto* at = static_cast<std::byte*>(to);
    for (const std::string& file : files) {
      const Tensor image = utils::load_dataset_image(file, options);
      std::memcpy(at, image.host_data(), image.bytes());
      at += image.bytes();
    }
  });
}

}  // namespace

bool has_classes(const std::string& folder) {
  const fs::directory_iterator inside(folder);
  return std::any_of(begin(inside), end(inside), [](const fs::directory_entry& entry) {
    return entry.is_directory() && !entry.path().filename().string().starts_with('.');
  });
}

std::vector<std::string> parts_in(const std::string& folder) {
  std::vector<std::string> parts;
  if (!fs::is_directory(fs::path(folder) / "train")) return parts;
  for (const char* name : {"train", "val", "valid", "validation", "test"})
    if (fs::is_directory(fs::path(folder) / name)) parts.push_back(name);
  return parts;
}

FolderArrays folder_arrays(const std::string& folder, const std::string& label_mode,
                           FileOrder order, const Model& model) {
  const Nest spec = model.input_spec();
  if (!spec.is_tensor() || !spec.tensor())
    throw ValueError(fmt::format(
        "'{}' is a folder, which is read for models with one input of a known shape.", folder));
  const bool text = spec.tensor().dtype() == DType::string;
  const utils::FileList files =
      files_in(folder,
               text ? std::vector<std::string>{".txt"}
                    : std::vector<std::string>{".jpg", ".jpeg", ".png", ".bmp", ".gif"},
               order);
  Arrays arrays;
  arrays.emplace_back("x",
                      text ? texts_of(files.file_paths)
                           : images_of(files.file_paths, options_for(spec.tensor().shape(), folder),
                                       spec.tensor().shape()));
  if (!files.labels.empty())
    arrays.emplace_back("y",
                        utils::encode_labels(files.labels, files.class_names.size(), label_mode));
  return {arrays, files.file_paths};
}

}  // namespace cornu::cli
