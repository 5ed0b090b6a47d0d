// JPEG files by libjpeg-turbo.
#include "jpeg.h"

#include <fmt/core.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../../backend/error.h"
#include "../component.h"

#if CORNU_WITH_JPEG
#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>
#endif

namespace cornu::io {

#if CORNU_WITH_JPEG
namespace {

// A progressive file may ask for any number of passes over all of its blocks.
constexpr int most_scans = 200;

// libjpeg reports errors by a call that must not return. It jumps back to the frame that called
// libjpeg; nothing with a destructor is made between there and libjpeg.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void jpeg_fail(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->jump, 1);
}

void jpeg_warn(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    // libjpeg would go on with gray pixels.
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
      jpeg_fail(info);
    default:
      return;
  }
}

void watch_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= most_scans) return;
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(errors->text, sizeof errors->text, "it has more than %d scans", most_scans);
  std::longjmp(errors->jump, 1);
}

void report_to(JpegErrors& errors) {
  jpeg_std_error(&errors.base);
  errors.base.error_exit = jpeg_fail;
  errors.base.emit_message = jpeg_warn;
  errors.base.output_message = [](j_common_ptr) {};
  errors.text[0] = '\0';
}

// A decompressor with the bytes of one file.
class JpegDecoder {
 public:
  JpegDecoder(std::span<const std::byte> bytes, const std::string& source) : source_(source) {
    report_to(errors_);
    info().err = &errors_.base;
    run([&] {
      jpeg_create_decompress(&info());
      progress_.progress_monitor = watch_scans;
      info().progress = &progress_;
      jpeg_mem_src(&info(), reinterpret_cast<const unsigned char*>(bytes.data()),
                   static_cast<unsigned long>(bytes.size()));
      jpeg_read_header(&info(), TRUE);
    });
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  int64_t height() const { return state_.info.image_height; }
  int64_t width() const { return state_.info.image_width; }
  bool is_gray() const { return state_.info.jpeg_color_space == JCS_GRAYSCALE; }
  bool is_cmyk() const {
    return state_.info.jpeg_color_space == JCS_CMYK || state_.info.jpeg_color_space == JCS_YCCK;
  }
  bool inverts_cmyk() const { return state_.info.saw_Adobe_marker; }

  // Calls libjpeg; its errors become exceptions.
  template <class F>
  void run(F&& call) {
    if (setjmp(errors_.jump) != 0) {
      jpeg_abort_decompress(&info());
      throw FileError(fmt::format("'{}' is no whole JPEG file: {}.", source_, errors_.text));
    }
    call();
  }

  jpeg_decompress_struct& info() { return state_.info; }

 private:
  // Freed when the constructor throws, too.
  struct State {
    ~State() { jpeg_destroy_decompress(&info); }
    jpeg_decompress_struct info = {};
  };
  State state_;
  jpeg_progress_mgr progress_ = {};
  JpegErrors errors_;
  const std::string& source_;
};

// Of one row, in place: C, M, Y, K to RGB, as Pillow does it.
void cmyk_to_rgb(const uint8_t* in, uint8_t* out, size_t width, bool inverted, size_t step) {
  for (size_t x = 0; x < width; ++x, in += 4, out += step) {
    uint8_t ink[4];
    for (size_t k = 0; k < 4; ++k) ink[k] = inverted ? static_cast<uint8_t>(255 - in[k]) : in[k];
    const int light = 255 - ink[3];
    for (size_t k = 0; k < 3; ++k) {
      const int product = ink[k] * light + 128;
      out[k] = static_cast<uint8_t>(std::max(0, light - (((product >> 8) + product) >> 8)));
    }
  }
}

// A color that the JPEG file's is left without a conversion to RGB of libjpeg's.
J_COLOR_SPACE color_space(const JpegDecoder& decoder, J_COLOR_SPACE otherwise) {
  return decoder.is_cmyk() ? JCS_CMYK : otherwise;
}

void check_region(const Region& region, int64_t height, int64_t width, const std::string& source) {
  if (region.top < 0 || region.left < 0 || region.height < 1 || region.width < 1 ||
      region.top > height - region.height || region.left > width - region.width)
    throw ValueError(fmt::format(
        "a region of {} x {} pixels at row {}, column {} is not in the {} x {} pixels of '{}'.",
        region.height, region.width, region.top, region.left, height, width, source));
}

// The part of the reduced image, with what the interpolation of colors looks at beside it.
Region window_of(const RegionRequest& request, int64_t height, int64_t width) {
  constexpr int64_t beside = 2;
  const Region& region = request.region;
  const int64_t reduction = request.reduction;
  const auto first = [&](int64_t at) { return std::max<int64_t>(at / reduction - beside, 0); };
  const auto last = [&](int64_t end, int64_t limit) {
    return std::min((end + reduction - 1) / reduction + beside, limit);
  };
  Region window{first(region.top), first(region.left), 0, 0};
  window.height = last(region.top + region.height, height) - window.top;
  window.width = last(region.left + region.width, width) - window.left;
  return window;
}

}  // namespace

