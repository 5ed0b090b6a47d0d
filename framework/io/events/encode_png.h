// Images as PNG files.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace cornu {

/// The bytes of a PNG file of 8-bit pixels, row by row: 1 (gray), 2 (gray, alpha), 3 (RGB) or 4
/// (RGBA) channels. Throws ValueError for other channels or an empty image.
std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                       int64_t channels);

}  // namespace cornu
