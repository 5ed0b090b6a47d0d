// GIF files.
#pragma once
#include "image.h"

namespace cornu::io {

/// Size and channels of a GIF file's first frame: 3, or 4 when some of its pixels may be
/// transparent. Throws FileError, UnsupportedError.
ImageInfo read_gif_info(std::span<const std::byte> bytes, const std::string& source);

/// Decodes the first frame of a GIF file: RGB, or RGBA when it names a transparent color, whose
/// pixels keep that color with alpha 0. Where the frame does not cover the image it is black, and
/// transparent. Throws FileError for damaged and truncated files, UnsupportedError when Cornu was
/// built without giflib.
Image decode_gif(std::span<const std::byte> bytes, const std::string& source,
                 const ImageLimits& limits = {});

/// One picture of an animation.
struct Frame {
  Image image;        ///< RGBA of the whole canvas
  int64_t delay = 0;  ///< how long to show it, in milliseconds
};

/// All pictures of a GIF file as they are shown: each frame drawn over what the one before left.
/// The limits of pixels hold for all of them together. Throws as decode_gif.
std::vector<Frame> decode_gif_frames(std::span<const std::byte> bytes, const std::string& source,
                                     const ImageLimits& limits = {});

}  // namespace cornu::io