ImageInfo read_jpeg_info(std::span<const std::byte> bytes, const std::string& source) {
  const JpegDecoder decoder(bytes, source);
  return {ImageFormat::jpeg, decoder.height(), decoder.width(), decoder.is_gray() ? 1 : 3};
}

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& source,
                  const ImageLimits& limits, bool fast_transform) {
  JpegDecoder decoder(bytes, source);
  check_image_size(decoder.height(), decoder.width(), limits, source);
  const bool cmyk = decoder.is_cmyk();
  Image image{decoder.height(), decoder.width(), decoder.is_gray() ? 1 : 3};
  image.pixels.resize(image.size());
  const auto stride = static_cast<size_t>(image.width * image.channels);
  std::vector<uint8_t> inks(cmyk ? static_cast<size_t>(image.width) * 4 : 0);
  decoder.run([&] {
    jpeg_decompress_struct& info = decoder.info();
    info.out_color_space = color_space(decoder, decoder.is_gray() ? JCS_GRAYSCALE : JCS_RGB);
    info.dct_method = fast_transform ? JDCT_IFAST : JDCT_ISLOW;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      uint8_t* const target = image.pixels.data() + info.output_scanline * stride;
      JSAMPROW row = cmyk ? inks.data() : target;
      jpeg_read_scanlines(&info, &row, 1);
      if (cmyk)
        cmyk_to_rgb(row, target, static_cast<size_t>(image.width), decoder.inverts_cmyk(), 3);
    }
    jpeg_finish_decompress(&info);
  });
  return image;
}

