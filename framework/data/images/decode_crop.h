// From the bytes of an image file straight into a slot of a float32 batch: the way of training
// images, where decoding is most of the work.
#pragma once
#include <array>
#include <functional>

#include "../../io/images/jpeg.h"
#include "../place.h"

namespace cornu::data {

using io::Region;

/// What becomes of the cut part of an image.
struct CropTarget {
  int64_t height = 224;         ///< of the result
  int64_t width = 224;          ///< of the result
  bool channels_first = false;  ///< (3, height, width) instead of (height, width, 3)
  /// value = (level / 255 - mean) / std for each of red, green and blue.
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};  ///< see mean
  io::ImageLimits limits = {};           ///< what a file may ask for
};

/// The part of an image of that size to take, and whether to mirror it.
struct Crop {
  Region region;      ///< in pixels of the file
  bool flip = false;  ///< left to right
};

/// Chooses a crop when the size of the image is known.
using ChooseCrop = std::function<Crop(int64_t height, int64_t width)>;

/// How random_resized_crop draws.
struct RandomCropOptions {
  std::array<double, 2> scale = {0.08, 1.0};         ///< fraction of the area, from and to
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};  ///< width to height, from and to
  double flip = 0.5;                                 ///< probability of mirroring
};

/// A part of random size and shape, as torchvision's RandomResizedCrop draws it: ten tries of an
/// area, uniform, and a ratio, uniform in its logarithm; else the largest part in the middle whose
/// ratio is allowed. Follows from `random` alone. Throws ValueError for ranges that are empty or
/// not positive.
Crop random_resized_crop(int64_t height, int64_t width, Random& random,
                         const RandomCropOptions& options = {});

/// Decodes the crop of an image, resizes it by linear interpolation, mirrors and normalizes it into
/// `values`, which has room for height * width * 3 floats. Of a JPEG file only the blocks in the
/// crop are decoded, and a crop of more than twice the target's height and width is reduced while
/// it is decoded, by 2, 4 or 8; other formats are decoded whole and reduced by means. Memory is
/// kept for the thread's next image. Throws FileError, UnsupportedError, and ValueError when the
/// crop is not in the image; `values` is then left as it was or half written.
void decode_crop(std::span<const std::byte> bytes, const std::string& source,
                 const ChooseCrop& choose, const CropTarget& target, float* values);

}  // namespace cornu::data
