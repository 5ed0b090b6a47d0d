// PNG files.
#pragma once
#include <string>

#include "image.h"

namespace cornu::io {

/// Size and channels of a PNG file. Throws FileError.
ImageInfo read_png_info(std::span<const std::byte> bytes, const std::string& source);

/// Decodes a PNG file, interlaced or not. A palette becomes RGB, or RGBA when colors of it are
/// transparent; fewer than 8 bits are spread over 0 to 255. 16-bit gray without transparency is
/// given in `wide`; other 16-bit values by their upper 8 bits. Gamma and color profiles are passed
/// over, as Pillow and TensorFlow do. Throws FileError for damaged and truncated files.
Image decode_png(std::span<const std::byte> bytes, const std::string& source,
                 const ImageLimits& limits = {});

/// The bytes of a PNG file of 8-bit pixels, row by row: 1 (gray), 2 (gray, alpha), 3 (RGB) or 4
/// (RGBA) channels. Throws ValueError for other channels or an empty image.
std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                       int64_t channels);
/// The same of an image, with 16 bits when it is wide.
std::string encode_png(const Image& image);

}  // namespace cornu::io
