// PNG files by libpng.
#include "png.h"

#include <fmt/core.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../../../backend/error.h"

namespace cornu::io {
namespace {

// What remains of a file, and the text of libpng's error. libpng reports errors by a call that must
// not return: it jumps back to `run`, and nothing with a destructor is made between there and
// libpng.
struct PngInput {
  std::span<const std::byte> bytes;
  char text[200] = "";
};

void png_fail(png_structp png, png_const_charp text) {
  auto* const input = static_cast<PngInput*>(png_get_error_ptr(png));
  std::snprintf(input->text, sizeof input->text, "%s", text);
  png_longjmp(png, 1);
}

void read_png_bytes(png_structp png, png_bytep target, size_t count) {
  auto* const input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > input->bytes.size()) png_error(png, "it ends early");
  std::memcpy(target, input->bytes.data(), count);
  input->bytes = input->bytes.subspan(count);
}

class PngDecoder {
 public:
  PngDecoder(std::span<const std::byte> bytes, const std::string& source)
      : input_{bytes}, source_(source) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &input_, png_fail,
                                  [](png_structp, png_const_charp) {});
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw MemoryError("there is no memory left to decode a PNG file.");
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // Calls libpng; its errors become exceptions.
  template <class F>
  void run(F&& call) {
    if (setjmp(png_jmpbuf(png_)) != 0)
      throw FileError(fmt::format("'{}' is no whole PNG file: {}.", source_, input_.text));
    call();
  }

  void read_header() {
    run([&] {
      png_set_read_fn(png_, &input_, read_png_bytes);
      // Text and profiles are of no use here, and may unpack to any size.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
      png_set_chunk_cache_max(png_, 16);
      png_set_chunk_malloc_max(png_, 1 << 20);
      png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
      png_read_info(png_, info_);
    });
  }

  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t channels() const {
    const int color = png_get_color_type(png_, info_);
    const bool transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    const bool alpha = (color & PNG_COLOR_MASK_ALPHA) != 0 || transparent;
    return ((color & PNG_COLOR_MASK_COLOR) ? 3 : 1) + (alpha ? 1 : 0);
  }
  bool is_wide() const { return png_get_bit_depth(png_, info_) == 16 && channels() == 1; }

  // Rows of `channels()` values, of 16 bits of this machine when the image is wide.
  void read_pixels(png_bytep pixels, size_t stride, std::vector<png_bytep>& rows) {
    run([&] {
      png_set_expand(png_);
      if (is_wide()) {
        if (std::endian::native == std::endian::little) png_set_swap(png_);
      } else {
        png_set_strip_16(png_);
      }
      png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      if (png_get_rowbytes(png_, info_) != stride) png_error(png_, "its rows have another size");
      for (size_t y = 0; y < rows.size(); ++y) rows[y] = pixels + y * stride;
      png_read_image(png_, rows.data());
      png_read_end(png_, nullptr);
    });
  }

 private:
  PngInput input_;
  const std::string& source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

std::string encode_pixels(const void* pixels, int64_t height, int64_t width, int64_t channels,
                          bool wide) {
  if (height < 1 || width < 1 || channels < 1 || channels > 4)
    throw ValueError(
        fmt::format("an image needs at least one pixel and 1 to 4 channels, found {} x {} pixels "
                    "of {} channels.",
                    height, width, channels));
  static constexpr std::array<int, 4> colors = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  PngInput errors;
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors, png_fail,
                                            [](png_structp, png_const_charp) {});
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    throw ValueError(fmt::format("an image of {} x {} pixels of {} channels cannot be encoded: {}.",
                                 height, width, channels, errors.text));
  }
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep bytes, size_t count) {
        static_cast<std::string*>(png_get_io_ptr(p))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      nullptr);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
               wide ? 16 : 8, colors[static_cast<size_t>(channels - 1)], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (wide && std::endian::native == std::endian::little) png_set_swap(png);
  const auto stride = static_cast<size_t>(width * channels) * (wide ? 2 : 1);
  for (int64_t y = 0; y < height; ++y)
    png_write_row(png, static_cast<png_const_bytep>(pixels) + static_cast<size_t>(y) * stride);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

}  // namespace

ImageInfo read_png_info(std::span<const std::byte> bytes, const std::string& source) {
  PngDecoder decoder(bytes, source);
  decoder.read_header();
  return {ImageFormat::png, decoder.height(), decoder.width(), decoder.channels()};
}

Image decode_png(std::span<const std::byte> bytes, const std::string& source,
                 const ImageLimits& limits) {
  PngDecoder decoder(bytes, source);
  decoder.read_header();
  check_image_size(decoder.height(), decoder.width(), limits, source);
  // Deflate packs at best 1,032 bytes into one: nobody needs memory for more than that.
  constexpr int64_t best_ratio = 1032;
  if (decoder.height() * ((decoder.width() + 7) / 8) / best_ratio >
      static_cast<int64_t>(bytes.size()))
    throw FileError(fmt::format("'{}' is no whole PNG file: {} bytes cannot hold {} x {} pixels.",
                                source, bytes.size(), decoder.height(), decoder.width()));
  Image image{decoder.height(), decoder.width(), decoder.channels()};
  png_bytep pixels = nullptr;
  size_t stride = static_cast<size_t>(image.width * image.channels);
  if (decoder.is_wide()) {
    image.wide.resize(image.size());
    pixels = reinterpret_cast<png_bytep>(image.wide.data());
    stride *= sizeof(uint16_t);
  } else {
    image.pixels.resize(image.size());
    pixels = image.pixels.data();
  }
  std::vector<png_bytep> rows(static_cast<size_t>(image.height));
  decoder.read_pixels(pixels, stride, rows);
  return image;
}

std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                       int64_t channels) {
  if (pixels.size() < static_cast<size_t>(std::max<int64_t>(height * width * channels, 0)))
    throw ValueError(fmt::format("{} x {} pixels of {} channels are more than the {} values given.",
                                 height, width, channels, pixels.size()));
  return encode_pixels(pixels.data(), height, width, channels, false);
}

std::string encode_png(const Image& image) {
  if (image.is_wide())
    return encode_pixels(image.wide.data(), image.height, image.width, image.channels, true);
  return encode_png(image.pixels, image.height, image.width, image.channels);
}

}  // namespace cornu::io
