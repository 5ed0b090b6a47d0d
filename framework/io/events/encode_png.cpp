// PNG files by libpng.
#include "encode_png.h"

#include <fmt/core.h>
#include <png.h>

#include <array>

#include "../../../backend/error.h"

namespace cornu {

std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                       int64_t channels) {
  static constexpr std::array<png_uint_32, 4> formats = {PNG_FORMAT_GRAY, PNG_FORMAT_GA,
                                                         PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  if (height < 1 || width < 1 || channels < 1 || channels > 4)
    throw ValueError(
        fmt::format("an image needs at least one pixel and 1 to 4 channels, found {} x {} pixels "
                    "of {} channels.",
                    height, width, channels));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = formats[static_cast<size_t>(channels - 1)];
  std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = file.size();
  if (!png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr))
    throw ValueError(fmt::format("an image of {} x {} pixels of {} channels cannot be encoded: {}.",
                                 height, width, channels, image.message));
  file.resize(size);
  return file;
}

}  // namespace cornu
