// Image files as arrays and back: keras.utils.load_img, save_img, img_to_array and array_to_img.
#pragma once
#include <concepts>
#include <filesystem>
#include <optional>
#include <string>

#include "../../io/images/image.h"
#include "../../tensor/tensor.h"

namespace cornu::utils {

using io::Image;

/// Channels of a color mode: "grayscale" 1, "rgb" 3, "rgba" 4. Throws ValueError for others.
int color_channels(const std::string& color_mode);

/// Height and width, or neither: `.target_size = {17, 23}`.
class TargetSize : public std::optional<std::pair<int64_t, int64_t>> {
 public:
  TargetSize() = default;                                                          ///< none
  TargetSize(std::nullopt_t) {}                                                    ///< none
  TargetSize(std::pair<int64_t, int64_t> size) : optional(size) {}                 ///< these
  TargetSize(std::optional<std::pair<int64_t, int64_t>> size) : optional(size) {}  ///< the same
  /// Height and width in braces. Throws ValueError unless there are two.
  TargetSize(std::initializer_list<Shape::Size> sides);
};

/// How load_img reads.
struct LoadImgOptions {
  std::string color_mode = "rgb";  ///< "grayscale", "rgb" or "rgba"
  /// Height and width to resize to; none: those of the file.
  TargetSize target_size = {};
  /// "nearest", "bilinear", "bicubic", "lanczos", "box" or "hamming", as in Pillow
  std::string interpolation = "nearest";
  /// Whether to cut the largest part of the target's shape out of the middle before resizing.
  bool keep_aspect_ratio = false;
  io::ImageLimits limits = {};  ///< what the file may ask for (not in Keras)
};

/// Reads a JPEG, PNG, BMP or GIF file (its first frame); its content tells which it is. A gray PNG
/// file of 16 bits keeps them with color_mode "grayscale"; with others, as in Keras, all values
/// above 255 become white. As in Keras, an orientation that a
/// camera noted (EXIF) is not applied. Throws FileError for files that are missing, damaged, no
/// images, or larger than the limits; ValueError for an unknown mode or interpolation.
Image load_img(const std::filesystem::path& path, const LoadImgOptions& options = {});

/// How img_to_array orders and stores values.
struct ImgToArrayOptions {
  std::string data_format = config::image_data_format();  ///< or "channels_first"
  DTypeName dtype = config::floatx();                     ///< of the tensor
};

/// The pixels as a tensor (height, width, channels), or (channels, height, width) with data_format
/// "channels_first", whose values are those of the image: 0 to 255. Throws ValueError for another
/// data_format.
Tensor img_to_array(const Image& image, const ImgToArrayOptions& options = {});
/// The same by a data_format, "channels_last" or "channels_first". A template, so that braces are
/// options.
template <std::convertible_to<std::string> Name>
Tensor img_to_array(const Image& image, const Name& data_format,
                    DTypeName dtype = config::floatx()) {
  return img_to_array(image, ImgToArrayOptions{std::string(data_format), dtype});
}

/// How array_to_img reads values.
struct ArrayToImgOptions {
  std::string data_format = config::image_data_format();  ///< or "channels_first"
  bool scale = true;                   ///< whether the least value becomes 0, the largest 255
  DTypeName dtype = config::floatx();  ///< float type of the arithmetic
};

/// An image of a tensor of rank 3 with 1 (gray), 3 (RGB) or 4 (RGBA) channels. `scale`: its least
/// value becomes 0, its largest 255; else values are cut off to whole numbers, and of what is not
/// in 0 to 255 the lower 8 bits are kept, as NumPy does; a gray one with values above 255 becomes
/// an image of 16 bits. `dtype` is the float type of the arithmetic. Throws ShapeError for other
/// shapes, ValueError for another data_format and for values that 16 bits do not hold.
Image array_to_img(const Tensor& x, const ArrayToImgOptions& options = {});
/// The same by a data_format. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Image array_to_img(const Tensor& x, const Name& data_format, bool scale = true,
                   DTypeName dtype = config::floatx()) {
  return array_to_img(x, ArrayToImgOptions{std::string(data_format), scale, dtype});
}

/// How save_img writes.
struct SaveImgOptions {
  std::string data_format = config::image_data_format();  ///< or "channels_first"
  /// "png", "jpeg" ("jpg") or "bmp"; empty: by the ending of the file's name.
  std::string file_format = "";
  bool scale = true;  ///< see array_to_img
  int quality = 75;   ///< of a JPEG file, 1 to 100
};

/// Writes array_to_img(x) as a file, which appears whole or not at all. JPEG files have no alpha:
/// it is left out with a warning. Throws ValueError for other formats, as array_to_img does, and
/// FileError.
void save_img(const std::filesystem::path& path, const Tensor& x,
              const SaveImgOptions& options = {});

}  // namespace cornu::utils
