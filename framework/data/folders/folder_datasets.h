// Pipelines of the files in a folder: Keras's image_, text_ and audio_dataset_from_directory.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../io/audio/audio.h"
#include "../../io/images/image.h"
#include "../pipeline.h"
#include "index_directory.h"

// In all of them each epoch of training has another order: the files are shuffled as Keras shuffles
// them (NumPy's RandomState), which decides what is for validation, and then by the pipeline's own
// shuffle from epoch to epoch, where Keras uses TensorFlow's. What Keras gives for subset "both" is
// given by functions of their own, image_datasets_from_directory and the like.

namespace cornu::utils {

/// A pipeline of batches and what it was made of. Given to fit as it is; stages can be added.
class FolderDataset : public data::Pipeline<Batch> {
 public:
  FolderDataset(data::Pipeline<Batch> pipeline, FileList files)
      : Pipeline(std::move(pipeline)),
        class_names(std::move(files.class_names)),
        file_paths(std::move(files.file_paths)) {}  ///< `files` is what it was made of

  std::vector<std::string> class_names;  ///< by label; empty without labels
  std::vector<std::string> file_paths;   ///< in the order before the pipeline shuffles
};

/// What Keras gives for subset "both".
struct FolderDatasets {
  FolderDataset training;    ///< in another order in each epoch
  FolderDataset validation;  ///< in the same order in each epoch, as in Keras
};

/// How image_dataset_from_directory reads.
struct ImageFolderOptions {
  Labels labels = "inferred";                           ///< see Labels
  std::optional<std::string> label_mode = "int";        ///< see FolderOptions
  std::vector<std::string> class_names = {};            ///< see FolderOptions
  std::string color_mode = "rgb";                       ///< "grayscale", "rgb" or "rgba"
  std::optional<int64_t> batch_size = 32;               ///< none: elements are single samples
  std::pair<int64_t, int64_t> image_size = {256, 256};  ///< height and width of the batches' images
  bool shuffle = true;                                  ///< see FolderOptions
  std::optional<int64_t> seed = {};                     ///< see FolderOptions
  std::optional<double> validation_split = {};          ///< see FolderOptions
  std::optional<std::string> subset = {};               ///< see FolderOptions
  std::string interpolation = "bilinear";               ///< one of those of ops::resize
  bool follow_links = false;                            ///< see FolderOptions
  bool crop_to_aspect_ratio = false;  ///< cut the middle to the shape of image_size, then resize
  bool pad_to_aspect_ratio = false;   ///< resize as a whole, then add black borders
  std::string data_format = config::image_data_format();  ///< or "channels_first"
  bool verbose = true;                                    ///< see FolderOptions
  int64_t workers = 0;                                    ///< threads that decode (not in Keras)
  data::OnError on_error = data::OnError::raise;          ///< of files that cannot be read
  io::ImageLimits limits = {};                            ///< what files may ask for
};

/// One file as float32 (height, width, channels), 0 to 255, resized as tf.image.resize does it
/// without antialiasing.
Tensor load_dataset_image(const std::string& path, const ImageFolderOptions& options = {});

/// Batches of the JPEG, PNG, BMP and GIF files of a folder: x float32 (n, height, width, channels),
/// 0 to 255, y as encode_labels says. Throws as index_directory, and ValueError for unknown modes.
FolderDataset image_dataset_from_directory(const std::filesystem::path& directory,
                                           const ImageFolderOptions& options = {});
/// Both subsets, `auto [training, validation] = ...`; options.subset does not count. Throws
/// likewise, and ValueError without a validation_split.
FolderDatasets image_datasets_from_directory(const std::filesystem::path& directory,
                                             const ImageFolderOptions& options);

/// What files of texts may ask for. 0: no limit.
struct TextLimits {
  int64_t bytes = int64_t{1} << 30;  ///< of a file
};

/// How text_dataset_from_directory reads.
struct TextFolderOptions {
  Labels labels = "inferred";                     ///< see Labels
  std::optional<std::string> label_mode = "int";  ///< see FolderOptions
  std::vector<std::string> class_names = {};      ///< see FolderOptions
  std::optional<int64_t> batch_size = 32;         ///< none: elements are single samples
  std::optional<int64_t> max_length = {};         ///< bytes of a text, at most
  bool shuffle = true;                            ///< see FolderOptions
  std::optional<int64_t> seed = {};               ///< see FolderOptions
  std::optional<double> validation_split = {};    ///< see FolderOptions
  std::optional<std::string> subset = {};         ///< see FolderOptions
  bool follow_links = false;                      ///< see FolderOptions
  bool verbose = true;                            ///< see FolderOptions
  int64_t workers = 0;                            ///< threads that read (not in Keras)
  data::OnError on_error = data::OnError::raise;  ///< of files that cannot be read
  TextLimits limits = {};                         ///< what files may ask for
};

/// Batches of the .txt files of a folder: x (n) strings. Throws as index_directory.
FolderDataset text_dataset_from_directory(const std::filesystem::path& directory,
                                          const TextFolderOptions& options = {});
/// Both subsets, `auto [training, validation] = ...`; options.subset does not count. Throws
/// likewise, and ValueError without a validation_split.
FolderDatasets text_datasets_from_directory(const std::filesystem::path& directory,
                                            const TextFolderOptions& options);

/// How audio_dataset_from_directory reads.
struct AudioFolderOptions {
  Labels labels = "inferred";                     ///< see Labels
  std::optional<std::string> label_mode = "int";  ///< see FolderOptions
  std::vector<std::string> class_names = {};      ///< see FolderOptions
  std::optional<int64_t> batch_size = 32;         ///< none: elements are single samples
  /// Samples a second; files that have others are resampled as in Keras (io::resample, delayed),
  /// for which Cornu must have been built with libspeexdsp. None: those of each file.
  std::optional<int64_t> sampling_rate = {};
  /// Samples of a file to cut or to fill with zeros to, before they are resampled, as in Keras;
  /// none: all, and zeros up to the longest of the batch.
  std::optional<int64_t> output_sequence_length = {};
  bool shuffle = true;                            ///< see FolderOptions
  std::optional<int64_t> seed = {};               ///< see FolderOptions
  std::optional<double> validation_split = {};    ///< see FolderOptions
  std::optional<std::string> subset = {};         ///< see FolderOptions
  bool follow_links = false;                      ///< see FolderOptions
  bool verbose = true;                            ///< see FolderOptions
  int64_t workers = 0;                            ///< threads that decode (not in Keras)
  data::OnError on_error = data::OnError::raise;  ///< of files that cannot be read
  io::AudioLimits limits = {};                    ///< what files may ask for
};

/// Batches of the WAV files of a folder, and FLAC files, which Keras does not read: x float32 (n,
/// samples, channels). Throws as index_directory, and ValueError for lengths and rates below 1.
FolderDataset audio_dataset_from_directory(const std::filesystem::path& directory,
                                           const AudioFolderOptions& options = {});
/// Both subsets, `auto [training, validation] = ...`; options.subset does not count. Throws
/// likewise, and ValueError without a validation_split.
FolderDatasets audio_datasets_from_directory(const std::filesystem::path& directory,
                                             const AudioFolderOptions& options);

}  // namespace cornu::utils