void decode_jpeg_region(std::span<const std::byte> bytes, const std::string& source,
                        ChooseRegion choose, void* context, RegionPixels& result,
                        const ImageLimits& limits) {
  JpegDecoder decoder(bytes, source);
  check_image_size(decoder.height(), decoder.width(), limits, source);
  const RegionRequest request = choose(context, decoder.height(), decoder.width());
  check_region(request.region, decoder.height(), decoder.width(), source);
  if (request.reduction != 1 && request.reduction != 2 && request.reduction != 4 &&
      request.reduction != 8)
    throw ValueError(
        fmt::format("a JPEG file is reduced by 1, 2, 4 or 8, not {}.", request.reduction));
  jpeg_decompress_struct& info = decoder.info();
  JDIMENSION left = 0, columns = 0;
  Region window;
  decoder.run([&] {
    info.out_color_space = color_space(decoder, JCS_EXT_RGBX);
    info.scale_num = 1;
    info.scale_denom = static_cast<unsigned>(request.reduction);
    jpeg_start_decompress(&info);
    window = window_of(request, info.output_height, info.output_width);
    left = static_cast<JDIMENSION>(window.left);
    columns = static_cast<JDIMENSION>(window.width);
    if (columns < info.output_width) jpeg_crop_scanline(&info, &left, &columns);
    if (window.top > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(window.top));
  });
  window.left = left;
  window.width = columns;
  const size_t stride = static_cast<size_t>(columns) * 4;
  result.image_height = decoder.height();
  result.image_width = decoder.width();
  result.reduction = request.reduction;
  result.window = window;
  const size_t needed = stride * static_cast<size_t>(window.height);
  if (result.pixels.size() < needed) result.pixels.resize(needed);
  uint8_t* const pixels = result.pixels.data();
  const bool cmyk = decoder.is_cmyk(), inverted = decoder.inverts_cmyk();
  decoder.run([&] {
    const auto top = static_cast<JDIMENSION>(window.top);
    const auto end = static_cast<JDIMENSION>(window.top + window.height);
    while (info.output_scanline < end) {
      // A few rows at a time: libjpeg has a group of them ready.
      constexpr JDIMENSION group = 8;
      JSAMPROW rows[group];
      const JDIMENSION count = std::min(group, end - info.output_scanline);
      for (JDIMENSION i = 0; i < count; ++i)
        rows[i] = pixels + (info.output_scanline - top + i) * stride;
      const JDIMENSION read = jpeg_read_scanlines(&info, rows, count);
      if (cmyk)
        for (JDIMENSION i = 0; i < read; ++i) cmyk_to_rgb(rows[i], rows[i], columns, inverted, 4);
    }
    jpeg_abort_decompress(&info);
  });
}

std::string encode_jpeg(const Image& image, const JpegOptions& options) {
  if (image.height < 1 || image.width < 1 || image.is_wide() ||
      (image.channels != 1 && image.channels != 3))
    throw ValueError(
        fmt::format("a JPEG file holds gray or RGB pixels of 8 bits, not {} x {} pixels of {} "
                    "channels of {} bits.",
                    image.height, image.width, image.channels, image.is_wide() ? 16 : 8));
  if (std::max(image.height, image.width) > JPEG_MAX_DIMENSION)
    throw ValueError(
        fmt::format("a JPEG file holds at most {} pixels along a side, the image is {} x {}.",
                    JPEG_MAX_DIMENSION, image.height, image.width));
  if (options.quality < 1 || options.quality > 100)
    throw ValueError(
        fmt::format("option 'quality': expected 1 to 100, found {}.", options.quality));
  JpegErrors errors;
  report_to(errors);
  jpeg_compress_struct info = {};
  info.err = &errors.base;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  if (setjmp(errors.jump) != 0) {
    jpeg_destroy_compress(&info);
    std::free(memory);
    throw FileError(fmt::format("an image cannot be written as JPEG: {}.", errors.text));
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &memory, &size);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.input_components = static_cast<int>(image.channels);
  info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, options.quality, TRUE);
  if (image.channels == 3 && !options.halve_colors)
    info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&info, TRUE);
  const auto stride = static_cast<size_t>(image.width * image.channels);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(image.pixels.data() + info.next_scanline * stride);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return file;
}

#else

ImageInfo read_jpeg_info(std::span<const std::byte>, const std::string& source) {
  throw_without("JPEG files", "libjpeg-turbo", "libjpeg-dev", source);
}
Image decode_jpeg(std::span<const std::byte>, const std::string& source, const ImageLimits&, bool) {
  throw_without("JPEG files", "libjpeg-turbo", "libjpeg-dev", source);
}
void decode_jpeg_region(std::span<const std::byte>, const std::string& source, ChooseRegion, void*,
                        RegionPixels&, const ImageLimits&) {
  throw_without("JPEG files", "libjpeg-turbo", "libjpeg-dev", source);
}
std::string encode_jpeg(const Image&, const JpegOptions&) {
  throw_without("JPEG files", "libjpeg-turbo", "libjpeg-dev", "");
}

#endif

}  // namespace cornu::io
