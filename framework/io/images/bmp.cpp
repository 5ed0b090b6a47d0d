// BMP files, by code of Cornu's own: a header and rows of pixels.
#include "bmp.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "../../../backend/error.h"

namespace cornu::io {
namespace {

constexpr size_t file_header = 14;
constexpr uint32_t uncompressed = 0, with_masks = 3, with_alpha_mask = 6;

struct BmpHeader {
  size_t pixels = 0;  // where they start
  int64_t height = 0, width = 0;
  bool from_top = false;
  uint32_t bits = 0, compression = 0;
  std::array<uint32_t, 4> masks = {};  // of red, green, blue, alpha; bits above 8
  size_t palette = 0, colors = 0, entry = 4;
};

class BmpBytes {
 public:
  BmpBytes(std::span<const std::byte> bytes, const std::string& source)
      : bytes_(bytes), source_(source) {}

  uint32_t number(size_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail("it ends early");
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i)
      value |= std::to_integer<uint32_t>(bytes_[at + i]) << (8 * i);
    return value;
  }
  const uint8_t* row(size_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail("it ends early");
    return reinterpret_cast<const uint8_t*>(bytes_.data()) + at;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw FileError(fmt::format("'{}' is no whole BMP file: {}.", source_, why));
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw UnsupportedError(
        fmt::format("'{}' is a BMP file with {}, which is not read.", source_, what));
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& source_;
};

void read_masks(const BmpBytes& bytes, size_t info_size, BmpHeader& header) {
  if (header.compression == with_masks || header.compression == with_alpha_mask) {
    // Behind the first 40 bytes, inside a longer header or after it.
    const bool alpha = header.compression == with_alpha_mask || info_size >= 56;
    for (size_t k = 0; k < (alpha ? 4u : 3u); ++k)
      header.masks[k] = bytes.number(file_header + 40 + 4 * k, 4);
  } else if (header.bits == 16) {
    header.masks = {0x7c00, 0x3e0, 0x1f, 0};
  } else if (header.bits == 32) {
    header.masks = {0xff0000, 0xff00, 0xff, 0};
  }
}

BmpHeader read_bmp_header(const BmpBytes& bytes) {
  BmpHeader header;
  header.pixels = bytes.number(10, 4);
  const size_t info_size = bytes.number(file_header, 4);
  if (info_size == 12) {  // OS/2
    header.width = bytes.number(18, 2);
    header.height = bytes.number(20, 2);
    header.bits = bytes.number(24, 2);
    header.entry = 3;
  } else if (info_size >= 40 && info_size <= 124) {
    header.width = static_cast<int32_t>(bytes.number(18, 4));
    const auto height = static_cast<int32_t>(bytes.number(22, 4));
    header.from_top = height < 0;
    header.height = std::abs(static_cast<int64_t>(height));
    header.bits = bytes.number(28, 2);
    header.compression = bytes.number(30, 4);
    header.colors = bytes.number(46, 4);
  } else {
    bytes.fail(fmt::format("its header has {} bytes", info_size));
  }
  const auto& bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
    bytes.fail(fmt::format("it has {} bits a pixel", bits));
  const bool masks = header.compression == with_masks || header.compression == with_alpha_mask;
  if (header.compression == 1 || header.compression == 2) bytes.unsupported("run-length encoding");
  if (header.compression != uncompressed && !masks)
    bytes.unsupported(fmt::format("compression {}", header.compression));
  if (masks && bits != 16 && bits != 32) bytes.fail("it has masks for pixels with a palette");
  read_masks(bytes, info_size, header);
  if (bits <= 8) {
    const size_t most = size_t{1} << bits;
    header.colors = header.colors == 0 ? most : std::min(header.colors, most);
    header.palette = file_header + info_size;
  }
  return header;
}

// The bits of a mask as 0 to 255.
uint8_t masked(uint32_t value, uint32_t mask) {
  if (mask == 0) return 0;
  const int shift = std::countr_zero(mask);
  const uint64_t most = mask >> shift;
  return static_cast<uint8_t>(((value & mask) >> shift) * uint64_t{255} / most);
}

// One row of palette indices as RGB. An index behind the palette is black.
void indexed_row(const uint8_t* in, uint8_t* out, int64_t width, uint32_t bits,
                 const std::vector<uint8_t>& palette) {
  const uint32_t mask = (1u << bits) - 1;
  for (int64_t x = 0; x < width; ++x, out += 3) {
    const auto bit = static_cast<uint32_t>(x) * bits;
    const uint32_t index = (in[bit / 8] >> (8 - bits - bit % 8)) & mask;
    std::copy_n(palette.data() + index * 3, 3, out);
  }
}

void colored_row(const uint8_t* in, uint8_t* out, const BmpHeader& header, int64_t channels) {
  const size_t size = header.bits / 8;
  for (int64_t x = 0; x < header.width; ++x, in += size, out += channels) {
    if (header.bits == 24) {
      out[0] = in[2], out[1] = in[1], out[2] = in[0];
      continue;
    }
    uint32_t value = 0;
    for (size_t k = 0; k < size; ++k) value |= static_cast<uint32_t>(in[k]) << (8 * k);
    for (int64_t k = 0; k < channels; ++k)
      out[k] = masked(value, header.masks[static_cast<size_t>(k)]);
  }
}

std::vector<uint8_t> read_palette(const BmpBytes& bytes, const BmpHeader& header) {
  std::vector<uint8_t> palette(256 * 3);
  for (size_t i = 0; i < header.colors; ++i) {
    const uint8_t* const entry = bytes.row(header.palette + i * header.entry, header.entry);
    for (size_t k = 0; k < 3; ++k) palette[3 * i + k] = entry[2 - k];
  }
  return palette;
}

int64_t bmp_channels(const BmpHeader& header) { return header.masks[3] != 0 ? 4 : 3; }

void put_number(std::string& file, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) file += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

ImageInfo read_bmp_info(std::span<const std::byte> bytes, const std::string& source) {
  const BmpHeader header = read_bmp_header(BmpBytes(bytes, source));
  return {ImageFormat::bmp, header.height, header.width, bmp_channels(header)};
}

Image decode_bmp(std::span<const std::byte> content, const std::string& source,
                 const ImageLimits& limits) {
  const BmpBytes bytes(content, source);
  const BmpHeader header = read_bmp_header(bytes);
  check_image_size(header.height, header.width, limits, source);
  const size_t stride = (static_cast<size_t>(header.width) * header.bits + 31) / 32 * 4;
  // All of them, before memory for the image is claimed.
  const uint8_t* const rows = bytes.row(header.pixels, stride * static_cast<size_t>(header.height));
  Image image{header.height, header.width, bmp_channels(header)};
  image.pixels.resize(image.size());
  const std::vector<uint8_t> palette =
      header.bits <= 8 ? read_palette(bytes, header) : std::vector<uint8_t>();
  for (int64_t y = 0; y < header.height; ++y) {
    const int64_t from = header.from_top ? y : header.height - 1 - y;
    const uint8_t* const in = rows + static_cast<size_t>(from) * stride;
    uint8_t* const out = image.pixels.data() + y * header.width * image.channels;
    if (header.bits <= 8)
      indexed_row(in, out, header.width, header.bits, palette);
    else
      colored_row(in, out, header, image.channels);
  }
  return image;
}

std::string encode_bmp(const Image& image) {
  if (image.height < 1 || image.width < 1 || image.is_wide() || image.channels == 2)
    throw ValueError(
        fmt::format("a BMP file holds gray, RGB or RGBA pixels of 8 bits, not {} x {} pixels of {} "
                    "channels of {} bits.",
                    image.height, image.width, image.channels, image.is_wide() ? 16 : 8));
  const auto channels = static_cast<uint32_t>(image.channels);
  const auto width = static_cast<uint32_t>(image.width);
  const auto height = static_cast<uint32_t>(image.height);
  const size_t stride = (size_t{width} * channels + 3) / 4 * 4;
  const uint32_t info_size = channels == 4 ? 108 : 40;
  const uint32_t start =
      static_cast<uint32_t>(file_header) + info_size + (channels == 1 ? 1024 : 0);
  const size_t size = start + stride * height;
  if (size > 0x7fffffff || width > 0x7fffffff || height > 0x7fffffff)
    throw ValueError(fmt::format("{} x {} pixels are too many for a BMP file.", height, width));
  std::string file = "BM";
  file.reserve(size);
  put_number(file, static_cast<uint32_t>(size), 4);
  put_number(file, 0, 4);
  put_number(file, start, 4);
  put_number(file, info_size, 4);
  put_number(file, width, 4);
  put_number(file, height, 4);
  put_number(file, 1, 2);
  put_number(file, 8 * channels, 2);
  put_number(file, channels == 4 ? with_masks : uncompressed, 4);
  put_number(file, static_cast<uint32_t>(stride * height), 4);
  put_number(file, 2835, 4);  // pixels per meter: 72 per inch
  put_number(file, 2835, 4);
  put_number(file, channels == 1 ? 256 : 0, 4);
  put_number(file, 0, 4);
  if (channels == 4) {
    for (const uint32_t mask : {0xff0000u, 0xff00u, 0xffu, 0xff000000u}) put_number(file, mask, 4);
    put_number(file, 0x73524742, 4);  // "sRGB"; the rest of the header means nothing then
    file.append(info_size - 60, '\0');
  }
  if (channels == 1)
    for (uint32_t level = 0; level < 256; ++level) put_number(file, level * 0x010101, 4);
  for (int64_t y = image.height - 1; y >= 0; --y) {
    const uint8_t* in = image.pixels.data() + y * image.width * image.channels;
    const size_t begin = file.size();
    for (uint32_t x = 0; x < width; ++x, in += channels) {
      if (channels == 1) {
        file += static_cast<char>(in[0]);
        continue;
      }
      for (const int k : {2, 1, 0}) file += static_cast<char>(in[k]);
      if (channels == 4) file += static_cast<char>(in[3]);
    }
    file.append(stride - (file.size() - begin), '\0');
  }
  return file;
}

}  // namespace cornu::io
