// GIF files by giflib.
#include "gif.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "../../../backend/error.h"
#include "../component.h"

#if CORNU_WITH_GIF
#include <gif_lib.h>
#endif

namespace cornu::io {

#if CORNU_WITH_GIF
namespace {

// A frame before it is drawn.
struct Raster {
  int64_t top = 0, left = 0, height = 0, width = 0;
  std::vector<GifByteType> indices;  // of colors
  std::vector<uint8_t> palette;      // RGB of 256 colors
  int transparent = -1;              // an index, or none
  int64_t delay = 0;                 // in milliseconds
  int disposal = DISPOSAL_UNSPECIFIED;
};

// Reads frame by frame, so that limits are checked before memory is claimed.
class GifDecoder {
 public:
  GifDecoder(std::span<const std::byte> bytes, const std::string& source, const ImageLimits& limits)
      : rest_(bytes), source_(source), limits_(limits) {
    int error = 0;
    file_ = DGifOpen(this, &GifDecoder::read, &error);
    if (!file_) fail(error);
  }
  ~GifDecoder() { DGifCloseFile(file_, nullptr); }
  GifDecoder(const GifDecoder&) = delete;
  GifDecoder& operator=(const GifDecoder&) = delete;

  int64_t height() const { return file_->SHeight; }
  int64_t width() const { return file_->SWidth; }

  // Up to the pixels of the next frame; false at the end of the file.
  bool find_frame(Raster& raster) {
    raster = {};
    for (;;) {
      GifRecordType record = UNDEFINED_RECORD_TYPE;
      check(DGifGetRecordType(file_, &record));
      if (record == TERMINATE_RECORD_TYPE) return false;
      if (record == EXTENSION_RECORD_TYPE) read_extension(raster);
      if (record != IMAGE_DESC_RECORD_TYPE) continue;
      check(DGifGetImageHeader(file_));
      const GifImageDesc& image = file_->Image;
      raster.top = image.Top, raster.left = image.Left;
      raster.height = image.Height, raster.width = image.Width;
      take_palette(image.ColorMap ? image.ColorMap : file_->SColorMap, raster);
      return true;
    }
  }

  void read_frame(Raster& raster) {
    check_image_size(raster.height, raster.width, limits_, source_);
    raster.indices.resize(static_cast<size_t>(raster.height * raster.width));
    const bool interlaced = file_->Image.Interlace;
    // The rows of an interlaced frame come in four passes.
    static constexpr int64_t starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    for (int pass = 0; pass < (interlaced ? 4 : 1); ++pass)
      for (int64_t y = interlaced ? starts[pass] : 0; y < raster.height;
           y += interlaced ? steps[pass] : 1)
        check(DGifGetLine(file_, raster.indices.data() + y * raster.width,
                          static_cast<int>(raster.width)));
  }

 private:
  static int read(GifFileType* file, GifByteType* target, int count) {
    auto& rest = static_cast<GifDecoder*>(file->UserData)->rest_;
    const size_t size = std::min(rest.size(), static_cast<size_t>(std::max(count, 0)));
    if (size > 0) std::memcpy(target, rest.data(), size);
    rest = rest.subspan(size);
    return static_cast<int>(size);
  }

  [[noreturn]] void fail(int error) const {
    const char* const text = GifErrorString(error);
    throw FileError(
        fmt::format("'{}' is no whole GIF file: {}.", source_, text ? text : "it ends early"));
  }
  void check(int status) const {
    if (status == GIF_ERROR) fail(file_->Error);
  }

  void read_extension(Raster& raster) {
    int code = 0;
    GifByteType* block = nullptr;
    check(DGifGetExtension(file_, &code, &block));
    GraphicsControlBlock control;
    if (code == GRAPHICS_EXT_FUNC_CODE && block &&
        DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      raster.transparent = control.TransparentColor;
      raster.delay = int64_t{control.DelayTime} * 10;
      raster.disposal = control.DisposalMode;
    }
    while (block) check(DGifGetExtensionNext(file_, &block));
  }

  void take_palette(const ColorMapObject* colors, Raster& raster) const {
    if (!colors)
      throw FileError(fmt::format("'{}' is no whole GIF file: a frame has no colors.", source_));
    raster.palette.assign(256 * 3, 0);
    for (size_t i = 0; i < static_cast<size_t>(std::clamp(colors->ColorCount, 0, 256)); ++i) {
      const GifColorType& color = colors->Colors[i];
      raster.palette[3 * i] = color.Red;
      raster.palette[3 * i + 1] = color.Green;
      raster.palette[3 * i + 2] = color.Blue;
    }
  }

