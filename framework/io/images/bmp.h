// BMP files.
#pragma once
#include "image.h"

namespace cornu::io {

/// Size and channels (3, or 4 with an alpha mask) of a BMP file. Throws FileError.
ImageInfo read_bmp_info(std::span<const std::byte> bytes, const std::string& source);

/// Decodes a BMP file of 1, 4, 8, 16, 24 or 32 bits a pixel without compression, with a palette or
/// masks, rows from the bottom or the top. Throws FileError for damaged and truncated files,
/// UnsupportedError for compressed ones. Format:
/// https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage
Image decode_bmp(std::span<const std::byte> bytes, const std::string& source,
                 const ImageLimits& limits = {});

/// The bytes of a BMP file: gray with a palette, RGB with 24 bits, RGBA with 32 bits and masks.
/// Throws ValueError for images of 2 channels, of 16 bits, or without pixels.
std::string encode_bmp(const Image& image);

}  // namespace cornu::io
