// JPEG files: whole images, parts of them, and reduced ones.
#pragma once
#include "image.h"

namespace cornu::io {

/// Size and channels (1 or 3) of a JPEG file. Throws FileError, UnsupportedError.
ImageInfo read_jpeg_info(std::span<const std::byte> bytes, const std::string& source);

/// Decodes a whole JPEG file to gray or RGB; CMYK becomes RGB. Throws FileError for damaged and
/// truncated files, UnsupportedError when Cornu was built without libjpeg. `fast_transform`: by
/// libjpeg's method "ifast", a few gray levels off the exact one.
Image decode_jpeg(std::span<const std::byte> bytes, const std::string& source,
                  const ImageLimits& limits = {}, bool fast_transform = false);

/// A part of an image.
struct Region {
  int64_t top = 0;     ///< first row
  int64_t left = 0;    ///< first column
  int64_t height = 0;  ///< rows, at least 1
  int64_t width = 0;   ///< columns, at least 1
};

/// Pixels around a region of a reduced image, RGB with a fourth byte that means nothing, so that
/// vector code finds each pixel in a word of its own.
struct RegionPixels {
  int64_t image_height = 0;          ///< of the whole image, before it is reduced
  int64_t image_width = 0;           ///< likewise
  int64_t reduction = 1;             ///< pixels of the file that one here stands for, along a side
  Region window = {};                ///< of the reduced image, which `pixels` are
  std::vector<uint8_t> pixels = {};  ///< window.height * window.width * 4; grows, never shrinks
};

/// Where and how much to decode of an image whose size is known only then.
struct RegionRequest {
  Region region;          ///< in pixels of the file
  int64_t reduction = 1;  ///< 1, 2, 4 or 8: to a half, a quarter or an eighth of each side
};

/// Chooses a region by the size of the image.
using ChooseRegion = RegionRequest (*)(void* context, int64_t height, int64_t width);

/// Decodes the part of a JPEG file that `choose` asks for into `result`, whose memory is used
/// again. Only blocks in the region are transformed, what lies below it is not read at all, and a
/// reduction happens in the transform (means over blocks of 2, 4 or 8 pixels, nearly). The pixels
/// equal those of the whole image. Throws as decode_jpeg does, and ValueError when the region is
/// not in the image. Damage behind the region is not seen.
void decode_jpeg_region(std::span<const std::byte> bytes, const std::string& source,
                        ChooseRegion choose, void* context, RegionPixels& result,
                        const ImageLimits& limits = {});

/// How to encode.
struct JpegOptions {
  int quality = 75;          ///< 1 to 100
  bool halve_colors = true;  ///< colors at half the resolution along each side (4:2:0)
};

/// The bytes of a JPEG file of 8-bit gray or RGB pixels. Throws ValueError for other images,
/// UnsupportedError.
std::string encode_jpeg(const Image& image, const JpegOptions& options = {});

}  // namespace cornu::io
