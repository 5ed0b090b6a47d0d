// What all image formats share: detection, limits, channels.
#include "image.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "../../../backend/error.h"
#include "../atomic_file.h"
#include "bmp.h"
#include "gif.h"
#include "jpeg.h"
#include "png.h"

namespace cornu::io {
namespace {

struct Signature {
  size_t offset;
  std::string_view bytes;
  const char* name;
};

using namespace std::string_view_literals;

// What files with an image's name often are instead.
constexpr Signature others[] = {
    {8, "WEBP"sv, "a WebP image"},    {0, "II*\0"sv, "a TIFF image"},
    {0, "MM\0*"sv, "a TIFF image"},   {4, "ftypavif"sv, "an AVIF image"},
    {4, "ftyphei"sv, "a HEIF image"}, {0, "%PDF"sv, "a PDF file"},
    {0, "PK\3\4"sv, "a zip archive"}, {0, "\x1f\x8b"sv, "a gzip archive"},
    {0, "<svg"sv, "an SVG image"},    {0, "<?xml"sv, "an XML file"},
    {0, "<!DOCTYPE"sv, "a web page"}, {0, "<html"sv, "a web page"},
};

bool has(std::span<const std::byte> bytes, size_t offset, std::string_view signature) {
  if (bytes.size() < offset + signature.size()) return false;
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  return std::string_view(begin, signature.size()) == signature;
}

uint8_t luma(const uint8_t* rgb) {
  // Weights of ITU-R 601-2 in 1/65536, rounded, as Pillow has them.
  return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

uint8_t libpng_luma(const uint8_t* rgb) {
  // The weights in 1/32768, cut off as is the result.
  return static_cast<uint8_t>((rgb[0] * 9797 + rgb[1] * 19234 + rgb[2] * 3737) >> 15);
}

void check_file_size(std::span<const std::byte> bytes, const ImageLimits& limits,
                     const std::string& source) {
  if (limits.bytes > 0 && std::cmp_greater(bytes.size(), limits.bytes))
    throw FileError(
        fmt::format("'{}' has {} bytes; images may have {}. The option 'limits.bytes' allows more.",
                    source, bytes.size(), limits.bytes));
}

Image converted(Image image, int64_t channels, uint8_t (*gray)(const uint8_t* rgb)) {
  if (channels == image.channels) return image;
  if (channels < 1 || channels > 4)
    throw ValueError(fmt::format("images have 1 to 4 channels, not {}.", channels));
  const bool from_color = image.channels >= 3, to_color = channels >= 3;
  const bool from_alpha = image.channels % 2 == 0, to_alpha = channels % 2 == 0;
  Image result{image.height, image.width, channels};
  result.pixels.resize(result.size());
  const auto count = static_cast<size_t>(image.height * image.width);
  const auto step = static_cast<size_t>(image.channels), next = static_cast<size_t>(channels);
  for (size_t i = 0; i < count; ++i) {
    uint8_t wide[3];
    const uint8_t* in = image.pixels.data() + i * step;
    if (image.is_wide()) {
      for (size_t k = 0; k < step && k < 3; ++k)
        wide[k] = static_cast<uint8_t>(image.wide[i * step + k] >> 8);
      in = wide;
    }
    uint8_t* out = result.pixels.data() + i * next;
    if (to_color) {
      for (size_t k = 0; k < 3; ++k) out[k] = in[from_color ? k : 0];
    } else {
      out[0] = from_color ? gray(in) : in[0];
    }
    if (to_alpha) out[next - 1] = from_alpha ? in[step - 1] : 255;
  }
  return result;
}

}  // namespace

ImageFormat detect_image_format(std::span<const std::byte> bytes, const std::string& source) {
  if (has(bytes, 0, "\xff\xd8\xff"sv)) return ImageFormat::jpeg;
  if (has(bytes, 0, "\x89PNG\r\n\x1a\n"sv)) return ImageFormat::png;
  if (has(bytes, 0, "GIF87a"sv) || has(bytes, 0, "GIF89a"sv)) return ImageFormat::gif;
  if (has(bytes, 0, "BM"sv)) return ImageFormat::bmp;
  if (bytes.empty()) throw FileError(fmt::format("'{}' is empty; expected an image.", source));
  for (const Signature& other : others)
    if (has(bytes, other.offset, other.bytes))
      throw FileError(fmt::format("'{}' is {}; images are read from JPEG, PNG, BMP and GIF files.",
                                  source, other.name));
  throw FileError(
      fmt::format("'{}' is no image that can be read: expected a JPEG, PNG, BMP or GIF file, found "
                  "{} bytes of something else.",
                  source, bytes.size()));
}

void check_image_size(int64_t height, int64_t width, const ImageLimits& limits,
                      const std::string& source) {
  if (height < 1 || width < 1)
    throw FileError(
        fmt::format("'{}' is damaged: its image has {} x {} pixels.", source, height, width));
  // Neither is more than 2^31.
  if (limits.pixels > 0 && height > limits.pixels / width)
    throw FileError(
        fmt::format("'{}' declares an image of {} x {} pixels; {} pixels are allowed. If the file "
                    "can be trusted, the option 'limits.pixels' allows more.",
                    source, height, width, limits.pixels));
}

ImageInfo read_image_info(std::span<const std::byte> bytes, const std::string& source,
                          const ImageLimits& limits) {
  const ImageFormat format = detect_image_format(bytes, source);
  check_file_size(bytes, limits, source);
  ImageInfo info;
  switch (format) {
    case ImageFormat::jpeg:
      info = read_jpeg_info(bytes, source);
      break;
    case ImageFormat::png:
      info = read_png_info(bytes, source);
      break;
    case ImageFormat::bmp:
      info = read_bmp_info(bytes, source);
      break;
    case ImageFormat::gif:
      info = read_gif_info(bytes, source);
      break;
  }
  check_image_size(info.height, info.width, limits, source);
  return info;
}

Image decode_image(std::span<const std::byte> bytes, const std::string& source,
                   const DecodeOptions& options) {
  if (options.channels < 0 || options.channels > 4)
    throw ValueError(
        fmt::format("option 'channels': expected 0 to 4, found {}.", options.channels));
  const ImageFormat format = detect_image_format(bytes, source);
  check_file_size(bytes, options.limits, source);
  Image image;
  switch (format) {
    case ImageFormat::jpeg:
      image = decode_jpeg(bytes, source, options.limits, options.fast_transform);
      break;
    case ImageFormat::png:
      image = decode_png(bytes, source, options.limits);
      break;
    case ImageFormat::bmp:
      image = decode_bmp(bytes, source, options.limits);
      break;
    case ImageFormat::gif:
      image = decode_gif(bytes, source, options.limits);
      break;
  }
  const int64_t channels = options.channels > 0 ? options.channels : image.channels;
  if (image.is_wide() && !(options.keep_16_bits && channels == 1)) {
    image.pixels.resize(image.wide.size());
    std::transform(image.wide.begin(), image.wide.end(), image.pixels.begin(),
                   [](uint16_t v) { return static_cast<uint8_t>(v >> 8); });
    image.wide.clear();
  }
  const bool by_libpng = options.libpng_gray && format == ImageFormat::png;
  return converted(std::move(image), channels, by_libpng ? libpng_luma : luma);
}

Image read_image(const std::string& path, const DecodeOptions& options) {
  const uint64_t limit =
      options.limits.bytes > 0 ? static_cast<uint64_t>(options.limits.bytes) : UINT64_MAX;
  return decode_image(io::read_file(path, limit), path, options);
}

Image convert_channels(Image image, int64_t channels) {
  return converted(std::move(image), channels, luma);
}

}  // namespace cornu::io
