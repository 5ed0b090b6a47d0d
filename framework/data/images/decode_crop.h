// From the bytes of an image file, or from its pixels, straight into a slot of a float32 batch: the
// way of training images.
#pragma once
#include <array>
#include <functional>

#include "../random_part.h"

namespace cornu::data {

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

/// Throws ValueError that begins with `who` for a target without pixels.
void check_target(const CropTarget& target, const char* who);

/// Chooses a crop when the size of the image is known.
using ChooseCrop = std::function<Crop(int64_t height, int64_t width)>;

/// How random_resized_crop draws.
struct RandomCropOptions {
  std::array<double, 2> scale = {0.08, 1.0};         ///< fraction of the area, from and to
  std::array<double, 2> ratio = {3.0 / 4, 4.0 / 3};  ///< width to height, from and to
  double flip = 0.5;                                 ///< probability of mirroring
};

/// A part as random_part draws it, and whether to mirror it, which is drawn first. Follows from
/// `random` alone. Throws as random_part does.
Crop random_resized_crop(int64_t height, int64_t width, Random& random,
                         const RandomCropOptions& options = {});

/// The largest part in the middle that has the target's ratio, not mirrored: what is looked at when
/// a model is tested.
Crop center_crop(int64_t height, int64_t width, const CropTarget& target);

/// Decodes the crop of an image, resizes it by linear interpolation, mirrors and normalizes it into
/// `values`, which has room for height * width * 3 floats. Of a JPEG file only the blocks in the
/// crop are decoded, and a crop of more than twice the target's height and width is reduced while
/// it is decoded, by 2, 4 or 8; other formats are decoded whole and reduced by means. Memory is
/// kept for the thread's next image. Throws FileError, UnsupportedError, and ValueError when the
/// crop is not in the image; `values` is then left as it was or half written.
void decode_crop(std::span<const std::byte> bytes, const std::string& source,
                 const ChooseCrop& choose, const CropTarget& target, float* values);

/// Pixels in somebody's memory, such as a mapped file's: (height, width, channels).
struct PixelView {
  const uint8_t* pixels = nullptr;  ///< row after row
  int64_t height = 0;               ///< rows
  int64_t width = 0;                ///< columns
  int64_t channels = 3;             ///< red, green, blue, and perhaps one that is passed over
};

/// What decode_crop does, of an image that is decoded already; `source` is its name in errors. The
/// pixels are read where they are, once, and of a crop that is not reduced only those that the
/// result is made of; the floats are those that decode_crop makes of the same image in a PNG file.
/// Throws ShapeError unless there are 3 or 4 channels, ValueError when the crop is not in the
/// image.
void crop_pixels(const PixelView& view, const std::string& source, const ChooseCrop& choose,
                 const CropTarget& target, float* values);

}  // namespace cornu::data
