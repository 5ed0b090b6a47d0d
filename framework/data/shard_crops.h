// Crops of images in shards: from mapped memory straight into the slots of float32 batches.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "images/decode_crop.h"
#include "sample_shards.h"

namespace cornu::data {

/// Chooses a crop by the size of the image and the random numbers of its place.
using DrawCrop = std::function<Crop(int64_t height, int64_t width, Random& random)>;

/// How crops_from_shards reads.
struct ShardCropOptions {
  CropTarget target = {};       ///< size, order of the channels, normalization
  RandomCropOptions crop = {};  ///< how parts are drawn
  /// Instead of random_resized_crop, such as center_crop for images to test with.
  DrawCrop draw = {};
  bool verify = true;  ///< whether the sum of a sample's bytes is checked each time it is read
  std::string name = "shards";  ///< in errors, warnings and statistics
  /// Threads that read and cut, in place of whoever makes the batches; 0: none.
  int64_t workers = 0;
  /// Of samples that are damaged, cannot be decoded, or ask for more than target.limits. With
  /// `skip` images are cut before they are in a batch, and all of them are shuffled by the option
  /// `shuffle` alone, since their number is not known.
  OnError on_error = OnError::raise;
  bool shuffle = false;              ///< another order in each epoch
  std::optional<int64_t> seed = {};  ///< of the shuffle; default: follows from the pipeline's seed
};

/// A sample whose image is cut, resized, mirrored and normalized when its batch is made; until then
/// its pixels, or the bytes of its file, stay where they are mapped.
struct ShardCrop {
  Sample sample;  ///< what else is there: label, weight, tensors that do not follow the image
  io::ShardArray image;  ///< (h, w, c) uint8, or the bytes of a file
  Place place;           ///< of the record, by its number: what the crop is drawn from
  std::shared_ptr<const ShardCropOptions> options;  ///< of the source
  Tensor made = {};  ///< the result where it was made before its batch; `image` is empty then

  /// Bytes of what was made, as queues count them.
  int64_t bytes() const;
  /// Writes the image into target.height * target.width * 3 floats. Throws as decode_crop and
  /// crop_pixels.
  void write(float* values) const;
};

/// A batch: x is float32 (n, height, width, 3), or with channels first (n, 3, height, width); y and
/// sample_weight are as those of samples. For Pipeline::batch. Throws DataError with the number and
/// the source of a sample that cannot be cut.
Batch collate(std::vector<ShardCrop> crops, const BatchOptions& options);

/// The images of a folder of shards (framework/data/sample_shards.h) as random crops, by number:
///
///   auto train = data::crops_from_shards("photos.shards", {.target = {.height = 224, .width =
///   224}})
///                    .shuffle().batch(64).prefetch(4, {.workers = 2});
///
/// A draw is a function of the seed, the epoch and the number. Throws FileError where there are no
/// shards; while reading DataError with the sample's number and source: of UnsupportedError for
/// samples with points, boxes, masks or others that must follow the image (from_shards and augment
/// change those), and of ValueError for one with no image.
Pipeline<ShardCrop> crops_from_shards(const std::string& folder, ShardCropOptions options = {});

}  // namespace cornu::data
