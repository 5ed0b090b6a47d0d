// Mirrored pictures, moved as bytes.
#include <cstring>

#include "../image_batch.h"
#include "../image_sampling.h"

namespace cornu::backend::image {
namespace {

template <size_t bytes>
void mirror_row(const std::byte* in, std::byte* out, int64_t width, size_t pixel) {
  const size_t step = bytes ? bytes : pixel;
  out += static_cast<size_t>(width) * step;
  for (int64_t x = 0; x < width; ++x, in += step)
    std::memcpy(out -= step, in, bytes ? bytes : pixel);
}

auto mirroring_of(size_t pixel) {
  switch (pixel) {
    case 1:
      return mirror_row<1>;
    case 3:
      return mirror_row<3>;
    case 4:
      return mirror_row<4>;
    case 12:
      return mirror_row<12>;
    default:
      return mirror_row<0>;
  }
}

}  // namespace

void mirror_rows(const Picture& from, const Picture& to) {
  const auto mirror = mirroring_of(from.pixel_bytes());
  for (int64_t y = 0; y < from.height; ++y)
    mirror(from.row(y), to.row(y), from.width, from.pixel_bytes());
}

void mirror(const Picture& from, const Picture& to, bool left_right, bool up_down) {
  if (left_right && !up_down) return mirror_rows(from, to);
  if (!left_right && !up_down) {
    std::memcpy(to.data, from.data, static_cast<size_t>(from.height) * from.row_bytes());
    return;
  }
  const auto turned = mirroring_of(from.pixel_bytes());
  for (int64_t y = 0; y < from.height; ++y) {
    std::byte* const out = to.row(from.height - 1 - y);
    if (left_right)
      turned(from.row(y), out, from.width, from.pixel_bytes());
    else
      std::memcpy(out, from.row(y), from.row_bytes());
  }
}

}  // namespace cornu::backend::image
