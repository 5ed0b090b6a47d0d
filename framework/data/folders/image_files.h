// Image files with their classes, and the stage of a pipeline that makes training crops of them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../dataset.h"
#include "../images/decode_crop.h"
#include "index_directory.h"

namespace cornu::data {

/// An image on the disk.
struct ImageFile {
  std::string source = {};  ///< its path
  int64_t label = 0;        ///< its class
};

/// The JPEG, PNG, BMP and GIF files of a folder, whose subfolders are the classes, for data::from:
/// an element each. Sorted by path unless they are to be shuffled, or cut in subsets, which needs a
/// seed. Labels are 0 where there are none. Throws as utils::index_directory.
std::vector<ImageFile> image_files(const std::filesystem::path& directory,
                                   const utils::FolderOptions& options = {.shuffle = false});

/// How decode_crop makes samples of files.
struct DecodeCropOptions {
  CropTarget target = {};  ///< size and normalization of the results
  /// How the part of each image is drawn, in each epoch anew. None: the largest part in the middle
  /// that has the target's ratio, as for validation.
  std::optional<RandomCropOptions> random = RandomCropOptions{};
  /// Without `random`: the fraction of that part's sides that is taken, such as 0.875 for 224
  /// pixels of 256.
  double middle = 1;
};

/// A function of files for Pipeline::map, which decodes, crops, mirrors and normalizes; see
/// decode_crop.
class DecodeCrop {
 public:
  /// Throws ValueError unless 0 < middle <= 1 and the target has pixels.
  explicit DecodeCrop(DecodeCropOptions options);
  /// A sample: x float32, (height, width, 3) or (3, height, width); y its class, int32 (). The part
  /// follows from the place alone. Throws as decode_crop of bytes does, and FileError for files
  /// that cannot be read.
  Batch operator()(const ImageFile& file, const Place& place) const;
  /// The image of a file whose bytes are in memory; `source` names it in errors.
  Tensor image_of(std::span<const std::byte> bytes, const std::string& source,
                  const Place& place) const;

 private:
  Crop choose(int64_t height, int64_t width, Random& random) const;

  DecodeCropOptions options_;
};

/// `data::from(data::image_files(folder)).shuffle().map(data::decode_crop(), {.workers = 4})`.
DecodeCrop decode_crop(const DecodeCropOptions& options = {});

}  // namespace cornu::data