  std::span<const std::byte> rest_;
  const std::string& source_;
  const ImageLimits& limits_;
  GifFileType* file_ = nullptr;
};

// Draws a frame's pixels over an image of 3 or 4 channels; transparent ones too if `all`.
void draw_frame(const Raster& raster, Image& image, bool all) {
  const int64_t bottom = std::min(raster.top + raster.height, image.height);
  const int64_t right = std::min(raster.left + raster.width, image.width);
  for (int64_t y = raster.top; y < bottom; ++y)
    for (int64_t x = raster.left; x < right; ++x) {
      const int index =
          raster.indices[static_cast<size_t>((y - raster.top) * raster.width + x - raster.left)];
      const bool transparent = index == raster.transparent;
      if (transparent && !all) continue;
      uint8_t* const pixel = image.pixels.data() + (y * image.width + x) * image.channels;
      std::copy_n(raster.palette.data() + index * 3, 3, pixel);
      if (image.channels == 4) pixel[3] = transparent ? 0 : 255;
    }
}

void clear_frame(const Raster& raster, Image& image) {
  const int64_t bottom = std::min(raster.top + raster.height, image.height);
  const int64_t right = std::min(raster.left + raster.width, image.width);
  for (int64_t y = raster.top; y < bottom && raster.left < right; ++y)
    std::fill_n(image.pixels.data() + (y * image.width + raster.left) * image.channels,
                (right - raster.left) * image.channels, uint8_t{0});
}

Image empty_image(int64_t height, int64_t width, int64_t channels) {
  Image image{height, width, channels};
  image.pixels.resize(image.size());
  return image;
}

int64_t gif_channels(const GifDecoder& decoder, const Raster& raster) {
  const bool covers = raster.top == 0 && raster.left == 0 && raster.height >= decoder.height() &&
                      raster.width >= decoder.width();
  return raster.transparent >= 0 || !covers ? 4 : 3;
}

void find_first(GifDecoder& decoder, Raster& raster, const std::string& source) {
  if (!decoder.find_frame(raster))
    throw FileError(fmt::format("'{}' is no whole GIF file: it has no image.", source));
}

}  // namespace

ImageInfo read_gif_info(std::span<const std::byte> bytes, const std::string& source) {
  const ImageLimits limits;
  GifDecoder decoder(bytes, source, limits);
  Raster raster;
  find_first(decoder, raster, source);
  return {ImageFormat::gif, decoder.height(), decoder.width(), gif_channels(decoder, raster)};
}

Image decode_gif(std::span<const std::byte> bytes, const std::string& source,
                 const ImageLimits& limits) {
  GifDecoder decoder(bytes, source, limits);
  check_image_size(decoder.height(), decoder.width(), limits, source);
  Raster raster;
  find_first(decoder, raster, source);
  decoder.read_frame(raster);
  Image image = empty_image(decoder.height(), decoder.width(), gif_channels(decoder, raster));
  draw_frame(raster, image, true);
  return image;
}

std::vector<Frame> decode_gif_frames(std::span<const std::byte> bytes, const std::string& source,
                                     const ImageLimits& limits) {
  GifDecoder decoder(bytes, source, limits);
  check_image_size(decoder.height(), decoder.width(), limits, source);
  const int64_t pixels = decoder.height() * decoder.width();
  std::vector<Frame> frames;
  Image canvas = empty_image(decoder.height(), decoder.width(), 4);
  Raster raster;
  while (decoder.find_frame(raster)) {
    const auto count = static_cast<int64_t>(frames.size()) + 1;
    if ((limits.frames > 0 && count > limits.frames) ||
        (limits.pixels > 0 && count > limits.pixels / pixels))
      throw FileError(fmt::format(
          "'{}' has {} frames or more of {} x {} pixels; {} frames and {} pixels are "
          "allowed. The options 'limits.frames' and 'limits.pixels' allow more.",
          source, count, decoder.height(), decoder.width(), limits.frames, limits.pixels));
    decoder.read_frame(raster);
    Image before;
    if (raster.disposal == DISPOSE_PREVIOUS) before = canvas;
    draw_frame(raster, canvas, false);
    frames.push_back({canvas, raster.delay});
    if (raster.disposal == DISPOSE_BACKGROUND) clear_frame(raster, canvas);
    if (raster.disposal == DISPOSE_PREVIOUS) canvas = std::move(before);
  }
  if (frames.empty())
    throw FileError(fmt::format("'{}' is no whole GIF file: it has no image.", source));
  return frames;
}

#else

namespace {
[[noreturn]] void no_gif(const std::string& source) {
  throw_without("GIF files", "giflib", "libgif-dev", source);
}
}  // namespace

ImageInfo read_gif_info(std::span<const std::byte>, const std::string& source) { no_gif(source); }
Image decode_gif(std::span<const std::byte>, const std::string& source, const ImageLimits&) {
  no_gif(source);
}
std::vector<Frame> decode_gif_frames(std::span<const std::byte>, const std::string& source,
                                     const ImageLimits&) {
  no_gif(source);
}

#endif

}  // namespace cornu::io
