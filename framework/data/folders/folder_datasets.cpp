// From files to pipelines.
#include "folder_datasets.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <system_error>
#include <utility>

#include "../../../backend/error.h"
#include "../../io/atomic_file.h"
#include "../../io/audio/resample.h"
#include "../../ops/image/resize.h"
#include "../../ops/numpy/manipulation.h"
#include "../images/load_img.h"

namespace cornu::utils {
namespace {

template <class Options>
FolderOptions folder_options(const Options& o) {
  return {o.labels,           o.label_mode, o.class_names,  o.shuffle, o.seed,
          o.validation_split, o.subset,     o.follow_links, o.verbose};
}

// Keras gives a pair for subset "both"; `instead` does here.
void check_one_subset(const std::optional<std::string>& subset, const char* instead) {
  if (subset == "both")
    throw ValueError(
        fmt::format("option 'subset': one data set cannot be \"both\". Call {}, which gives two: "
                    "auto [training, "
                    "validation] = utils::{}(folder, {{...}}).",
                    instead, instead));
}

// One label as encode_labels gives it, without the axis of samples.
Tensor label_of(int32_t label, size_t classes, const std::optional<std::string>& mode) {
  if (!mode) return nullptr;
  const Tensor one = encode_labels({label}, classes, mode);
  return ops::squeeze(one, 0);
}

using ReadFile = std::function<Tensor(const std::string& path)>;

// An element of a list, whose member names it in errors.
struct ListedFile {
  std::string source = {};
  int32_t label = 0;
};

// A pipeline that reads the files of a list, one element each.
template <class Options>
FolderDataset pipeline_of(FileList files, const Options& options, const char* stage, ReadFile read,
                          const data::BatchOptions& batch) {
  const bool labeled = !files.labels.empty();
  std::vector<ListedFile> listed;
  for (size_t i = 0; i < files.file_paths.size(); ++i)
    listed.push_back({files.file_paths[i], labeled ? files.labels[i] : 0});
  auto paths = data::from(std::move(listed));
  if (options.shuffle) paths = paths.shuffle({.seed = options.seed});
  auto samples = paths.map(
      [labeled, read = std::move(read), classes = files.class_names.size(),
       mode = options.label_mode](const ListedFile& file) {
        Batch sample{read(file.source)};
        if (labeled) sample.y = label_of(file.label, classes, mode);
        return sample;
      },
      {.workers = options.workers, .name = stage, .on_error = options.on_error});
  if (!options.batch_size) return {samples, std::move(files)};
  return {samples.batch(*options.batch_size, batch), std::move(files)};
}

// The data sets of both subsets, by what makes one of a list of files.
template <class Options, class Make>
FolderDatasets both_of(const std::filesystem::path& directory,
                       const std::vector<std::string>& endings, Options options, const Make& make) {
  auto [training, validation] = index_both_subsets(directory, endings, folder_options(options));
  FolderDataset first = make(std::move(training), options);
  options.shuffle = false;
  return {std::move(first), make(std::move(validation), options)};
}

void check_image_options(const ImageFolderOptions& o) {
  color_channels(o.color_mode);
  if (o.image_size.first < 1 || o.image_size.second < 1)
    throw ValueError(fmt::format("option 'image_size': expected at least one pixel, found {} x {}.",
                                 o.image_size.first, o.image_size.second));
  static const std::vector<std::string> known = {"bilinear", "nearest",  "bicubic",
                                                 "area",     "lanczos3", "lanczos5"};
  if (std::find(known.begin(), known.end(), o.interpolation) == known.end())
    throw ValueError(fmt::format(
        "option 'interpolation': expected bilinear, nearest, bicubic, area, lanczos3 or lanczos5, "
        "found '{}'.{}",
        o.interpolation, did_you_mean(o.interpolation, known)));
  if (o.data_format != "channels_last" && o.data_format != "channels_first")
    throw ValueError(fmt::format(
        "option 'data_format': expected 'channels_last' or 'channels_first', found '{}'.",
        o.data_format));
  if (o.crop_to_aspect_ratio && o.pad_to_aspect_ratio)
    throw ValueError("only one of 'crop_to_aspect_ratio' and 'pad_to_aspect_ratio' can be set.");
}

// The largest part in the middle that has the shape of height x width.
io::Image cut_middle(const io::Image& image, int64_t height, int64_t width) {
  const auto largest = [](int64_t side, int64_t other, int64_t to, int64_t by) {
    const auto size = static_cast<double>(other * to) / static_cast<double>(by);
    return std::max<int64_t>(std::min(side, static_cast<int64_t>(size)), 1);
  };
  io::Image part{largest(image.height, image.width, height, width),
                 largest(image.width, image.height, width, height), image.channels};
  const int64_t top = (image.height - part.height) / 2, left = (image.width - part.width) / 2;
  for (int64_t y = 0; y < part.height; ++y) {
    const auto row = image.pixels.begin() + ((top + y) * image.width + left) * image.channels;
    part.pixels.insert(part.pixels.end(), row, row + part.width * image.channels);
  }
  return part;
}

// As tf.image.resize_with_pad: the image as large as it fits in, black around it.
Tensor resize_with_pad(const Tensor& x, int64_t height, int64_t width,
                       const std::string& interpolation) {
  const auto h = static_cast<double>(x.shape(0)), w = static_cast<double>(x.shape(1));
  const auto th = static_cast<double>(height), tw = static_cast<double>(width);
  const double ratio = std::max(w / tw, h / th);
  const double rows = std::floor(h / ratio), columns = std::floor(w / ratio);
  const auto before = [](double to, double size) {
    return std::max<int64_t>(0, static_cast<int64_t>(std::floor((to - size) / 2)));
  };
  const auto nh = std::max<int64_t>(static_cast<int64_t>(rows), 1);
  const auto nw = std::max<int64_t>(static_cast<int64_t>(columns), 1);
  // Of what it is before it is cut off to whole pixels.
  const int64_t top = before(th, h / ratio), left = before(tw, w / ratio);
  const Tensor resized = ops::resize(x, {nh, nw}, interpolation);
  return ops::pad(resized, {{top, height - nh - top}, {left, width - nw - left}, {0, 0}});
}

FolderDataset images_of(FileList files, const ImageFolderOptions& options) {
  return pipeline_of(
      std::move(files), options, "read image",
      [options](const std::string& path) { return load_dataset_image(path, options); }, {});
}

void check_text_size(const std::string& path, int64_t limit) {
  std::error_code failed;  // which reading the file then tells of
  const auto size = std::filesystem::file_size(path, failed);
  if (!failed && limit > 0 && std::cmp_greater(size, limit))
    throw FileError(
        fmt::format("'{}' has {} bytes; texts may have {}. The option 'limits.bytes' allows more.",
                    path, size, limit));
}

FolderDataset texts_of(FileList files, const TextFolderOptions& options) {
  const int64_t limit = options.limits.bytes;
  const auto read = [length = options.max_length, limit](const std::string& path) {
    check_text_size(path, limit);
    const std::vector<std::byte> bytes =
        io::read_file(path, limit > 0 ? static_cast<uint64_t>(limit) : UINT64_MAX);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (length && static_cast<size_t>(*length) < text.size())
      text.resize(static_cast<size_t>(*length));
    return Tensor::strings({text}, Shape{});
  };
  return pipeline_of(std::move(files), options, "read text", read, {});
}

// A few bytes of a file that claims to have few samples a second would become many.
void check_resampled_size(const io::Audio& audio, int64_t rate, int64_t limit,
                          const std::string& path) {
  const int64_t frames = io::resampled_frames(audio.frames, audio.sample_rate, rate);
  if (limit > 0 && frames > limit / audio.channels)
    throw FileError(
        fmt::format("'{}' would become {} samples of {} channels at {} a second instead of {}; {} "
                    "samples are allowed. If the file can be trusted, the option 'limits.samples' "
                    "allows more.",
                    path, frames, audio.channels, rate, audio.sample_rate, limit));
}

FolderDataset sounds_of(FileList files, const AudioFolderOptions& options) {
  const auto read = [rate = options.sampling_rate, length = options.output_sequence_length,
                     limits = options.limits](const std::string& path) {
    io::Audio audio = io::read_audio(path, length.value_or(-1), limits);
    if (length) audio.frames = *length;
    audio.samples.resize(static_cast<size_t>(audio.frames * audio.channels));
    if (rate && audio.sample_rate != *rate) {
      check_resampled_size(audio, *rate, limits.samples, path);
      audio = io::resample(audio, *rate, {.delayed = true}, path);
    }
    return Tensor::from(audio.samples, {audio.frames, audio.channels});
  };
  return pipeline_of(std::move(files), options, "read sound", read,
                     {.pad = !options.output_sequence_length});
}

void check_text_options(const TextFolderOptions& options) {
  if (options.max_length && *options.max_length < 0)
    throw ValueError(
        fmt::format("option 'max_length': expected 0 or more, found {}.", *options.max_length));
}

void check_audio_options(const AudioFolderOptions& options) {
  if (options.output_sequence_length && *options.output_sequence_length < 1)
    throw ValueError(fmt::format("option 'output_sequence_length': expected at least 1, found {}.",
                                 *options.output_sequence_length));
  if (options.sampling_rate && *options.sampling_rate < 1)
    throw ValueError(fmt::format("option 'sampling_rate': expected at least 1, found {}.",
                                 *options.sampling_rate));
}

// What names end in.
const std::vector<std::string> text_endings = {".txt"}, audio_endings = {".wav", ".flac"};

}  // namespace

Tensor load_dataset_image(const std::string& path, const ImageFolderOptions& options) {
  const auto [height, width] = options.image_size;
  io::Image image = io::read_image(path, {.channels = color_channels(options.color_mode),
                                          .fast_transform = true,
                                          .libpng_gray = true,
                                          .limits = options.limits});
  if (options.crop_to_aspect_ratio) image = cut_middle(image, height, width);
  Tensor x = img_to_array(image);
  x = options.pad_to_aspect_ratio ? resize_with_pad(x, height, width, options.interpolation)
                                  : ops::resize(x, {height, width}, options.interpolation);
  return options.data_format == "channels_first" ? ops::transpose(x, {{2, 0, 1}}) : x;
}

FolderDataset image_dataset_from_directory(const std::filesystem::path& directory,
                                           const ImageFolderOptions& options) {
  check_one_subset(options.subset, "image_datasets_from_directory");
  check_image_options(options);
  return images_of(index_directory(directory, image_file_endings(), folder_options(options)),
                   options);
}

FolderDatasets image_datasets_from_directory(const std::filesystem::path& directory,
                                             const ImageFolderOptions& options) {
  check_image_options(options);
  return both_of(directory, image_file_endings(), options, images_of);
}

FolderDataset text_dataset_from_directory(const std::filesystem::path& directory,
                                          const TextFolderOptions& options) {
  check_one_subset(options.subset, "text_datasets_from_directory");
  check_text_options(options);
  return texts_of(index_directory(directory, text_endings, folder_options(options)), options);
}

FolderDatasets text_datasets_from_directory(const std::filesystem::path& directory,
                                            const TextFolderOptions& options) {
  check_text_options(options);
  return both_of(directory, text_endings, options, texts_of);
}

FolderDataset audio_dataset_from_directory(const std::filesystem::path& directory,
                                           const AudioFolderOptions& options) {
  check_one_subset(options.subset, "audio_datasets_from_directory");
  check_audio_options(options);
  return sounds_of(index_directory(directory, audio_endings, folder_options(options)), options);
}

FolderDatasets audio_datasets_from_directory(const std::filesystem::path& directory,
                                             const AudioFolderOptions& options) {
  check_audio_options(options);
  return both_of(directory, audio_endings, options, sounds_of);
}

}  // namespace cornu::utils
