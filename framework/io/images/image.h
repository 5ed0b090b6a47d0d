// Image: decoded pixels, and what may be decoded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cornu::io {

/// Pixels of one image, row by row, the channels of a pixel side by side.
struct Image {
  int64_t height = 0;                ///< in pixels
  int64_t width = 0;                 ///< in pixels
  int64_t channels = 0;              ///< 1 (gray), 2 (gray, alpha), 3 (RGB) or 4 (RGBA)
  std::vector<uint8_t> pixels = {};  ///< height * width * channels, unless `wide` has them
  /// The values of a gray image of 16 bits, in place of `pixels`.
  std::vector<uint16_t> wide = {};

  /// Number of values.
  size_t size() const { return static_cast<size_t>(height * width * channels); }
  bool is_wide() const { return !wide.empty(); }  ///< whether it has 16 bits a value
};

/// What files may ask for, so that a few bytes cannot claim all memory or hours. 0: no limit.
struct ImageLimits {
  int64_t pixels = 178'956'970;      ///< of one image, and of all frames together
  int64_t bytes = int64_t{1} << 30;  ///< of a file
  int64_t frames = 10'000;           ///< of an animation
};

/// Formats that are read. The content of a file tells which it is, not its name.
enum class ImageFormat { jpeg, png, bmp, gif };

/// What a file says of its image without being decoded.
struct ImageInfo {
  ImageFormat format = ImageFormat::jpeg;  ///< by content
  int64_t height = 0;                      ///< in pixels
  int64_t width = 0;                       ///< in pixels
  int64_t channels = 0;  ///< that `decode_image` gives if it is not asked for another number
};

/// How to decode.
struct DecodeOptions {
  int channels = 0;  ///< 1, 2, 3 or 4; 0: those of the file, a palette's colors as RGB(A)
  bool fast_transform = false;  ///< of a JPEG file: less exact, as TensorFlow decodes them
  bool keep_16_bits = false;    ///< of a gray PNG file; else the upper 8 of 16 bits
  /// Of a PNG file of colors: its gray levels are those of libpng, which TensorFlow has; else those
  /// of Pillow, which are rounded and not cut off.
  bool libpng_gray = false;
  ImageLimits limits = {};  ///< what the file may ask for
};

/// The format of a file's bytes. Throws FileError, which names what else they seem to be.
ImageFormat detect_image_format(std::span<const std::byte> bytes, const std::string& source);

/// Reads a file's header. `source` names the file in errors. Throws FileError for bytes that are no
/// image, are damaged or ask for more than the limits, UnsupportedError when Cornu was built
/// without the library of the format.
ImageInfo read_image_info(std::span<const std::byte> bytes, const std::string& source,
                          const ImageLimits& limits = {});

/// Decodes a JPEG, PNG, BMP or GIF file (its first frame). Colors become gray by the luma of ITU-R
/// 601-2, as Pillow has it unless the options say otherwise; transparency is left out or 255 where
/// it is added. Throws as read_image_info does; a truncated file is an error.
Image decode_image(std::span<const std::byte> bytes, const std::string& source,
                   const DecodeOptions& options = {});
/// The same of a file on the disk. Throws FileError when it cannot be read.
Image read_image(const std::string& path, const DecodeOptions& options = {});

/// The image with another number of channels. 16-bit values become their upper 8 bits, unless the
/// image is gray and stays so.
Image convert_channels(Image image, int64_t channels);

/// Throws FileError when the sizes of an image are none, or more than the limits allow.
void check_image_size(int64_t height, int64_t width, const ImageLimits& limits,
                      const std::string& source);

}  // namespace cornu::io
